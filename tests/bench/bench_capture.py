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
sys.path.insert(0, os.path.join(os.environ["FXDB_SRCDIR"], "tests/parity"))

import torch
import torch.fx

import fxdb
import zoo
from fxdb import _capture

zoo.declare_operators()

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


def measure(name, root, rounds, bars=(0, 0)):
    """Print a row; whether the ratios to torch.fx's two keep the bars."""
    if rounds > 1:
        one_round(root)
    samples = [one_round(root) for _ in range(rounds)]
    ours, first, patching, bare, full = (
        1e3 * statistics.median(column) for column in zip(*samples))
    over = any(bars) and (ours > bars[0] * bare or ours > bars[1] * full)
    print("trace %s, torch %s\t%.2f ms (first %.2f, patching %.2f), "
          "1/%.1f and 1/%.1f%s\t%s\tTracer.trace %.1f ms, symbolic_trace "
          "%.1f ms" % (
              name, torch.__version__, ours, first, patching, bare / ours,
              full / ours, "  OVER" if over else "",
              "1/%.0f, 1/%.0f" % (1 / bars[0], 1 / bars[1]) if any(bars)
              else "", bare, full), flush=True)
    return not over


def additions(x):
    for _ in range(10000):
        x = x + 1
    return x


def main():
    gc.disable()
    good = True
    try:
        import torchvision
    except Exception as error:
        print("trace torchvision's models, torch %s\tnot measured\t\t%s" % (
            torch.__version__, error))
    else:
        for name in ("resnet50", "efficientnet_b7", "densenet201"):
            model = getattr(torchvision.models, name)().eval()
            is_bound = name == "resnet50" and \
                torch.__version__.startswith("1.13")
            good &= measure(name, model, 25 if name == "resnet50" else 9,
                            BARS if is_bound else (0, 0))
    good &= measure("10,000 additions", additions, 1)
    return 0 if good else 1


sys.exit(main())
