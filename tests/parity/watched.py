"""watch nonfinite, on random functions that write in place, take views and hide
what is wrong: it stops after the nodes whose result is not finite then, as
torch.fx's Interpreter gives it, and after no others; `nodes nonfinite` lists
those whose value is not finite at the end.

WATCHED says how many functions, WATCHED_SEED which.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy
import torch
import torch.fx

CHANGES = (  # of one value, which may be written
    "{0}.neg()", "{0}.abs()", "torch.relu({0})", "{0}.relu_()", "self.relu({0})",
    "F.relu({0}, inplace=True)", "{0}.sigmoid()", "torch.tanh({0})", "{0}.clone()",
    "F.hardtanh({0}, -2.0, 3.0)", "self.bounds({0})", "{0}.detach()",
    "{0}.log()", "{0}.sqrt()", "torch.exp({0})", "{0}.reciprocal()", "{0}.mul_(1e30)",
    "{0}.sub_(1.0)", "{0}.mul_(0.0)", "{0}.abs_()", "{0} * 1e20",
    "{0}.view(torch.int32).view(torch.float32)", "({0}.view(torch.int32) | 0x7f800000).view(torch.float32)",
    "{0}.to(torch.float16).to(torch.float32)", "{0}.t().t()", "{0}.flatten().view(2, 3)",
    "{0}.reshape(3, 2).reshape(2, 3)", "{0}.unsqueeze(0)[0]", "{0}.contiguous()",
    "torch.cat([{0}.chunk(2, 0)[1], {0}[:1]], 0)", "{0}.nan_to_num()",
    "torch.stack(({0}[0], {0}[1]))")
OF_TWO = ("{0} + {1}", "{0} * {1}", "{0} / {1}", "torch.cat([{0}, {1}], 0)[1:3]",
          "torch.where({0} > 0, {0}, {1})", "torch.maximum({0}, {1})", "{0}.copy_({1})")
HEAD = """
import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)
        self.bounds = nn.Hardtanh(-1.0, 1.0)

    def forward(self, x):
        v0 = x * 1.0
"""


def function(draw):
    lines = []
    for i in range(1, draw.randrange(5, 14)):
        form = draw.choice(CHANGES + OF_TWO)
        lines.append("        v%d = %s\n" % (i, form.format(
            *("v%d" % draw.randrange(max(0, i - 4), i) for _ in "ab"))))
    return "".join(lines) + "        return %s\n" % ", ".join(
        "v%d" % i for i in range(len(lines) + 1))


def is_finite(value):
    if isinstance(value, (tuple, list)):
        return all(is_finite(item) for item in value)
    return not isinstance(value, torch.Tensor) or bool(torch.isfinite(value).all())


class Looking(torch.fx.Interpreter):
    def run_node(self, node):
        result = super().run_node(node)
        if not is_finite(result):
            self.found.append(str(node))
        return result


def expected(module, x):
    """The names of the nodes that are not finite as they ran; and at the end."""
    interpreter = Looking(torch.fx.symbolic_trace(module), garbage_collect_values=False)
    interpreter.found = []
    with torch.no_grad():
        interpreter.run(torch.from_numpy(x.copy()))
    return interpreter.found, [str(node) for node, value in interpreter.env.items()
                               if not is_finite(value)]


def stops(backend, count):
    """For each of the models NET0, NET1, ... what fxdb says of it."""
    arguments = [os.environ["FXDB"], "-nx", "-batch", "--json", "--keep-going",
                 "--python", sys.executable, "-ex", "set backend " + backend,
                 "-ex", "set confirm off"]
    for i in range(count):
        for line in ("trace net%d.py:Net -i x=x%d.npy" % (i, i), "watch nonfinite",
                     "run", *["continue"] * 30, "nodes nonfinite",
                     "delete"):
            arguments += ["-ex", line]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    found = []
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        if answer.get("command") == "trace":
            found.append(([], []))
        if answer.get("stop") == "watch":
            found[-1][0].append(answer["watched"])
        if answer.get("command") == "nodes":
            found[-1][1].extend(node["name"] for node in answer["nodes"])
    return found, done


def main():
    count = int(os.environ.get("WATCHED", "60"))
    draw = random.Random(int(os.environ.get("WATCHED_SEED", "1")))
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        wanted = []
        for i in range(count):
            with open("net%d.py" % i, "w") as out:
                out.write(HEAD + function(draw))
            x = numpy.array([[draw.choice((0, 1, -1, 0.3, -2.5, 1e-30, 3e38, -1e38))
                              for _ in range(3)] for _ in range(2)], numpy.float32)
            numpy.save("x%d.npy" % i, x)
            module = __import__("net%d" % i).Net().eval()
            wanted.append(expected(module, x))
        for backend in "torch", "python":
            found, done = stops(backend, count)
            for i in range(count):
                if i < len(found) and found[i] == wanted[i]:
                    continue
                bad += 1
                print("%s: %s\nwanted %s" % (backend, found[i:i + 1], wanted[i]))
                print(open("net%d.py" % i).read())
            print(done.stderr[-500:])
        print("%d functions, %d nodes not finite, %d differ" % (
            2 * count, 2 * sum(len(ran) for ran, end in wanted), bad))
    sys.exit(bad > 0 or not any(ran for ran, end in wanted))


main()
