#!/usr/bin/env python3
"""pass run fuse-conv-bn beside torch.fx.experimental.optimization.fuse.

usage: fuse.py FXDB [MODEL... | all]

On models of torchvision the code is torch.fx's.  What gives several tensors
gives them as one vector; of detectors it is what comes before boxes are chosen.  In f64 the output lies within
1e-12 of its largest element from the model's own, in f32 within four times of
how far torch.fx's fused model lies from it.  A model of our own has what
torch.fx leaves alone or folds wrongly.
"""
import os
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch
from torch.fx.experimental.optimization import fuse

warnings.simplefilter("ignore")
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path.insert(0, DATA)
import folding  # noqa: E402
import seeded  # noqa: E402

FEW = ["resnet18", "mobilenet_v3_small", "mnasnet0_5"]


def fxdb(program, spec, folder, x, options=()):
    """The output and the code after the pass; an error text instead."""
    numpy.save(os.path.join(folder, "x.npy"), x.numpy())
    out = os.path.join(folder, "out.npy")
    path = os.path.join(folder, "code.py")
    given = "file(\"%s/x.npy\")" % folder
    recorded = " --example -i x=" + given if "raft" in spec else ""
    # The largest one's new weights are more than undo keeps of itself.
    lines = list(options) + [
        "set undo limit 0", "trace " + spec + recorded,
        "input x = " + given, "shapes",
        "pass run fuse-conv-bn", "lint", "run",
        "dump value %%output %s" % out, "dump python -o " + path,
        "undo", "diff"]
    done = subprocess.run(
        [program, "-nx", "-q", "-batch", "--python", sys.executable] +
        [word for line in lines for word in ("-ex", line)],
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        return None, done.stderr.strip()
    value = numpy.load(out)
    with open(path) as file:
        code = file.read()
    os.unlink(out)
    os.unlink(path)
    return value, code


def distance(have, want):
    return float(numpy.abs(have - want).max() / numpy.abs(want).max())


def body(code):
    return [line.strip() for line in code.split("\n") if line.strip()]


# By the first letters of a name.
SHAPES = {"inception": (1, 3, 299, 299), "maxvit": (1, 3, 224, 224),
          "raft": (2, 3, 128, 128), "ssdlite": (1, 3, 300, 300),
          "s3d": (1, 3, 16, 224, 224), "r3d": (1, 3, 4, 64, 64),
          "mc3": (1, 3, 4, 64, 64), "r2plus1d": (1, 3, 4, 64, 64)}
SEVERAL = ("rcnn", "fcos", "retinanet", "ssdlite", "fcn", "deeplab", "lraspp",
           "raft")


def check(program, name, folder):
    """What is wrong with the model NAME, or None, and a remark."""
    torch.manual_seed(1)
    x = torch.randn(*next((SHAPES[word] for word in SHAPES
                           if name.startswith(word)), (1, 3, 64, 64)))
    kind = "flat" if any(word in name for word in SEVERAL) else "model"
    model = getattr(seeded, kind)(name)
    spec = "%s/seeded.py:%s(\"%s\")" % (DATA, kind, name)
    try:
        fused = fuse(model)
    except Exception:  # what it cannot trace it may find out late
        fused = None
    with torch.no_grad():
        want = model(x).numpy()
        # Where torch.fx cannot trace, what it reaches elsewhere.
        theirs = distance(fused(x).numpy(), want) if fused else 1e-6
        try:
            wide = model.double()(x.double()).numpy()
        except RuntimeError:  # it makes f32 of its own
            wide = None
    have, code = fxdb(program, spec, folder, x, ["set verify off"])
    if have is None:
        return code
    if fused and body(code) != body(fused.code):
        return "other code than torch.fx"
    ours = distance(have, want)
    if not ours <= 4 * theirs:
        return "in f32 off by %.1e, torch.fx by %.1e" % (ours, theirs)
    if wide is None:
        have, code = fxdb(program, spec, folder, x, ["set verify strict"])
        print("%s: f32 %.1e (torch.fx %.1e), f64 %s" % (
            name, ours, theirs, "verified by fxdb" if code else "refused"))
        return code if have is None else None
    have, code = fxdb(program, spec + ".double()", folder, x.double(),
                      ["set verify off"])
    if have is None:
        return code
    if not distance(have, wide) <= 1e-12:
        return "in f64 off by %.1e" % distance(have, wide)
    print("%s: f32 %.1e (torch.fx %.1e), f64 %.1e" %
          (name, ours, theirs, distance(have, wide)), flush=True)
    return None


# What is folded of folding.Mixed: by layer, and where into a copy.
FOLDED = ["not_affine", "norm", "first", "second", "after_tied", "again",
          "vector", "after_line", "after_volume", "last"]


def check_mixed(program, folder, dtype, tolerance):
    """The model with all that is special, verified by fxdb itself too."""
    x = torch.randn(4, 3, 10, 10, dtype=dtype)
    model = folding.mixed().to(dtype)
    with torch.no_grad():
        want = model(x).numpy()
    spec = "%s/folding.py:mixed()%s" % (
        DATA, ".double()" if dtype == torch.float64 else "")
    have, code = fxdb(program, spec, folder, x, ["set verify strict"])
    if have is None:
        return code
    left = [name for name in dict(model.named_children())
            if "self.%s(" % name in code]
    for name in FOLDED:
        if name in left:
            return "%s is still there" % name
    for name in ("after_twice", "batch", "not_last"):
        if name not in left:
            return "%s was folded" % name
    if not distance(have, want) <= tolerance:
        return "off by %.1e" % distance(have, want)
    return None


def main():
    failed = 0
    names = sys.argv[2:] or FEW
    if names == ["all"]:
        seeded.zoo.declare_operators()
        names = [name for name in seeded.zoo.all_names()
                 if any(isinstance(module, (torch.nn.BatchNorm2d,
                                            torch.nn.BatchNorm3d))
                        for module in seeded.zoo.build(name).modules())]
    with tempfile.TemporaryDirectory() as folder:
        for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-5)):
            wrong = check_mixed(sys.argv[1], folder, dtype, tolerance)
            print("mixed in %s: %s" % (dtype, wrong or "right"))
            failed += wrong is not None
        for name in names:
            wrong = check(sys.argv[1], name, folder)
            if wrong:
                print("%s: %s" % (name, wrong), flush=True)
            failed += wrong is not None
    print("%d models, %d wrong" % (len(names), failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
