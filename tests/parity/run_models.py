#!/usr/bin/env python3
"""Run models in fxdb and in eager PyTorch of the same libtorch.

usage: run_models.py RUN_GRAPH [MODEL... | own | all | large]

Each is traced by torch.fx, written as .fxg with its weights, run by RUN_GRAPH
without Python, and compared with what the module itself gives: equal bits, or
1e-5 relative to the largest value.  all: torchvision's models below 30 million
parameters; large: all of them.
"""
import copy
import os
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch
import torch.fx

import export_fxg
import models
import oracle                                   # repairs torch.fx 1.13
import run_own
import threads
import zoo

warnings.simplefilter("ignore")
FEW = ["resnet18", "mobilenet_v3_small", "shufflenet_v2_x0_5", "squeezenet1_1"]
LARGE = 30_000_000


def whole_models():
    try:
        return models.names()
    except (ImportError, RuntimeError):         # a torchvision that is broken
        return []


def input_shape(name):
    return [1] + models.input_shape(name)[1:]


def make(name):
    """The model in eval mode, and inputs for it."""
    torch.manual_seed(7)
    if name in run_own.MODELS:
        module, inputs = run_own.MODELS[name]()
        return module, inputs
    module = zoo.vary(models.build(name))
    for parameter in module.parameters():       # zeros would hide the rest
        if parameter.dim() > 1 and not parameter.any():
            torch.nn.init.normal_(parameter, 0, 0.02)
    return module, [torch.randn(input_shape(name))]


def leaves(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    if isinstance(value, (tuple, list)) or hasattr(value, "__iter__"):
        return [leaf for one in value for leaf in leaves(one)]
    return []


def name_of(path):
    return os.path.basename(path).split(".")[0]


def compare(want, path):
    """An error text, or how they agree."""
    if not os.path.exists(path):
        return False, "no such output"
    have = numpy.load(path)
    want = want.detach().resolve_conj().numpy()
    if have.dtype != want.dtype or have.shape != want.shape:
        return False, "%s%s, not %s%s" % (have.dtype, list(have.shape),
                                          want.dtype, list(want.shape))
    if want.size > 1 and want.dtype.kind == "f" and \
            not numpy.isfinite(want).any():
        return False, "no finite number to compare"
    if want.size > 1 and name_of(path) not in run_own.MODELS and \
            not want.any():
        return False, "only zeros to compare"
    if have.tobytes() == want.tobytes():
        return True, "equal bits"
    if not have.size:
        return True, "empty"
    with numpy.errstate(invalid="ignore"):
        off = numpy.nanmax(numpy.abs(have.astype("complex128") - want))
        scale = max(numpy.nanmax(numpy.abs(want)), 1e-30)
    return bool(off / scale <= 1e-5), "off by %.1e" % (off / scale)


def prepare(name, folder, limit):
    """What RUN_GRAPH is given and what must come out, or a reason."""
    module, inputs = make(name)
    size = sum(p.numel() for p in module.parameters())
    if size > limit:
        return None, "left out: %d M parameters" % (size // 1000000)
    try:
        gm = torch.fx.symbolic_trace(module)
    except Exception as e:                      # not every model traces here
        return None, "not traced: %s" % str(e).split("\n")[0]
    place = os.path.join(folder, name)
    export_fxg.save(gm, place + ".fxg")
    words = [place + ".fxg", place + ".out"]
    for i, value in enumerate(inputs):
        words.append("%s.in.%d.npy" % (place, i))
        numpy.save(words[-1], value.numpy())
    torch.manual_seed(11)
    with torch.no_grad():
        want = leaves(copy.deepcopy(module)(
            *[value.clone() for value in inputs]))
    return words, want


def judge(words, want, errors):
    """Whether one model's outputs are right, and how right."""
    for line in errors:
        if line.startswith(words[0] + ": "):
            return False, line[len(words[0]) + 2:]
    said = []
    good = True
    for i, tensor in enumerate(want):
        ok, text = compare(tensor, "%s.%d.npy" % (words[1], i))
        good = good and ok
        said.append(text)
    return good, ", ".join(sorted(set(said)))


def check(program, names, limit):
    """Run NAMES in one process; how many are wrong."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        ready = {name: prepare(name, folder, limit) for name in names}
        given = [word for words, _ in ready.values() if words
                 for word in ["--"] + words][1:]
        out = subprocess.run([program] + given, capture_output=True,
                             text=True) if given else None
        for name, (words, want) in ready.items():
            good, text = judge(words, want, out.stderr.split("\n")) \
                if words else (None, want)
            print("%s%s: %s" % ("FAILED " if good is False else "", name,
                                text), flush=True)
            failed += good is False
        if out and out.returncode not in (0, 1):
            print("FAILED: status %d: %s" % (out.returncode, out.stderr))
            failed += 1
    return failed


def main():
    program = sys.argv[1]
    names = sys.argv[2:] or ["own"] + FEW
    limit = LARGE if "all" in names else float("inf")
    known = whole_models()
    names = [one for name in names
             for one in (known if name in ("all", "large")
                         else run_own.MODELS if name == "own" else [name])
             if one in run_own.MODELS or one in known]
    threads.as_fxdb()
    own = [name for name in names if name in run_own.MODELS]
    failed = check(program, own, limit)
    for name in names:                          # a large file at a time
        if name not in own:
            failed += check(program, [name], limit)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
