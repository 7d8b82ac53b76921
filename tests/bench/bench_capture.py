"""fxdb's tracer against torch.fx's, in one process: bare Tracer.trace and
symbolic_trace.  Ours records sources, scopes and configuration, as always.
Patching is done once a process and shown apart.  Medians of alternating runs.
"""
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx

import fxdb
from fxdb import _capture


def seconds(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def medians(calls, rounds):
    """Medians in milliseconds of the CALLS, run in turn."""
    samples = [[] for _ in calls]
    for _ in range(rounds + 1):
        for sample, call in zip(samples, calls):
            sample.append(seconds(call))
    return [1e3 * statistics.median(sample[1:]) for sample in samples]


def patched(call):
    _capture.install()
    fxdb._installed = True
    try:
        return call()
    finally:
        fxdb._installed = False
        _capture.uninstall()


def ours(root):
    return lambda: patched(lambda: timed(root))


def timed(root):
    begin = time.perf_counter()
    fxdb.Tracer().trace(root)
    timed.samples.append(time.perf_counter() - begin)


def measure(name, root, rounds):
    timed.samples = []
    bare, full, whole = medians(
        [lambda: torch.fx.Tracer().trace(root),
         lambda: torch.fx.symbolic_trace(root), ours(root)], rounds)
    inner = 1e3 * statistics.median(timed.samples[1:])
    print("%-18s %9.3f %9.3f %9.3f %9.3f   1/%-6.1f 1/%-6.1f" % (
        name, inner, whole - inner, bare, full, bare / inner, full / inner))


def additions(x):
    for _ in range(10000):
        x = x + 1
    return x


def main():
    print("torch %s, Python %d.%d, milliseconds" % (
        torch.__version__, *sys.version_info[:2]))
    print("%-18s %9s %9s %9s %9s   %-8s %-8s" % (
        "model", "fxdb", "patching", "Tracer", "symbolic", "Tracer",
        "symbolic"))
    try:
        import torchvision
    except Exception as error:
        print("torchvision: %s; its models are left out" % error)
    else:
        for name in ("resnet50", "efficientnet_b7", "densenet201"):
            model = getattr(torchvision.models, name)().eval()
            measure(name, model, 15 if name == "resnet50" else 7)
    measure("10,000 additions", additions, 1)


main()
