#!/usr/bin/env python3
"""Whole models through fxdb's commands on its backends, beside eager PyTorch.

usage: backends.py FXDB [MODEL... | all]

The python backend runs the very operations that eager PyTorch runs, so its
values must be equal bit for bit; libtorch's within 1e-5 of the largest.
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
TEN = FEW + ["alexnet", "densenet121", "efficientnet_b0", "mnasnet0_5",
             "regnet_y_400mf", "shufflenet_v2_x0_5", "vgg11"]


def run(fxdb, name, folder, backend):
    """What fxdb gives, or an error text."""
    out = os.path.join(folder, "out.npy")
    if os.path.exists(out):
        os.unlink(out)
    done = subprocess.run(
        [fxdb, "-nx", "-q", "-batch", "--python", sys.executable,
         "-ex", "set backend " + backend,
         "-ex", "trace %s/seeded.py:model(\"%s\")" % (DATA, name),
         "-ex", "input x = file(\"%s/x.npy\")" % folder,
         "-ex", "run", "-ex", "dump value %%output %s" % out],
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode or not os.path.exists(out):
        return None, "status %d: %s" % (done.returncode, done.stderr.strip())
    return numpy.load(out), None


def compare(want, have, tolerance):
    if have.tobytes() == want.tobytes() and have.shape == want.shape:
        return None
    if have.shape != want.shape:
        return "%s, not %s" % (have.shape, want.shape)
    off = numpy.abs(have - want).max() / numpy.abs(want).max()
    return None if off <= tolerance else "off by %.1e" % off


def main():
    fxdb = sys.argv[1]
    threads.as_fxdb()
    failed = 0
    names = sys.argv[2:] or FEW
    for name in TEN if names == ["all"] else names:
        side = 299 if name == "inception_v3" else 224
        x = torch.randn(1, 3, side, side)
        with torch.no_grad():
            want = seeded.model(name)(x).numpy()
        with tempfile.TemporaryDirectory() as folder:
            numpy.save(os.path.join(folder, "x.npy"), x.numpy())
            for backend, tolerance in (("python", 0), ("torch", 1e-5)):
                have, said = run(fxdb, name, folder, backend)
                if have is not None:
                    said = compare(want, have, tolerance)
                print("%s on %s: %s" % (name, backend, said or "equal"),
                      flush=True)
                failed += said is not None
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
