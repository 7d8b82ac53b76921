#!/usr/bin/env python3
"""Whole models before and after each sound pass, beside eager PyTorch.

usage: passes.py FXDB [MODEL... | all]

An exact pass leaves every bit of the output as eager PyTorch gives it; an
algebraic one 1e-5 of the largest element in f32.  Undo leads back to the graph
that was traced.
"""
import os
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch

import threads

warnings.simplefilter("ignore")
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path.insert(0, DATA)
import seeded  # noqa: E402

FEW = ["resnet18", "mobilenet_v3_small", "squeezenet1_1"]
# The pass, and how far from eager it may be.
PASSES = [("dce", 0), ("cse", 0), ("remove-dropout", 0),
          ("remove-identity", 0), ("inline-all", 0), ("fuse-conv-bn", 1e-5),
          ("fuse-linear", 1e-5), ("merge-linear", 1e-5), ("const-fold", 0),
          ("normalize spelling=operator", 0), ("reorder", 0), ("reorder order=memory", 0)]


def run(fxdb, name, folder):
    """What eager PyTorch should give, before and after each pass."""
    commands = ["set backend python",
                "trace %s/seeded.py:model(\"%s\")" % (DATA, name),
                "input x = file(\"%s/x.npy\")" % folder]
    for name, _ in [(None, 0)] + PASSES:
        commands += ["pass run " + name, "lint"] if name else []
        commands += ["run", "dump value %%output \"%s/%s.npy\"" % (folder, name)]
        commands += ["goto t0", "diff"] if name else []
    arguments = [word for line in commands for word in ("-ex", line)]
    done = subprocess.run(
        [fxdb, "-nx", "-q", "-batch", "--python", sys.executable] + arguments,
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        return "status %d: %s" % (done.returncode, done.stderr.strip())
    return None


def compare(want, have, tolerance):
    if have.tobytes() == want.tobytes() and have.shape == want.shape:
        return None
    if have.shape != want.shape:
        return "%s, not %s" % (have.shape, want.shape)
    off = numpy.abs(have - want).max() / numpy.abs(want).max()
    return None if off <= tolerance else "off by %.1e" % off


def check(fxdb, name):
    """How many passes are wrong on the model NAME."""
    side = 299 if name == "inception_v3" else 224
    x = torch.randn(1, 3, side, side)
    failed = 0
    with torch.no_grad():
        want = seeded.model(name)(x).numpy()
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(os.path.join(folder, "x.npy"), x.numpy())
        said = run(fxdb, name, folder)
        for which, tolerance in [(None, 0)] + PASSES:
            path = os.path.join(folder, "%s.npy" % which)
            wrong = said or compare(want, numpy.load(path), tolerance)
            print("%s, %s: %s" % (name, which or "as traced",
                                  wrong or "equal"), flush=True)
            failed += wrong is not None
            if said:
                break
    return failed


def main():
    names = sys.argv[2:] or FEW
    if names == ["all"]:
        seeded.zoo.declare_operators()
        import torchvision
        names = torchvision.models.list_models(module=torchvision.models)
    threads.as_fxdb()
    return sum(check(sys.argv[1], name) for name in names) != 0


if __name__ == "__main__":
    sys.exit(main())
