"""compare, verify and bisect beside numpy.

A model runs in eager PyTorch, with a weight changed in one layer; fxdb has the
model as it was.  What compare says of each node is computed again from the
arrays, and the edits that verify and bisect are to find are made by commands.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

import numpy
import torch
import torch.fx

fxdb = sys.argv[1]
failures = []

MODEL = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.act = nn.ReLU(inplace=True)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(4, 5)

    def forward(self, x):
        y = self.act(self.bn(self.conv(x)))
        parts = torch.split(y, 2, dim=1)
        z = torch.cat([parts[1], parts[0]], 1)
        return self.fc(torch.flatten(self.pool(z), 1))
"""

FLIPPED = """
import torch
from net import Net

class Flipped(Net):
    def __init__(self):
        super().__init__()
        with torch.no_grad():
            self.fc.weight[4, 2] *= -1
"""


def check(what, truth):
    if not truth:
        failures.append(what)
        print("not ok:", what)


def near(a, b, rtol=1e-6):
    return a == b or abs(a - b) <= rtol * max(abs(a), abs(b))


def run(folder, *lines, options=()):
    """The exit status, and what each line answered."""
    arguments = [fxdb, "-batch", *options, "--json", "--python", sys.executable, "-ex", "trace net.py:Net",
                 "-ex", "input x = file(\"x.npy\")"]
    for line in lines:
        arguments += ["-ex", line]
    done = subprocess.run(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=300)
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if not answers:
        print(done.stdout, done.stderr)
    return done.returncode, answers


class Recorder(torch.fx.Interpreter):
    """The value of each node when it had run, as numpy arrays."""

    def __init__(self, module, doubled=None):
        super().__init__(module)
        self.arrays = {}
        self.doubled = doubled

    def run_node(self, node):
        result = super().run_node(node)
        if node.name == self.doubled:
            result = result * 2
        if isinstance(result, torch.Tensor):
            copied = result.detach().clone()
            # numpy has no bfloat16, and float32 has all its numbers.
            self.arrays[node.name] = (
                copied.float() if copied.dtype == torch.bfloat16 else copied).numpy()
        return result


def recorded(model, x, doubled=None):
    recorder = Recorder(torch.fx.symbolic_trace(model), doubled)
    recorder.run(x)
    return recorder.arrays


def figures(a, b):
    a = a.astype(numpy.float64).ravel()
    b = b.astype(numpy.float64).ravel()
    by = numpy.abs(a - b)
    return {"max_abs": by.max(), "max_rel": by.max() / numpy.abs(a).max(),
            "cosine": a @ b / numpy.sqrt(a @ a) / numpy.sqrt(b @ b),
            "sqnr": 10 * numpy.log10((a @ a) / (by @ by))}


def check_rows(what, rows, left, right, rtol):
    parted = [name for name in left if name in right
              and not numpy.array_equal(left[name], right[name])]
    got = {row["node"]: row for row in rows}
    check("%s: %s parted, got %s" % (what, parted, list(got)), sorted(got) == sorted(parted))
    for name in parted:
        for key, value in figures(left[name], right[name]).items():
            check("%s: %s of %s is %s, got %s" % (what, key, name, value, got[name][key]),
                  near(float(got[name][key]), value, rtol))


def check_arrays(folder, model, x):
    """The bias of bn is another, and the last layer does not see it."""
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.bn.bias += 0.25
        model_arrays = recorded(model, x)
        arrays = recorded(other, x)
    numpy.savez(os.path.join(folder, "gold.npz"), **arrays)
    status, answers = run(folder, "compare . gold.npz")
    check("a difference is a failed check", status == 1)
    answer = answers[-1]
    check_rows("gold", answer["gaps"], model_arrays, arrays, 1e-4)
    check("bn parts first", answer["first"] == "bn")
    status, answers = run(folder, "compare . nosuch.npz")
    check("a file that is not there", status == 2 and not answers[-1]["ok"])
    numpy.savez(os.path.join(folder, "same.npz"), **model_arrays)
    status, answers = run(folder, "compare . same.npz")
    check("the same arrays", status == 0 and answers[-1]["parted"] == 0
          and answers[-1]["compared"] == len(model_arrays))
    numpy.savez(os.path.join(folder, "one.npz"), bn=arrays["bn"])
    status, answers = run(folder, "compare . one.npz")
    check("an array alone is of the node of its name", status == 1
          and answers[-1]["compared"] == 1 and answers[-1]["first"] == "bn")
    numpy.savez(os.path.join(folder, "none.npz"), other=arrays["bn"])
    status, answers = run(folder, "compare . none.npz")
    check("arrays of no node", status == 2 and not answers[-1]["ok"])


def check_graphs(folder, model, x):
    """What a ReLU makes of its input dies out where nothing is negative."""
    status, answers = run(folder, "graph copy Net as exp",
                          "insert after conv : c = torch.mul(conv, 2.0) --splice", "rename bn norm",
                          "compare Net exp -m 20")
    arrays = recorded(model, x)
    scaled = copy.deepcopy(model)
    with torch.no_grad():
        scaled.conv.weight *= 2
        scaled.conv.bias *= 2
        other = recorded(scaled, x)
    got = {row["node"]: row for row in answers[-1]["gaps"]}
    for name in ("bn", "act", "cat", "pool", "fc"):
        name = name if name in arrays else [n for n in arrays if n.startswith(name)][0]
        for key, value in figures(arrays[name], other[name]).items():
            check("base: %s of %s" % (key, name), near(float(got[name][key]), value, 1e-3))
    check("the pair has both names", got["bn"]["other"] == "norm")
    # Negative numbers times two: relu gives the same.
    status, answers = run(folder, "graph copy Net as exp",
                          "insert after bn : n = torch.where(bn > 0, bn, bn * 2) --splice",
                          "replace act = torch.relu(bn)", "insert after act : p = torch.relu(n)",
                          "rauw act p except {name=p}", "verify Net exp --inputs 5 --rtol 1e-6")
    check("relu of n is the same: %s" % answers[-1],
          status == 0 and answers[-1]["verdict"] == "same" and answers[-1]["inputs"] == 5)
    status, answers = run(folder, "graph copy Net as exp", "set value fc.bias = fc.bias * 2",
                          "rename fc head", "verify Net exp --inputs 2")
    check("another bias: %s" % answers[-1], status == 1 and answers[-1]["verdict"] == "differs")
    # What is negative doubled: relu gives the same, and the difference dies out.
    status, answers = run(folder, "graph copy Net as exp", "replace act = torch.relu(bn)",
                          "graph copy exp as two",
                          "replace bn = torch.where(conv > 0, conv, conv * 2)",
                          "graph copy two as one", "replace bn = torch.where(conv > 0, conv, conv)",
                          "compare one two")
    check("dies out in act: %s" % answers[-1], answers[-1].get("dies_out") == "act")
    # A size is the same of whatever has the shape.
    status, answers = run(folder, "graph copy Net as exp", "insert after bn : s = bn.shape",
                          "insert after s : n = s[0]", "graph copy exp as two",
                          "replace bn = torch.mul(conv, 2.0)", "compare exp two")
    check("nothing dies out in a size: %s" % answers[-1],
          answers[-1].get("first") == "bn" and answers[-1].get("dies_out") is None)


def check_set(folder, model, x):
    """Values that were set stand in, of whichever graph they are."""
    plain = recorded(model, x)
    doubled = recorded(model, x, "conv")
    given = ["graph copy Net as exp", "graph Net", "run", "set value conv = conv * 2"]
    _, answers = run(folder, *given, "compare . exp -m 0", "graph exp", "compare . Net -m 0",
                     "graph Net", "compare . exp --dtype f64 -m 0", "unset value conv",
                     "compare . exp", options=["--keep-going"])
    answers = [answer for answer in answers if answer["command"] == "compare"]
    rows = [[row for row in answer["gaps"] if row["node"] in plain] for answer in answers]
    check_rows("set", rows[0], doubled, plain, 1e-3)
    check_rows("set in the second", rows[1], plain, doubled, 1e-3)
    check("set, in f64: %s" % answers[2], answers[2]["first"] == "conv")
    # At another time too, by the name.
    _, timed = run(folder, "run", "rename fc head", "set value conv = conv * 2",
                   "rename head tail", "compare t0 . -m 0", options=["--keep-going"])
    check("set, beside a time: %s" % timed[-1], timed[-1].get("parted") == 0)
    _, timed = run(folder, "run", "set module bn = nn.Identity()", "set value conv = conv * 2",
                   "compare t0 . -m 0", options=["--keep-going"])
    check_rows("set, beside a time", [row for row in timed[-1]["gaps"] if row["node"] == "bn"],
               {"bn": doubled["bn"]}, {"bn": doubled["conv"]}, 1e-3)
    check("set no more: %s" % answers[3], answers[3]["parted"] == 0)


def check_dtype(folder, model, x):
    status, answers = run(folder, "compare . --dtype f64 --rtol 0")
    with torch.no_grad():
        arrays = recorded(model, x)
        wide = recorded(copy.deepcopy(model).double(), x.double())
    check_rows("f64", [row for row in answers[-1]["gaps"] if row["node"] in arrays],
               arrays, wide, 1e-2)
    # As a module after to(dtype): the graph itself says nothing of dtypes.
    status, answers = run(folder, "compare . --dtype bf16 --rtol 0 -s max_rel")
    with torch.no_grad():
        narrow = recorded(copy.deepcopy(model).bfloat16(), x.bfloat16())
    rows = answers[-1]["gaps"]
    check_rows("bf16", [row for row in rows if row["node"] in arrays], arrays, narrow, 1e-3)
    sizes = [float(row["max_rel"]) for row in rows]
    check("sorted by max_rel: %s" % sizes, sizes == sorted(sizes, reverse=True))
    status, answers = run(folder, "compare . --dtype i32")
    check("i32 is refused", status == 2)


def check_two_traces(folder):
    """Two models of one file, one weight of them flipped: the first has run and
    has its weights, the second was traced after that."""
    second = "trace flipped.py:Flipped as other"
    for lines in (["run", second, "graph Net"], [second, "graph Net", "run"]):
        _, answers = run(folder, *lines, "diff . other", "compare . other",
                         "why output --against other", options=["--keep-going"])
        diff, compared, why = answers[-3:]
        check("diff after %s: %s" % (lines, diff),
              [row["module"] for row in diff.get("modules", [])] == ["fc.weight"])
        check("compare after %s: %s" % (lines, compared), compared.get("first") == "fc")
        check("why after %s: %s" % (lines, why),
              (why.get("cause"), why.get("cause_element")) == ("fc.weight", "[4,2]"))


def check_edits(folder):
    """Random scripts of edits of which one changes the output."""
    harmless = ["insert after conv : c = conv * 1.0 --splice",
                "insert after pool : p = torch.add(pool, 0) --splice",
                "insert before fc : f = torch.neg(torch.neg(flatten))", "rename conv stem",
                "replace act = torch.relu(bn)", "rename fc head"]
    for at in range(len(harmless) + 1):
        edits = harmless[:at] + ["set module bn = nn.BatchNorm2d(4, eps=0.1)"]
        edits += harmless[at:]
        status, answers = run(folder, *edits, "bisect --inputs 2 --rtol 1e-5", "verify")
        found = [answer for answer in answers if answer["command"] == "bisect"][0]
        check("bisect finds edit %d: %s" % (at, found), found.get("time") == at + 1)
    status, answers = run(folder, *harmless, "verify", "bisect")
    check("nothing to find: %s" % answers[-1], status == 0)
    status, answers = run(folder, "begin", "bisect")
    check("bisect in a transaction", status == 2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "net.py"), "w") as file:
            file.write(MODEL)
        sys.path.insert(0, folder)
        model = __import__("net").Net().eval()
        torch.manual_seed(5)
        x = torch.randn(2, 3, 6, 6)
        numpy.save(os.path.join(folder, "x.npy"), x.numpy())
        check_arrays(folder, model, x)
        check_graphs(folder, model, x)
        check_set(folder, model, x)
        check_dtype(folder, model, x)
        with open(os.path.join(folder, "flipped.py"), "w") as file:
            file.write(FLIPPED)
        check_two_traces(folder)
        check_edits(folder)
    print("%d failures" % len(failures))
    return 1 if failures else 0


sys.exit(main())
