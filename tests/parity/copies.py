"""What is made of a traced graph runs on the same torch with the same inputs:
copies, extracts and reductions beside eager PyTorch.

usage: copies.py FXDB
"""
import os
import subprocess
import sys
import tempfile
import threading

import numpy
import torch
import torch.nn.functional as F
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))


class Net(nn.Module):
    """Two layers; what stands between them is checked too."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.fc1 = nn.Linear(4, 8)
        self.act = nn.Tanh()
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        """x: f32[N, 4]"""
        return self.fc2(self.act(self.fc1(x)))


class Newer(Net):
    """With a function that only newer versions have, where there is one."""

    def forward(self, x):
        y = self.fc2(self.act(self.fc1(x)))
        return F.rms_norm(y, (2,)) if hasattr(F, "rms_norm") else y


class Counts(nn.Module):
    """What only Python can run: it remembers how often it was called."""

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.register_buffer("seen", torch.zeros(4))

    def forward(self, x):
        """x: f32[N, 4]"""
        self.calls += 1
        self.seen += 1
        return x * self.calls + self.seen


class Counting(Net):
    """Calls such a module twice."""

    def __init__(self):
        super().__init__()
        self.counts = Counts()

    def forward(self, x):
        return super().forward(self.counts(self.counts(x)))


class Locked(Counts):
    """What Python cannot copy."""

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


class Locking(Counting):
    """Calls that."""

    def __init__(self):
        super().__init__()
        self.counts = Locked()


def spec(name="Net"):
    """How to trace it: the class, whose weights have a seed."""
    return "%s:%s" % (os.path.abspath(__file__), name)


def run(fxdb, folder, commands):
    """What the commands say; '@NAME' in them is a file, read afterwards."""
    words = [fxdb, "-q", "-nx", "-batch", "--python", sys.executable]
    for command in commands:
        words += ["-ex", command.replace("@", folder + "/")]
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
    return done.stdout


GIVEN = 'input x = file("@x.npy")'
COUNTING = ["trace %s --leaf Counts as base" % spec("Counting"), GIVEN]
BEGIN = ["trace %s as base" % spec(), GIVEN]
# What is typed, in one process or in several, before the output is looked at.
CASES = {
    "copied before it ran": [BEGIN + ["graph copy base as other", "run"]],
    "copied after it ran": [
        BEGIN + ["run", "graph copy base as other", "run"]],
    "the copy of a copy, and then the first": [BEGIN + [
        "graph copy base as second", "graph copy second as other", "run",
        "graph base", "run", "graph other"]],
    "copied, and a pass that is verified": [BEGIN + [
        "graph copy base as other", "set verify strict",
        "pass run inline-all", "run"]],
    "beside a graph that nobody traced": [BEGIN + [
        "load %s/../../doc/examples/mlp.fxg" % HERE, "graph base", "run",
        "graph mlp", "run", "graph copy base as other", "run"]],
    "copied, on the Python backend": [
        ["set backend python"] + BEGIN + ["graph copy base as other", "run"]],
    "copied, with a module that only Python runs": [
        COUNTING + ["graph copy base as other", "run"]],
    "copied while the first runs": [COUNTING + [
        "run --to counts_1", "graph copy base as other", "run"]],
    "the first, which goes on after its copy": [COUNTING + [
        "run --to counts_1", "graph copy base as other", "run", "graph base",
        "continue"]],
    "the copy of a graph that was dropped": [COUNTING + [
        "run", "graph copy base as second", "graph copy second as other",
        "graph drop base", "graph drop second", "graph other", "run"]],
    "a copy that was edited and mended": [COUNTING + [
        "graph copy base as other", "replace act = torch.relu(fc1)", "run",
        "undo", "run"]],
    "an extract, on what was there": [BEGIN + [
        "run", "extract {fc2} as other", "run"]],
    "a file, on the torch of --python": [
        ["trace %s" % spec("Newer"), "save @newer.fxg"],
        ["load @newer.fxg", GIVEN, "run"]],
}


def is_told(fxdb, folder):
    """Whether a model that cannot be copied is said to be one, and runs."""
    base = ["trace %s --leaf Locked as base" % spec("Locking"), GIVEN, "run"]
    said = run(fxdb, folder, base + ["print %output"])
    copied = run(fxdb, folder, base + ["graph copy base as other", "run"])
    good = "= f32[3,2]" in said and \
        "cannot be copied in Python: TypeError" in copied
    print("%s one that cannot be copied" % ("ok" if good else "FAILED"))
    if not good:
        print(said + copied)
    return good


def main(fxdb):
    """Each case: the output is that of eager PyTorch."""
    failed = 0
    x = numpy.random.default_rng(1).standard_normal((3, 4))
    x = x.astype("float32")
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(folder + "/x.npy", x)
        for number, (name, sessions) in enumerate(CASES.items()):
            made = "%s/%d.npy" % (folder, number)
            net = Newer() if "newer" in sessions[-1][0] else \
                Counting() if sessions[-1][0] == COUNTING[0] else Net()
            want = net.eval()(torch.from_numpy(x)).detach().numpy()
            said = [run(fxdb, folder, commands) for commands in sessions[:-1]]
            said.append(run(fxdb, folder, sessions[-1] + [
                "dump value %%output @%d.npy" % number]))
            good = os.path.exists(made) and numpy.allclose(
                numpy.load(made), want, rtol=1e-6, atol=1e-6)
            failed += not good
            print("%s %s" % ("ok" if good else "FAILED", name))
            if not good:
                print("".join(said))
        failed += not is_told(fxdb, folder)
    print("%d passed, %d failed, 0 skipped" % (len(CASES) + 1 - failed,
                                               failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
