"""why: what is wrong for its dtype, two faults of which the output shows one,
and what is large for a bias that is.

Each model is Net(fault); without a fault it is the reference.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy

SOURCE = """
import torch
from torch import nn


class Casts(nn.Module):
    def __init__(self, fault=None):
        super().__init__()
        torch.manual_seed(5)
        self.one = nn.Linear(6, 6)
        self.two = nn.Linear(6, 4)
        self.kind = fault
        self.register_buffer("key", torch.arange(1, 7) * 7000001)

    def forward(self, x):
        y = self.one(x) * 100
        u = (y.abs() * 10).long()
        if self.kind == "int":
            u = u.int()
            h = u * self.key.int()
        else:
            h = u * self.key
        if self.kind == "half":
            y = y.half()
            y = (y * y).float()
        else:
            y = y * y
        return self.two(y.clamp(0, 1e5) * 1e-4 + (h % 97).float() * 0.01)


class Twice(nn.Module):
    def __init__(self, fault=None):
        super().__init__()
        torch.manual_seed(6)
        self.one = nn.Linear(6, 6)
        self.side = nn.Linear(6, 6)
        self.two = nn.Linear(6, 4)
        if fault == "both":
            self.one.weight.data[2, 4] += 1
            self.side.bias.data[3] = 9
        self.kind = fault

    def forward(self, x):
        a = torch.relu(self.side(x)) * 0 + self.one(x)
        b = torch.relu(a)
        if self.kind == "inplace":
            b.mul_(0.5)
        return self.two(torch.cat([b[:, :3], b[:, 3:]], 1))


class Masked(nn.Module):
    def __init__(self, fault=None):
        super().__init__()
        torch.manual_seed(7)
        self.qkv = nn.Linear(8, 24)
        mask = torch.tril(torch.ones(8, 8)) == 0
        if fault:
            mask[6, :] = True
        self.register_buffer("mask", mask)
        self.to(torch.bfloat16)

    def forward(self, x):
        x = x.bfloat16()
        q, k, v = (self.qkv(x)[..., i * 8:i * 8 + 8] for i in range(3))
        score = (q @ k.transpose(0, 1)).masked_fill(self.mask, -30000.0)
        return score.softmax(-1) @ v


class Large(nn.Module):
    def __init__(self, fault=None):
        super().__init__()
        torch.manual_seed(8)
        self.scale = nn.Linear(6, 5)
        self.last = nn.Linear(5, 3)
        if fault == "large":
            self.scale.bias.data[1] = 200
        if fault == "apart":
            self.gate = nn.Parameter(torch.ones(5))
            self.gate.data[3] = 0
            self.last.bias.data[2] = float("nan")
        self.kind = fault

    def forward(self, x):
        y = torch.exp(self.scale(x)[:, :4])
        if self.kind == "apart":
            y = y - torch.log(self.gate)[:4].clamp(-5, 5)
        z = self.last(torch.cat([y, x[:, :1]], 1))
        return z, torch.tanh(z), z.sum(1)
"""

# Model, fault, question, and of each cause that is named, in order, two texts.
CASES = (
    ("Casts", "int", "why output --against base", [("int_1[", "it gives i32, there it is long")]),
    ("Casts", "half", "why output --against base", [("half[", "it gives f16")]),
    ("Twice", "both", "why output --against base",
     [("side.bias[3]", "= 9.0, there"), ("one.weight[2,4]", "there 0.29")]),
    ("Twice", "inplace", "why output --against base", [("mul_[", "it stands in this graph alone")]),
    ("Masked", "mask", "why output[6,0] --against base", [("mask[6,", "= True, there False")]),
    ("Large", "large", "why inf", [("exp[", "from scale.bias[1] = 200.0: too large for its dtype")]),
    ("Large", "apart", "why nan", [("log[3]", "gate[3] = 0.0: logarithm of zero"),
                                   ("last.bias[2]", "= nan: a parameter or buffer")]),
    ("Large", "large", "why output[2]", [("exp[", "from scale.bias[1] = 200.0")]),
)


def run(folder, lines):
    arguments = [os.environ["FXDB"], "-nx", "-batch", "--keep-going", "--python", sys.executable]
    for line in lines:
        arguments += ["-ex", line]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.stdout[done.stdout.find("Finished"):] + done.stderr


def ask(folder, model, fault, question):
    return run(folder, [
        "trace net.py:%s() as base" % model, "trace net.py:%s('%s') as bad" % (model, fault),
        "set backend torch", "input x = file(\"%s.npy\")" % model, "run", question])


def is_told_of_inputs(folder):
    """The one that was traced last is asked about, and has no input."""
    said = run(folder, [
        "trace net.py:Large('large') as bad", "input x = file(\"Large.npy\")", "run",
        "trace net.py:Large() as base", "why output --against bad", "compare base bad"])
    return "input x of base has no shape" in said and \
        "hint: the graph that is asked about is base; graph bad goes to one" in said and \
        "hint: the inputs are those of the first graph: compare bad base" in said


def is_right(said, expected):
    """All in their order, and nothing apart that is not expected."""
    parts = said.split("And apart from that:")
    return len(parts) == len(expected) and all(
        end in part and why in part for part, (end, why) in zip(parts, expected))


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "net.py"), "w") as out:
            out.write(SOURCE)
        draw = numpy.random.default_rng(3)
        for model in sorted({case[0] for case in CASES}):
            shape = (8, 8) if model == "Masked" else (3, 6)
            numpy.save(os.path.join(folder, model + ".npy"),
                       draw.normal(size=shape).astype("f4"))
        for model, fault, question, expected in CASES:
            said = ask(folder, model, fault, question)
            if not is_right(said, expected):
                wrong += 1
                print("%s(%r), %s:\n%s" % (model, fault, question, said))
        if not is_told_of_inputs(folder):
            wrong += 1
            print("which graph has no input is not told")
    print("%d of %d are led to their causes" % (len(CASES) - wrong, len(CASES)))
    sys.exit(wrong > 0)


main()
