"""The numbers of a new module: as torch's own modules draw theirs, for every
layer that initial.def names.  They follow from the seed.
"""
import json
import os
import re
import subprocess
import sys

import torch
from torch import nn

FXDB = os.environ["FXDB"]
SOURCE = os.environ["FXDB_SRCDIR"]
MLP = os.path.join(SOURCE, "doc/examples/mlp.fxg")
LAYERS = [
    "nn.Linear(60, 100)", "nn.Bilinear(20, 30, 40)",
    "nn.Conv1d(16, 32, 5)", "nn.Conv2d(16, 32, 3, groups=4)",
    "nn.Conv3d(8, 16, (1, 3, 3))", "nn.ConvTranspose1d(16, 40, 5)",
    "nn.ConvTranspose2d(16, 24, 3, groups=2)",
    "nn.ConvTranspose3d(16, 8, 2)",
    "nn.Embedding(200, 30, padding_idx=7)", "nn.EmbeddingBag(200, 30)",
    "nn.PReLU(5)", "nn.LSTM(40, 50, 2)", "nn.GRU(40, 50)", "nn.RNN(40, 50)",
    "nn.LSTMCell(40, 50)", "nn.GRUCell(40, 50)",
    "nn.RNNCell(40, 50)",
    "nn.MultiheadAttention(64, 4, add_bias_kv=True)",
    "nn.MultiheadAttention(64, 4, kdim=32, vdim=16)",
    "nn.BatchNorm1d(6)", "nn.BatchNorm2d(6)", "nn.InstanceNorm2d(6)",
    "nn.InstanceNorm1d(6, affine=True, track_running_stats=True)",
    "nn.LayerNorm((3, 5))", "nn.GroupNorm(2, 6)",
    "nn.Linear(60, 100, dtype=torch.float64)",
    "nn.TransformerEncoderLayer(64, 4, 128)",
]
# Their numbers are drawn a second time by what holds them, or a constant says.
INNER = {"NonDynamicallyQuantizableLinear"}
failures = 0


def answers(*commands):
    """The JSON answer of each."""
    options = [word for command in commands for word in ("-ex", command)]
    said = subprocess.run([FXDB, "-nx", "-batch", "--json", MLP, *options],
                          stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in said.splitlines()]


def fail(what, mine, theirs):
    global failures
    failures += 1
    print("FAIL: %s: fxdb has %s, torch %s" % (what, mine, theirs))


def near(mine, theirs, margin):
    return abs(mine - theirs) <= margin


def check(what, mine, tensor):
    """MINE, a row of the table tensors, beside one that torch drew."""
    tensor = tensor.detach().double()
    theirs = {"min": tensor.min().item(), "max": tensor.max().item(),
              "mean": tensor.mean().item(), "shape": list(tensor.shape)}
    if mine["shape"] != theirs["shape"]:
        fail(what, mine["shape"], theirs["shape"])
        return
    width = theirs["max"] - theirs["min"]
    if not width or tensor.numel() < 50:
        alike = width or near(mine["min"], theirs["min"], 0) and \
            near(mine["max"], theirs["max"], 0)
    else:
        # Six deviations of the mean; uniform numbers fill their range, normal
        # ones have the deviation.
        theirs["std"] = tensor.std().item()
        margin = 6 * theirs["std"] / tensor.numel() ** .5
        alike = near(mine["mean"], theirs["mean"], 2 * margin) and \
            near(mine["std"], theirs["std"], margin) and \
            near(mine["min"], theirs["min"], .3 * width) and \
            near(mine["max"], theirs["max"], .3 * width)
        if width < 4 * theirs["std"] and tensor.numel() > 1000:
            alike = alike and mine["max"] <= theirs["max"] + .02 * width and \
                mine["min"] >= theirs["min"] - .02 * width
    if not alike:
        fail(what, {key: mine[key] for key in theirs}, theirs)


def compare(text):
    torch.manual_seed(1)
    theirs = eval(text).state_dict()
    given = answers("set module m = %s" % text,
                    *("print m.%s" % name for name in theirs))
    if len(given) != len(theirs) + 2:
        fail(text, given[-1], "a module")
        return
    for (name, tensor), answer in zip(theirs.items(), given[2:]):
        if not answer["ok"]:
            fail("%s %s" % (text, name), answer["error"], "a tensor")
        elif tensor.numel():
            check("%s %s" % (text, name), answer["tensors"][0], tensor)


def numbers(*commands):
    return answers(*commands, "print/v m.weight")[-1]["value"]


def check_seeds():
    make = "set module m = nn.Linear(4, 4)"
    default = numbers(make)
    if default != numbers("seed 0", make):
        fail("equal seeds", "other numbers", "the same")
    if default == numbers("seed 1", make):
        fail("another seed", "the same numbers", "others")
    if numbers("seed 1", make) != numbers(make + " --seed 1"):
        fail("--seed 1", "other numbers", "those of seed 1")
    if default == answers("set module m = nn.Linear(4, 4)",
                          "set module k = nn.Linear(4, 4)",
                          "print/v k.weight")[-1]["value"]:
        fail("a second module", "the numbers of the first", "its own")


def check_padding():
    answer = answers("set module m = nn.Embedding(20, 8, padding_idx=7)",
                     "print absmax(m.weight[7])", "print absmax(m.weight)")
    if answer[-2]["value"] != "0.0" or answer[-1]["value"] == "0.0":
        fail("padding", answer[-2:], "zeros")


with open(os.path.join(SOURCE, "src/ops/initial.def")) as file:
    named = set(re.findall(r'^FX_INITIAL\("(\w+)"', file.read(), re.M))
tried = {re.match(r"nn\.(\w+)", text)[1] for text in LAYERS}
if named - tried - INNER:
    fail("layers", "nothing", sorted(named - tried - INNER))
with open(os.path.join(SOURCE, "src/ops/layers.py")) as file:
    known = set(re.findall(r"^class (\w+)", file.read(), re.M))
# The last rows are for norms; Transformer draws what its layers drew again,
# which fxdb does not.
drawing = {name for name in known
           if hasattr(getattr(nn, name, None), "reset_parameters")
           or hasattr(getattr(nn, name, None), "_reset_parameters")}
without = {name for name in drawing - named - {"Transformer"}
           if not name.endswith("Norm") and not re.search(r"Norm\dd$", name)}
if without:
    fail("layers", "no row for", sorted(without))
for layer in LAYERS:
    compare(layer)
check_seeds()
check_padding()
print("%d layers, %d failures" % (len(LAYERS), failures))
sys.exit(failures > 0)
