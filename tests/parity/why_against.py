"""why NODE --against FILE.npz: values of eager PyTorch, by the names of nodes.

One weight is changed, or one step of the forward; what is named is where the
graph parts from the file, also when the output does not show it.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy
import torch
import torch.fx

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, change=0.0, shift=0):
        super().__init__()
        torch.manual_seed(3)
        self.one = nn.Linear(6, 6)
        self.two = nn.Linear(6, 6)
        self.shift = shift
        self.one.weight.data[2, 4] += change

    def forward(self, x):
        a = self.one(x)
        b = torch.roll(torch.tanh(a), self.shift, 1)
        return self.two(torch.clamp(b, -3, 3))


class Hides(Net):
    def forward(self, x):
        return torch.clamp(super().forward(x), 100, 101)


class Halves(Net):
    def __init__(self):
        super().__init__()
        self.one.bfloat16()

    def forward(self, x):
        return self.two(self.one(x.bfloat16()).float())


class Draws(Net):
    def forward(self, x):
        x = F.dropout(super().forward(x), 0.5, True)
        noise = torch.randn_like(x).mul_(3)
        gate = torch.bernoulli(torch.sigmoid(x))
        return F.dropout(x * gate + noise, 0.3, True).cumsum(0)
"""

failures = []


def check(what, truth):
    if not truth:
        failures.append(what)
        print("not ok:", what)


class Keeps(torch.fx.Interpreter):
    def run_node(self, node):
        value = super().run_node(node)
        self.kept[node.name] = value.detach().numpy().copy()
        return value


def why(expression, *asked):
    lines = ["trace net.py:" + expression, "set backend torch", "input x = file(\"x.npy\")", "run"]
    arguments = [os.environ["FXDB"], "-nx", "-batch", "--json", "--keep-going", "--python",
                 sys.executable]
    for line in lines + list(asked):
        arguments += ["-ex", line]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()][len(lines):]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        with open("net.py", "w") as out:
            out.write(SOURCE)
        import net
        x = torch.randn(3, 6)
        numpy.save("x.npy", x.numpy())
        for name, module in (("right", net.Net()), ("hidden", net.Hides())):
            keeps = Keeps(torch.fx.symbolic_trace(module))
            keeps.kept = {}
            keeps.run(x)
            numpy.savez(name + ".npz", **keeps.kept)
        numpy.savez("few.npz", two=numpy.load("right.npz")["two"])
        numpy.savez("none.npz", nothing=x.numpy())

        answers = why("Net(0.5)", "why output --against right.npz", "why two --against few.npz",
                      "why output --against none.npz", "why output --against nosuch.npz",
                      "why output --against bf16", "why output --against f64")
        check("the layer", answers[0]["from"] == "one" and answers[0]["from_element"][-2:] == "2]")
        check("the first that the file has", answers[1]["from"] == "two")
        check("no such array", answers[2]["error"]["code"] == "no-name")
        check("no such file", answers[3]["error"]["code"] == "io")
        check("bf16", answers[4]["ok"] and "from" not in answers[4])
        check("f64", answers[5]["ok"] and "from" not in answers[5])
        # Not the cast beyond it, and not the output alone.
        for name, layer in ("Halves()", "one"), ("Net().bfloat16()", "two"):
            to = "" if layer == "one" else ".bfloat16()"
            answers = why(name, f"input x = file(\"x.npy\"){to}", "run",
                          "why output --against f64")
            way = answers[2]["lines"][0].split("from ")
            check("half " + layer, not way[-1].startswith("%output") and
                  (layer == "two" or way[-1].startswith("%one[")))
        # f64 draws other numbers, but is given these.
        for backend in "torch", "python":
            answers = why("Draws()", "set backend " + backend, "run", "why output --against f64",
                          "compare . --dtype f64")
            check("draws " + backend, answers[2]["ok"] and "from" not in answers[2])
            check("draws beside " + backend, answers[3]["ok"] and answers[3]["parted"] == 0)
        answers = why("Net(shift=1)", "why output --against right.npz")
        check("the step", answers[0]["from"] == "roll")
        answers = why("Hides(0.5)", "why output --against hidden.npz")
        check("hidden", answers[0]["from"] == "one" and
              "  The output does not show it." in answers[0]["lines"])
    sys.exit(len(failures) > 0)


main()
