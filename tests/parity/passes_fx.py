#!/usr/bin/env python3
"""const-fold, cse and dce beside torch.fx's own passes.

usage: passes_fx.py FXDB

What const-fold makes is what split_const_subgraphs computes, bit for bit; cse
merges in graphs of ATen what CSEPass merges, dce and `dce torch` erase what
eliminate_dead_code erases, but for what is listed here with the reason.
fuse-linear and merge-linear, which torch.fx does not have, give what eager PyTorch
gives.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch
import torch.fx
from torch.fx.experimental.const_fold import split_const_subgraphs
from torch.fx.passes.dialect.common.cse_pass import CSEPass

warnings.simplefilter("ignore")
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path.insert(0, DATA)
import foldable  # noqa: E402

IS_OLD = torch.__version__.startswith("1.")


class Session:
    """Commands of many cases, and what fxdb says to each: one process."""

    def __init__(self, program):
        self.program, self.lines, self.said = program, ["set backend torch"], {}

    def add(self, key, *lines):
        self.lines += ["echo case " + key] + list(lines)

    def run(self):
        done = subprocess.run(
            [self.program, "-nx", "-q", "-batch", "--keep-going", "--python",
             sys.executable, "-x", "-"],
            input="\n".join(self.lines + ["echo case end"]) + "\n", text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for part in done.stdout.split("case ")[1:]:
            key, _, text = part.partition("\n")
            self.said[key] = text


def rows(text):
    """Of the listing of nodes in TEXT: name, op and target of each."""
    found = re.findall(r"^ *\d+ +\S+ +(\w+) +(\w+) +(\S+)", text, re.M)
    return [row for row in found if row[1] in (
        "placeholder", "get_attr", "output", "call_function", "call_method",
        "call_module")]


# --- const-fold -----------------------------------------------------------

# What differs of the models of foldable.py, and why.
FOLD_KNOWN = {
    "Draws": "what is drawn once for all runs",
    "Quantized": "quantize_per_tensor, which src/ops/ops.def does not have",
}


def folded(model):
    """Tensors that torch.fx computes, and how many nodes it leaves."""
    split = split_const_subgraphs(model)
    if split.const_subgraph_module is None:
        return [], None
    split.run_folding()
    found = getattr(split, split.fx_const_folded_attrs_name)
    found = found if isinstance(found, torch.nn.ParameterList) else [found]
    calls = [n for n in split.graph.nodes if n.op.startswith("call_") and
             "getitem" not in n.name]
    return [t.detach().numpy() for t in found], len(calls)


def inputs_of(kind):
    names = kind.forward.__code__.co_varnames[1:kind.forward.__code__.co_argcount]
    return ["input %s = f32[4,4]" % name for name in names]


def add_folds(session):
    for kind in foldable.FOLDS:
        spec = "%s/foldable.py:fold(\"%s\")" % (DATA, kind.__name__)
        session.add(kind.__name__, "trace " + spec, *inputs_of(kind),
                    "pass run const-fold", "lint", "nodes")


def names_folded(text):
    return [name for name, op, target in rows(text)
            if op == "get_attr" and target.startswith("folded_")
            and target != name]


def add_values(session, before, folder):
    """The same once more, with what was folded written to files."""
    for kind in foldable.FOLDS:
        spec = "%s/foldable.py:fold(\"%s\")" % (DATA, kind.__name__)
        paths = ["dump value %%%s %s/%s.%s.npy" % (
            name, folder, kind.__name__, name)
            for name in names_folded(before[kind.__name__])]
        session.add(kind.__name__, "trace " + spec, *inputs_of(kind),
                    "pass run const-fold", "run", *paths)


def check_fold(kind, text, folder):
    name = kind.__name__
    try:
        want, calls = folded(foldable.fold(name))
    except Exception as error:  # Parameters of integers are refused there.
        want, calls = error, None
    is_sound = "no problems" in text and (
        "bit for bit" in text or "0 of 0" in text or not names_folded(text))
    have = [numpy.load("%s/%s.%s.npy" % (folder, name, each))
            for each in names_folded(text)
            if os.path.exists("%s/%s.%s.npy" % (folder, name, each))]
    ours = sum(op.startswith("call_") and "getitem" not in each
               for each, op, _ in rows(text))
    known = FOLD_KNOWN.get(name)
    if known or isinstance(want, Exception):
        print("%s: %d folded; torch.fx: %s" % (
            name, len(have), known or str(want).split("\n")[0]))
        return not is_sound
    same = len(have) == len(want) and all(
        any(a.shape == b.shape and a.dtype == b.dtype and
            a.tobytes() == b.tobytes() for b in have) for a in want)
    wrong = not same or not is_sound or (calls is not None and calls != ours)
    print("%s: %d folded, %s calls left%s" % (
        name, len(have), ours, ": torch.fx has %d and %s\n%s" % (
            len(want), calls, text) if wrong else ""))
    return wrong


# --- linear layers --------------------------------------------------------

# The model, the pass, how many candidates it has.
LINEAR = [("Linears", "fuse-linear", "fold", 10),
          ("Siblings", "merge-linear", "merge", 3)]


def add_linear(session, folder):
    torch.manual_seed(5)
    x = torch.randn(3, 6)
    numpy.save(folder + "/x.npy", x.numpy())
    for model, name, _, _ in LINEAR:
        session.add(model, "trace %s/foldable.py:fold(\"%s\")" % (DATA, model),
                    "input x = file(\"%s/x.npy\")" % folder,
                    "pass run " + name, "lint", "run",
                    "dump value %%output %s/%s.npy" % (folder, model), "undo",
                    "diff")
    return x


def check_linear(row, text, x, folder):
    """Beside eager PyTorch."""
    model, name, word, count = row
    with torch.no_grad():
        want = foldable.fold(model)(x).numpy()
    have = numpy.load("%s/%s.npy" % (folder, model))
    off = numpy.abs(have - want).max() / numpy.abs(want).max()
    done = text.count("done    " + word)
    print("%s: %d times, off by %.1e" % (name, done, off))
    return (done != count) + int(off > 2e-6) + (
        "verified on 3 inputs in f64" not in text) + (
        "No differences." not in text)


# --- cse and dce ----------------------------------------------------------

def targets(graph):
    return collections.Counter(
        str(n.target) for n in graph.nodes if n.op == "call_function")


def merge(module):
    return CSEPass()(module).graph_module.graph


def eliminate(module):
    module.graph.eliminate_dead_code()
    return module.graph


# Calls that CSEPass erases and cse keeps, and why.
CSE_KNOWN = {
    # Two draws are two numbers; torch.fx knows these operators only without
    # their overloads.
    "draws": {"aten.rand_like.default": 1},
    "drawn": {"aten.randn.default": 1},
    # 1, 1.0 and True are equal to Python, and of an integer tensor they make
    # others.
    "unlike_types": {"aten.mul.Tensor": 1, "aten.add.Tensor": 1},
}


def add_functions(session):
    for function in foldable.FUNCTIONS:
        spec = "trace %s/foldable.py:aten(\"%s\")" % (DATA, function.__name__)
        for name in ("cse", "dce torch"):
            session.add(name + " " + function.__name__, "set verify off", spec,
                        "pass run " + name, "nodes")


def check_function(name, function, text):
    ours = collections.Counter(
        target.replace("torch.ops.", "")
        for _, op, target in rows(text) if op == "call_function")
    module = foldable.aten(function.__name__)
    try:
        want = targets(merge(module) if name == "cse" else eliminate(module))
    except Exception as error:  # 1.13 cannot do with no result
        print("%s, %s: torch.fx: %s" % (name, function.__name__, error))
        return 0
    if name == "cse":
        want.update(CSE_KNOWN.get(function.__name__, {}))
    if ours == want:
        print("%s, %s: %d calls" % (name, function.__name__,
                                    sum(ours.values())))
        return 0
    print("%s, %s: %s, torch.fx %s" % (name, function.__name__, ours, want))
    return 1


# Nodes that eliminate_dead_code of 1.13 and of 2.x erases and `dce` keeps: they
# write or draw.
DEAD_KEPT = {
    "WritesInPlace": ({"add__tensor"}, set()),
    "WritesMethod": ({"add_"}, {"add_"}),
    "WritesOut": ({"exp", "add_out"}, set()),
    "WritesItem": ({"setitem"}, set()),
    "DeadDraw": ({"rand_like", "dropout", "bernoulli"}, {"dropout"}),
    "DeadOperator": ({"mul", "rand_like_default", "bernoulli_default"},
                     {"mul"}),
}
# Nodes that `dce torch` keeps and it erases: an operator without its overload
# has no row, and may do anything.
TORCH_KEPT = {"DeadOperator": (set(), {"mul"})}
# And what `dce torch` erases and it keeps: that a class says `_is_impure` is
# not part of a graph.
TORCH_ERASED = {"DeadImpure": {"act"}}


def add_deads(session):
    for kind in foldable.DEADS:
        spec = "trace %s/foldable.py:dead(\"%s\")" % (DATA, kind.__name__)
        for name in ("dce", "dce torch"):
            session.add("%s %s" % (name, kind.__name__), "set verify off", spec,
                        "pass run " + name, "nodes")


def left(graph):
    return {n.name for n in graph.nodes}


def check_dead(kind, said):
    wrong = 0
    want = left(eliminate(torch.fx.symbolic_trace(
        foldable.dead(kind.__name__))))
    for name in ("dce", "dce torch"):
        have = {row[0] for row in rows(said["%s %s" % (name, kind.__name__)])}
        expected = set(want)
        if name == "dce":
            expected |= DEAD_KEPT.get(kind.__name__, (set(), set()))[not IS_OLD]
        else:
            expected |= TORCH_KEPT.get(kind.__name__, (set(), set()))[not IS_OLD]
            expected -= TORCH_ERASED.get(kind.__name__, set())
        if have != expected:
            wrong += 1
            print("%s, %s: %s, torch.fx %s" % (name, kind.__name__,
                                               sorted(have), sorted(want)))
    return wrong


def main():
    wrong = 0
    first, second = Session(sys.argv[1]), Session(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        add_folds(first)
        x = add_linear(first, folder)
        add_functions(first)
        add_deads(first)
        first.run()
        add_values(second, first.said, folder)
        second.run()
        for kind in foldable.FOLDS:
            wrong += check_fold(kind, first.said[kind.__name__], folder)
        for row in LINEAR:
            wrong += check_linear(row, first.said[row[0]], x, folder)
    for function in foldable.FUNCTIONS:
        for name in ("cse", "dce torch"):
            wrong += check_function(name, function,
                                    first.said[name + " " + function.__name__])
    for kind in foldable.DEADS:
        wrong += check_dead(kind, first.said)
    print("torch.fx %s: %d models folded, %d functions, %d dead nodes; %d wrong"
          % (torch.__version__, len(foldable.FOLDS), len(foldable.FUNCTIONS),
             len(foldable.DEADS), wrong))
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
