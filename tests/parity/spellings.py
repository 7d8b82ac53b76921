#!/usr/bin/env python3
"""What src/ops/spellings.def calls one operation is one in torch: each spelling
of a row runs on the same arguments, with every parameter of the row that it
takes and with those alone that have no default.  Results must be equal bit by
bit, in dtype and shape too.  Then the patterns: in a model that calls all
spellings of a row each of them, as a pattern, has to match all.

usage: spellings.py SPELLINGS.DEF [FXDB]
"""
import builtins
import operator
import os
import re
import subprocess
import sys
import tempfile
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
CONV = {"stride": 2, "padding": 1, "dilation": 1, "groups": 1}
ROWS.update({
    "linear": {"weight": torch.randn(3, 4), "bias": torch.randn(3)},
    "bilinear": {"input1": torch.randn(5, 4), "input2": torch.randn(5, 3),
                 "weight": torch.randn(2, 4, 3), "bias": torch.randn(2)},
    "conv1d": {"weight": torch.randn(5, 6, 3), "bias": torch.randn(5), **CONV},
    "conv2d": {"input": PICTURE, "weight": torch.randn(5, 8, 3, 3),
               "bias": torch.randn(5), **CONV},
    "conv3d": {"input": torch.randn(1, 2, 4, 4, 4), "bias": torch.randn(3),
               "weight": torch.randn(3, 2, 2, 2, 2), **CONV},
    "batch_norm": {"weight": torch.randn(6), "bias": torch.randn(6),
                   "running_mean": torch.randn(6),
                   "running_var": torch.rand(6) + 0.5, "momentum": 0.3,
                   "eps": 1e-3},
    "layer_norm": {"normalized_shape": (4,), "weight": torch.randn(4),
                   "bias": torch.randn(4), "eps": 1e-3},
    "group_norm": {"num_groups": 3, "weight": torch.randn(6),
                   "bias": torch.randn(6), "eps": 1e-3},
    "embedding": {"input": INTS.abs(), "weight": torch.randn(10, 4),
                  "padding_idx": 1, "max_norm": 1.0, "norm_type": 1.0},
    "prelu": {"weight": torch.randn(6)},
})
# How layers with parameters are made, and what those of other ranks are given.
MADE = {"Linear": (4, 3), "Bilinear": (4, 3, 2), "Conv1d": (6, 5, 3),
        "Conv2d": (8, 5, 3), "Conv3d": (2, 3, 2), "BatchNorm1d": (6,),
        "BatchNorm2d": (6,), "BatchNorm3d": (6,), "Embedding": (10, 4),
        "PReLU": (6,)}
MADE_BY_NAME = {"GroupNorm": {"num_channels": 6}}
GIVEN = {"BatchNorm2d": {"input": X[..., None]},
         "BatchNorm3d": {"input": X[..., None, None]},
         "adaptive_avg_pool2d.default": {"output_size": [2, 2]},
         "roll.default": {"shifts": [2], "dims": [1]},
         **{"conv%dd.default" % n: {"stride": [2] * n, "padding": [1] * n,
                                    "dilation": [1] * n} for n in (1, 2, 3)},
         **{name + ".Scalar": {"other": 3}
            for name in ("eq", "ne", "lt", "le", "gt", "ge")}}
# Of the parameters that have defaults, those that torch wants in any case.
ALWAYS = {"softmax": ["dim"], "log_softmax": ["dim"], "softmin": ["dim"],
          "clamp": ["min"], "sum": ["dim"], "mean": ["dim"],
          "squeeze": ["dim"], "dropout": ["p", "training"]}
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


def carried(parameters):
    """Names of what layers carry."""
    return re.findall(r"(\w+)=\.\.\.", parameters)


def trains(parameters):
    return "training=True" in parameters


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
        self.carried = carried(parameters)
        self.trains = trains(parameters)
        # What a layer is called with: the parameters that are left.
        self.inputs = [p for p, default in whole if not default
                       and p not in [q for q, _ in self.own]]
        self.takes = {p for p, _ in self.own}
        if self.scope == "nn":
            self.takes.update(self.inputs, self.carried)

    def values(self, given):
        """What parameters are given: tensors of their own, as some are
        written into."""
        return {name: value.clone() if isinstance(value, torch.Tensor)
                else value
                for name, value in {**VALUES, **ROWS.get(self.row, {}),
                                    **given}.items()}

    def layer(self, names, values):
        module = find("nn", self.name)(
            *MADE.get(self.name, ()), **MADE_BY_NAME.get(self.name, {}),
            **{p: values[p] for p, _ in self.own
               if p in names and p != "training"})
        for name in self.carried:
            value = values[name] if name in names else None
            if name in module._buffers:
                module._buffers[name] = value
            else:
                module._parameters[name] = None if value is None else \
                    torch.nn.Parameter(value)
        return module.train(values["training"] if "training" in names
                            else self.trains)

    def arguments(self, names, values):
        """By place, by name."""
        return ([values[p] for p, default in self.own
                 if p in names and not default],
                {p: values[p] for p, default in self.own
                 if p in names and default})

    def call(self, names, given):
        """What it gives for the parameters NAMES of the row."""
        values = self.values(given)
        torch.manual_seed(1)
        if self.scope == "nn":
            module = self.layer(names, values)
            return module(*(values[p] for p in self.inputs))
        args, kwargs = self.arguments(names, values)
        if self.scope == "Tensor":
            return getattr(args[0], self.name)(*args[1:], **kwargs)
        return find(self.scope, self.name)(*args, **kwargs)

    # As text, where tensors are NAMES of inputs.

    def text_of(self, name):
        value = self.values({})[name]
        if isinstance(value, torch.Tensor):
            return name
        if isinstance(value, list):
            return "[input, input]"
        return repr(value)

    def written(self, names, number):
        """The call in a model whose layers are self.mNUMBER."""
        if self.scope == "nn":
            return "self.m%d(%s)" % (number, ", ".join(
                map(self.text_of, self.inputs)))
        return self.function(names)

    def function(self, names):
        args = [self.text_of(p) for p, default in self.own
                if p in names and not default]
        args += ["%s=%s" % (p, self.text_of(p)) for p, default in self.own
                 if p in names and default]
        if self.scope == "Tensor":
            return "%s.%s(%s)" % (args[0], self.name, ", ".join(args[1:]))
        scope = "torch.ops.aten" if self.scope == "aten" else self.scope
        return "%s.%s(%s)" % (scope, self.name, ", ".join(args))

    def pattern(self, names):
        if self.scope != "nn":
            return self.function(names)
        return "nn.%s(%s)" % (self.name, ", ".join(
            [self.text_of(p) for p in self.inputs] +
            ["%s=%s" % (p, self.text_of(p)) for p, _ in self.own
             if p in names and p != "training"]))


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
    for spelling in spellings:
        what = f"{row}: {spelling.text} with {', '.join(names)}"
        given = GIVEN.get(spelling.name, {})
        try:
            with torch.no_grad():
                first = spellings[0].call(names, given)
                result = spelling.call(names, given)
        except Exception as error:
            print(f"{what}: {type(error).__name__}: {error}")
            bad += 1
            continue
        if not same(first, result):
            print(f"{what} differs from {spellings[0].text}")
            bad += 1
    return bad


# --- patterns ---------------------------------------------------------------

HEAD = """import builtins
import operator
import torch
import torch.nn.functional as F
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        for number, layer in LAYERS:
            setattr(self, "m%d" % number, layer)

    def forward(self, {inputs}):
        return ({calls})
"""


class Row:
    """A row's spellings, and a model that calls each of them once."""

    def __init__(self, name, parameters, texts):
        self.name, self.parameters = name, parameters
        self.spellings = [Spelling(name, parameters, text) for text in texts]
        self.carried = carried(parameters)
        self.needed = tuple(p for p, default in split(parameters) if not default
                            or p in ALWAYS.get(name, ()) or p in self.carried)

    def write(self, folder):
        values = self.spellings[0].values({})
        tensors = [p for p in self.needed if isinstance(
            values[p], torch.Tensor) or p == "tensors"]
        path = os.path.join(folder, "row_%s.py" % self.name)
        layers = [(number, spelling.layer(self.needed, spelling.values({})))
                  for number, spelling in enumerate(self.spellings)
                  if spelling.scope == "nn"]
        torch.save(layers, path + ".pt")
        with open(path, "w") as file:
            file.write(HEAD.replace(
                "{inputs}", ", ".join("input" if p == "tensors" else p
                                      for p in tensors)).replace(
                "{calls}", ", ".join(spelling.written(self.needed, number)
                                     for number, spelling
                                     in enumerate(self.spellings)) + ",")
                .replace("LAYERS", "torch.load(%r%s)" % (
                    path + ".pt", "" if torch.__version__.startswith("1.")
                    else ", weights_only=False")))
        return path

    def patterns(self):
        """(PATTERN, how many of the spellings it has to match)."""
        if not self.carried:
            return [(spelling.pattern(self.needed), len(self.spellings))
                    for spelling in self.spellings]
        functions = [s for s in self.spellings if s.scope != "nn"]
        first = functions[0].function([p for p in self.needed
                                       if p not in self.carried])
        optional = [p for p, default in functions[0].own
                    if default and p in self.carried]
        if len(optional) == len(self.carried):
            first = first[:-1] + "".join(", %s=_" % p for p in optional) + ")"
        return [(first, len(self.spellings))] + \
            [(s.function(self.needed), len(self.spellings))
             for s in functions] + \
            [(s.pattern(self.needed), 1) for s in self.spellings
             if s.scope == "nn"]


def check_patterns(fxdb, rows):
    """How many pairs match each other, and how many patterns do not match what
    they should."""
    lines = ["set verify off"]
    with tempfile.TemporaryDirectory() as folder:
        for row in rows:
            lines.append("trace %s:Model%s" % (
                row.write(folder), " --train" * trains(row.parameters)))
            for number, (pattern, _) in enumerate(row.patterns()):
                lines += ["echo case %s %d" % (row.name, number),
                          "match " + pattern]
            lines.append("echo case end")
        done = subprocess.run(
            [fxdb, "-nx", "-q", "-batch", "--keep-going", "--python",
             sys.executable, "-x", "-"], input="\n".join(lines) + "\n",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = dict(part.split("\n", 1) for part in done.stdout.split("case ")[1:])
    pairs = bad = 0
    for row in rows:
        wrong = 0
        for number, (pattern, count) in enumerate(row.patterns()):
            text = said["%s %d" % (row.name, number)]
            found = re.search(r"^(\d+) match", text, re.M)
            if not found or int(found.group(1)) != count:
                wrong += 1
                print("%s: match %s: %s, not %d" % (
                    row.name, pattern, text.strip(), count))
        bad += wrong
        if not wrong:
            pairs += len(row.spellings) * (len(row.spellings) - 1) // 2
    return pairs, bad


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    rows = [Row(*row) for row in macros(text)]
    written = len(re.findall(r"^FX_SAME\w*\(", text, re.M))
    pairs = bad = 0
    for row in rows:
        # As many parameters as each of them takes, and as few as can be.
        for names in sorted({tuple(p for p, _ in split(row.parameters)
                                   if p in spelling.takes)
                             for spelling in row.spellings} | {row.needed}):
            bad += compare(row.name,
                           [spelling for spelling in row.spellings
                            if spelling.takes.issuperset(names)], names)
        pairs += len(row.spellings) * (len(row.spellings) - 1) // 2
    print(f"{len(rows)} of {written} rows, {pairs} pairs, {bad} wrong")
    matching = 200
    if len(sys.argv) > 2:
        matching, unmatched = check_patterns(sys.argv[2], rows)
        print(f"{matching} pairs match each other, {unmatched} patterns wrong")
        bad += unmatched
    return bad > 0 or len(rows) != written or min(pairs, matching) < 200


sys.exit(main())
