"""Record what torch.fx calls things: tests/data/names.tsv.

    python3 tests/parity/record_names.py >tests/data/names.tsv

Lines, tab separated:
    new                        a new namespace begins
    name  CANDIDATE  RESULT    _Namespace.create_name
    cand  OPCODE  TARGET  CANDIDATE    Graph._target_to_str
"""

import random

import torch
import torch.fx
from torch.fx.graph import _Namespace

BASES = [
    "relu", "add", "x", "conv1", "layer1.0.conv1", "*args", "**kw", "0",
    "0.weight", "a b", "a--b", "a._b", "_", "__", "_1", "foo_", "foo__1",
    "abs", "sum", "input", "getattr", "and", "lambda", "class", "None", "True",
    "inf", "nan", "torch", "device", "NoneType", "pytree", "self", "wrap",
    "class_", "print", "type", "getitem", "or_", "x1", "9lives", "é", "aé.b",
    "__name__", "_operator_add", "output", "T", "1_2_3", "a_b_1_c",
]
NUMBERS = ["", "_1", "_2", "_7", "_07", "_00", "_0", "_10", "_123456789", "1"]


def candidates(rng):
    few = rng.sample(BASES, 5)
    for _ in range(60):
        base = rng.choice(few if rng.random() < 0.8 else BASES)
        yield base + (rng.choice(NUMBERS) if rng.random() < 0.5 else "")


def record_names():
    for seed in range(50):
        rng = random.Random(seed)
        space = _Namespace()
        print("new")
        for candidate in candidates(rng):
            print("name", candidate, space.create_name(candidate, None),
                  sep="\t")


TARGETS = [
    "x", "*args", "**kwargs", "layer1.0.conv1", "0", "__floordiv__",
    "__call__", "__and__", "__getitem__", "view", "ReLU", "myReLU6",
    "toBFloat16", "ALL_CAPS", "T", "NoneType", "aBcD", "add_", "__x", "x__",
    "A1B", "x.y.Z", "someThing.otherThing",
]
FUNCTIONS = [
    (torch.relu, "torch.relu"), (torch.abs, "torch.abs"),
    (torch.nn.functional.relu, "torch.nn.functional.relu"),
    (torch._C._nn.linear, "torch._C._nn.linear"),
    (getattr, "builtins.getattr"),
    (torch.nn.functional.max_pool2d, "torch.nn.functional.max_pool2d"),
    (torch.ops.aten.add.Tensor, "torch.ops.aten.add.Tensor"),
    (torch.ops.aten.relu.default, "torch.ops.aten.relu.default"),
    (torch.ops.aten.relu, "torch.ops.aten.relu"),
    (torch._assert, "torch._assert"),
    (torch.Tensor.toBFloat16 if hasattr(torch.Tensor, "toBFloat16")
     else torch.bmm, "torch.bmm"),
    (__import__("operator").add, "operator.add"),
    (__import__("operator").and_, "operator.and_"),
    (__import__("math").floor, "math.floor"),
]


def record_candidates():
    graph = torch.fx.Graph()
    for target in TARGETS:
        for opcode in "placeholder", "call_method", "call_module", "get_attr":
            print("cand", opcode, target, graph._target_to_str(target),
                  sep="\t")
    for function, target in FUNCTIONS:
        print("cand", "call_function", target,
              graph._target_to_str(function), sep="\t")
    print("cand", "output", "output", graph._target_to_str("output"),
          sep="\t")


record_names()
record_candidates()
