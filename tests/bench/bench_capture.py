"""fxdb's tracer against torch.fx's, in one process: bare Tracer.trace and
symbolic_trace.  Ours records sources, scopes and configuration, as always.

A round is: torch.fx's two, then ours.  torch is patched once a process by us
and in each trace by torch.fx, so in a round ours traces twice: once right
after patching, when Python has forgotten where attributes of modules are
("first"), and once more ("fxdb").  Medians; the collector is off.
"""
import gc
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx

import fxdb
from fxdb import _capture

# torchvision's wheels for torch 2.x need its CUDA operators to be declared;
# the models' Python works without them.
if not torch.__version__.startswith("1."):
    library = torch.library.Library("torchvision", "DEF")
    for operator in ("nms", "qnms"):
        library.define(operator + "(Tensor dets, Tensor scores, "
                       "float iou_threshold) -> Tensor")

# torch 1.13, resnet50: at most these parts of torch.fx's times.
BARS = (1 / 8, 1 / 20)


def seconds(call):
    begin = time.perf_counter()
    result = call()
    taken = time.perf_counter() - begin
    del result
    return taken


def patch():
    _capture.install()
    fxdb._installed = True


def unpatch():
    fxdb._installed = False
    _capture.uninstall()


def one_round(root):
    """Seconds of (fxdb, first, patching, Tracer, symbolic_trace)."""
    bare = seconds(lambda: torch.fx.Tracer().trace(root))
    full = seconds(lambda: torch.fx.symbolic_trace(root))
    patching = seconds(patch)
    first = seconds(lambda: fxdb.Tracer().trace(root))
    ours = seconds(lambda: fxdb.Tracer().trace(root))
    patching += seconds(unpatch)
    gc.collect()
    return ours, first, patching, bare, full


def measure(name, root, rounds):
    """Print a line; the ratios to torch.fx's two."""
    if rounds > 1:
        one_round(root)
    samples = [one_round(root) for _ in range(rounds)]
    ours, first, patching, bare, full = (
        1e3 * statistics.median(column) for column in zip(*samples))
    print("%-18s %9.3f %9.3f %9.3f %9.3f %9.3f   1/%-6.1f 1/%-6.1f" % (
        name, ours, first, patching, bare, full, bare / ours, full / ours),
        flush=True)
    return ours / bare, ours / full


def additions(x):
    for _ in range(10000):
        x = x + 1
    return x


def main():
    gc.disable()
    print("torch %s, Python %d.%d, milliseconds" % (
        torch.__version__, *sys.version_info[:2]))
    print("%-18s %9s %9s %9s %9s %9s   %-8s %-8s" % (
        "model", "fxdb", "first", "patching", "Tracer", "symbolic", "Tracer",
        "symbolic"))
    falls_short = False
    try:
        import torchvision
    except Exception as error:
        print("torchvision: %s; its models are left out" % error)
    else:
        for name in ("resnet50", "efficientnet_b7", "densenet201"):
            model = getattr(torchvision.models, name)().eval()
            ratios = measure(name, model, 25 if name == "resnet50" else 9)
            if name == "resnet50" and torch.__version__.startswith("1.13"):
                falls_short = any(
                    ratio > bar for ratio, bar in zip(ratios, BARS))
    measure("10,000 additions", additions, 1)
    if falls_short:
        print("FALLS SHORT: the bars are 1/8 and 1/20 on resnet50")
    return 1 if falls_short else 0


sys.exit(main())
