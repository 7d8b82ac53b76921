"""weights FILE of what torch.save wrote: read by the user's Python."""
import os
import subprocess
import sys
import tempfile

from session import PYTHON, Session, check, find

MAKES_STATES = '''
import torch
from torch import nn
open("net.py", "w").write("""
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)
""")
state = nn.Linear(3, 2).state_dict(prefix="fc.")
state["fc.weight"] = torch.arange(6.).view(2, 3) / 4
state["fc.bias"] = torch.tensor([-1.5, 2.0])
torch.save(state, "state.pth")
torch.save(state, "old.pth", _use_new_zipfile_serialization=False)
torch.save({"step": 3, "state_dict": state, "optimizer": {"state": {}}},
           "checkpoint.ckpt")
torch.save({"a": state, "b": state}, "two.pt")
torch.save([1, 2], "none.pt")
torch.save(nn.Linear(3, 2), "model.pt")
torch.save({"fc.weight": torch.ones(3, 3)}, "other.pth")
open("cut.pth", "wb").write(open("state.pth", "rb").read()[:700])

class Runs:
    def __reduce__(self):
        return exec, ("open('ran', 'w')",)
torch.save({"fc.weight": Runs()}, "runs.pth")
'''


def weights_of_what_torch_saved():
    """A state dict that the user's Python reads; nothing in it is run."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PYTHON, "-c", MAKES_STATES], cwd=folder, check=True)
        session = Session()
        session.run("trace weights.py:Kinds().first as first")
        find(session.run("trace %s/net.py:Net" % folder), "Net: 3 nodes")
        before = session.run("print fc.weight")
        for name in "state.pth", "old.pth", "checkpoint.ckpt":
            find(session.run("weights %s/%s" % (folder, name)),
                 "2 parameters and buffers have the values of .*" + name)
            find(session.run("print allclose(fc.weight, torch.arange(6)."
                             "reshape(2, 3) / 4, 0, 0)"), "= True")
            find(session.run("print fc.bias"), "min -1.5@.*max 2@")
            assert "error" not in session.run("undo")
        for name, words in (
                ("two.pt", "under several names: a, b"),
                ("none.pt", "no tensors by name"),
                ("model.pt", "weights_only=True.*\n.*state_dict"),
                ("runs.pth", "weights_only=True"),
                ("cut.pth", "cut.pth"),
                ("other.pth", r"f32\[3,3\] in the file, f32\[2,3\]")):
            find(session.run("weights %s/%s" % (folder, name)),
                 "error: .*" + words)
        assert not os.path.exists(folder + "/ran")
        assert session.run("print fc.weight").partition("=")[2] == \
            before.partition("=")[2]
        session.end()


MAKES_PRINTED = '''
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.w = torch.nn.Parameter(torch.tensor([3.0, -1.0]))
        self.register_buffer("mask", torch.tensor([True, False]))

    def forward(self, x):
        return torch.where(self.mask, self.fc(x) * self.w, self.w)
torch.manual_seed(0)
net = Net()
open("net.txt", "w").write(str(torch.fx.symbolic_trace(net)))
torch.save(net.state_dict(), "net.pt")
y = net(torch.ones(1, 3)).flatten().tolist()
open("y", "w").write("torch.tensor([%r])" % y)
'''


def weights_of_what_print_left_out():
    """print(gm) shows no parameters of the root: the file has them."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PYTHON, "-c", MAKES_PRINTED], cwd=folder, check=True)
        session = Session()
        session.run("trace weights.py:Kinds().first as first")
        find(session.run("load %s/net.txt as net" % folder), "2 that the code")
        session.run("input x = ones(1, 3)")
        find(session.run("weights %s/net.pt" % folder),
             "modules changed 4; undo: 1\n4 parameters and buffers have")
        find(session.run("run"), "Finished")
        with open(folder + "/y") as file:
            find(session.run("print allclose(output, %s)" % file.read()),
                 "= True")
        found = session.run("info params")
        find(found, r"w +parameter +float32 +\[2\]")
        find(found, r"mask +buffer +bool +\[2\]")
        session.run("undo")
        find(session.run("run"), "shapes only")
        session.end()


sys.exit(1 if check([weights_of_what_print_left_out, weights_of_what_torch_saved]) else 0)
