#!/usr/bin/env python3
"""What src/ops/spellings.def calls one operation is one in torch: each spelling
of a row runs on the same arguments, with every parameter of the row that it
takes and with those alone that have no default.  Results must be equal bit by
bit, in dtype and shape too.

usage: spellings.py SPELLINGS.DEF
"""
import builtins
import operator
import re
import sys
import warnings

import torch
import torch.nn.functional as F

warnings.simplefilter("ignore")
torch.manual_seed(0)

X = torch.randn(4, 6, 4)
BOOLS = torch.rand(4, 6, 4) > 0.5
INTS = torch.randint(-9, 9, (4, 6, 4))
SQUARE = torch.randn(4, 4)
PICTURE = torch.randn(2, 8, 4, 6)
# What a parameter is given, by its name; in some rows it is another.
VALUES = {
    "input": X, "other": torch.randn(4, 6, 4), "end": torch.randn(4, 6, 4),
    "alpha": 0.7, "negative_slope": 0.2, "min_val": -0.5, "max_val": 0.7,
    "threshold": 0.1, "value": 0.25, "beta": 2, "lambd": 0.3, "dim": 1,
    "dtype": torch.float64, "keepdim": True, "approximate": "tanh",
    "exponent": 2, "min": -0.3, "max": 0.4, "mask": BOOLS, "weight": 0.3,
    "nan": 0.5, "posinf": 7.0, "neginf": -7.0, "k": 2, "largest": False,
    "sorted": True, "start_dim": 1, "end_dim": 2, "dim0": 0, "dim1": 2,
    "chunks": 2, "source": 0, "destination": 2, "index": 1, "start": 1,
    "length": 2, "shifts": 1, "dims": 1, "diagonal": 1, "tensors": [X, X + 1],
    "p": 0.25, "training": True, "output_size": 2, "upscale_factor": 2,
    "downscale_factor": 2,
}
MATRICES = {"input": torch.randn(3, 4, 6), "mat2": torch.randn(3, 6, 5)}
LOGICAL = {"input": BOOLS, "other": INTS > 0}
WHOLE = {"input": INTS, "other": INTS.flip(0)}
ROWS = {
    "matmul": {"input": X, "other": SQUARE}, "bmm": MATRICES,
    "mm": {name: value[0] for name, value in MATRICES.items()},
    "t": {"input": SQUARE}, "tril": {"input": SQUARE},
    "triu": {"input": SQUARE}, "roll": {"shifts": 2},
    "bitwise_and": WHOLE, "bitwise_or": WHOLE, "bitwise_xor": WHOLE,
    "bitwise_not": WHOLE, "logical_and": LOGICAL, "logical_or": LOGICAL,
    "logical_not": LOGICAL, "acosh": {"input": X.abs() + 1},
    "atanh": {"input": X.tanh()}, "erfinv": {"input": X.tanh()},
    "asin": {"input": X.tanh()}, "acos": {"input": X.tanh()},
    "pow": {"input": X.abs()}, "softplus": {"threshold": 3},
    "squeeze": {"input": X[:, :1]}, "unsqueeze": {"dim": -1},
    "gather": {"index": INTS.abs() % 4},
    "index_select": {"index": torch.tensor([2, 0, 2])},
    "isnan": {"input": X.log()}, "nan_to_num": {"input": 1 / (X > 0).float()},
    "adaptive_avg_pool2d": {"input": PICTURE},
    "pixel_shuffle": {"input": PICTURE}, "pixel_unshuffle": {"input": PICTURE},
    "masked_fill": {"value": 0.5}, "eq": WHOLE, "ne": WHOLE,
}
# Of the parameters that have defaults, those that torch wants in any case.
ALWAYS = {"softmax": ["dim"], "log_softmax": ["dim"], "softmin": ["dim"],
          "clamp": ["min"]}
SCOPES = {"torch": torch, "F": F, "operator": operator, "builtins": builtins,
          "aten": torch.ops.aten, "nn": torch.nn}


def macros(text):
    """The rows (name, parameters, spellings), with the two shorter forms of a
    row written out."""
    string = r'((?:"(?:[^"]*)"\s*)+)'
    row = re.compile(r"^FX_SAME(_BOTH|_ALL)?\((\w+),\s*" + string + r",\s*"
                     + string + r"\)", re.M)
    for form, name, parameters, spellings in row.findall(text):
        parameters, spellings = ("".join(re.findall(r'"([^"]*)"', part))
                                 for part in (parameters, spellings))
        if form:
            spellings = f"torch.{name} Tensor.{name} {spellings}"
        if form == "_ALL":
            spellings += f" aten.{name}.default"
        yield name, parameters, spellings.split()


def split(parameters):
    """(NAME, whether it has a default)."""
    for part in parameters.replace(" ", "").split(","):
        if part not in ("", "*"):
            yield part.split("=")[0], "=" in part


def find(scope, name):
    found = SCOPES[scope]
    for part in name.split("."):
        found = getattr(found, part)
    return found


class Spelling:
    """One way to write the operation of a row."""

    def __init__(self, row, parameters, text):
        self.row, self.text = row, text
        target, _, own = text.partition("(")
        self.scope, self.name = target.split(".", 1)
        whole = list(split(parameters))
        self.own = list(split(own[:-1] if own else parameters))
        # What a layer is called with: the parameters that are left.
        self.inputs = [p for p, default in whole if not default
                       and p not in [q for q, _ in self.own]]
        if self.scope != "nn":
            self.inputs = []
        self.takes = {p for p, _ in self.own}.union(self.inputs)

    def call(self, names):
        """What it gives for the parameters NAMES of the row."""
        values = {**VALUES, **ROWS.get(self.row, {})}
        torch.manual_seed(1)
        if self.scope == "nn":
            module = find("nn", self.name)(
                **{p: values[p] for p, _ in self.own
                   if p in names and p != "training"})
            module.train("training" not in names or values["training"])
            return module(*(values[p] for p in self.inputs))
        args = [values[p] for p, default in self.own
                if p in names and not default]
        kwargs = {p: values[p] for p, default in self.own
                  if p in names and default}
        if self.scope == "Tensor":
            return getattr(args[0], self.name)(*args[1:], **kwargs)
        return find(self.scope, self.name)(*args, **kwargs)


def same(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return (a.dtype == b.dtype and a.shape == b.shape
            and torch.equal(a.isnan(), b.isnan())
            and torch.equal(a.nan_to_num(), b.nan_to_num()))


def compare(row, spellings, names):
    """Run those of SPELLINGS that take all of NAMES beside the first of them;
    how many fail or differ."""
    bad = 0
    first = None
    for spelling in spellings:
        what = f"{row}: {spelling.text} with {', '.join(names)}"
        try:
            result = spelling.call(names)
        except Exception as error:
            print(f"{what}: {type(error).__name__}: {error}")
            bad += 1
            continue
        if first is None:
            first = result
        elif not same(first, result):
            print(f"{what} differs from {spellings[0].text}")
            bad += 1
    return bad


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    rows = list(macros(text))
    written = len(re.findall(r"^FX_SAME\w*\(", text, re.M))
    pairs = bad = 0
    for row, parameters, texts in rows:
        spellings = [Spelling(row, parameters, text) for text in texts]
        needed = [p for p, default in split(parameters)
                  if not default or p in ALWAYS.get(row, ())]
        # As many parameters as each of them takes, and as few as can be.
        for names in sorted({tuple(p for p, _ in split(parameters)
                                   if p in spelling.takes)
                             for spelling in spellings} | {tuple(needed)}):
            bad += compare(row, [spelling for spelling in spellings
                                 if spelling.takes.issuperset(names)], names)
        pairs += len(spellings) * (len(spellings) - 1) // 2
    print(f"{len(rows)} of {written} rows, {pairs} pairs, {bad} wrong")
    return bad > 0 or len(rows) != written or pairs < 200


sys.exit(main())
