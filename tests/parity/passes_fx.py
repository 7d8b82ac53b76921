#!/usr/bin/env python3
"""const-fold, cse and dce beside torch.fx's own passes.

usage: passes_fx.py FXDB

What const-fold makes is what split_const_subgraphs computes, bit for bit; cse
merges in graphs of ATen what CSEPass merges but for draws, and dce erases what
eliminate_dead_code erases.  fuse-linear, which torch.fx does not have, gives what
eager PyTorch gives.
"""
import collections
import os
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


def run(program, lines):
    done = subprocess.run(
        [program, "-nx", "-q", "-batch", "--python", sys.executable] +
        [word for line in lines for word in ("-ex", line)],
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit("%s: %s" % (lines, done.stderr))
    return done.stdout


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


def check_fold(program, kind, folder):
    spec = "%s/foldable.py:fold(\"%s\")" % (DATA, kind.__name__)
    try:
        want, calls = folded(foldable.fold(kind.__name__))
    except Exception as error:  # Parameters of integers are refused there.
        want, calls = error, None
    text = run(program, [
        "trace " + spec, "input x = f32[4,4]", "pass run const-fold", "lint",
        "nodes"])
    verified = "bit for bit" in text or "done" not in text
    names = [line.split()[2] for line in text.split("\n")
             if " folded_" in line]
    lines = ["trace " + spec, "input x = f32[4,4]", "pass run const-fold",
             "run"]
    paths = [os.path.join(folder, name + ".npy") for name in names]
    have = []
    if names:
        run(program, lines + ["dump value %%%s %s" % pair
                              for pair in zip(names, paths)])
        have = [numpy.load(path) for path in paths]
    ours = sum(" call_" in line and "getitem" not in line
               for line in text.split("\n"))
    if isinstance(want, Exception):
        print("%s: %d folded; torch.fx: %s" % (
            kind.__name__, len(have), str(want).split("\n")[0]))
        return not verified
    same = len(have) == len(want) and all(
        any(a.shape == b.shape and a.dtype == b.dtype and
            a.tobytes() == b.tobytes() for b in have) for a in want)
    wrong = not same or not verified or (calls is not None and calls != ours)
    print("%s: %d folded, %s calls left%s" % (
        kind.__name__, len(have), ours,
        ": torch.fx has %d and %s" % (len(want), calls) if wrong else ""))
    return wrong


def check_linear(program, folder):
    """fuse-linear beside eager PyTorch, and how many nodes it leaves."""
    spec = "%s/foldable.py:fold(\"Linears\")" % DATA
    torch.manual_seed(5)
    x = torch.randn(3, 6)
    paths = [os.path.join(folder, name + ".npy") for name in ("x", "y")]
    numpy.save(paths[0], x.numpy())
    text = run(program, [
        "trace " + spec, "input x = file(\"%s\")" % paths[0],
        "pass run fuse-linear", "lint", "run",
        "dump value %%output %s" % paths[1], "undo", "diff"])
    with torch.no_grad():
        want = foldable.fold("Linears")(x).numpy()
    have = numpy.load(paths[1])
    off = numpy.abs(have - want).max() / numpy.abs(want).max()
    done = text.count("done    fold")
    print("fuse-linear: %d folded, off by %.1e" % (done, off))
    return (done != 10) + int(off > 2e-6) + ("verified on 3 inputs in f64" not in
                                          text)


def targets(graph):
    return collections.Counter(
        str(n.target) for n in graph.nodes if n.op == "call_function")


def check_erased(program, function, name, theirs):
    spec = "%s/foldable.py:aten(\"%s\")" % (DATA, function.__name__)
    text = run(program, ["set verify off", "trace " + spec,
                         "pass run " + name, "nodes"])
    ours = collections.Counter(
        line.split()[4].replace("torch.ops.", "")
        for line in text.split("\n") if " call_function " in line)
    want = targets(theirs(foldable.aten(function.__name__)))
    if name == "cse" and function is foldable.draws:
        # Two draws are two numbers.
        want["aten.rand_like.default"] += 1
    if ours == want:
        print("%s, %s: %d calls" % (name, function.__name__,
                                    sum(ours.values())))
        return 0
    print("%s, %s: %s, torch.fx %s" % (name, function.__name__, ours, want))
    return 1


def eliminate(module):
    module.graph.eliminate_dead_code()
    return module.graph


def merge(module):
    return CSEPass()(module).graph_module.graph


def main():
    program = sys.argv[1]
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in foldable.FOLDS:
            wrong += check_fold(program, kind, folder)
        wrong += check_linear(program, folder)
    for function in foldable.FUNCTIONS:
        wrong += check_erased(program, function, "cse", merge)
        wrong += check_erased(program, function, "dce", eliminate)
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
