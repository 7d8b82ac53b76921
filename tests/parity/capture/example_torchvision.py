"""Recorded runs of torchvision's models beside their symbolic traces: the same
calls in the same order, and eager's results on other values and sizes.  What
may differ is how sizes are computed, where a parameter is read, and that
x += y is in place, which no symbolic trace sees.

usage: example_torchvision.py [NAME...]
"""
import os
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch

import zoo

zoo.declare_operators()
import torchvision  # noqa: E402, F401

import fxdb  # noqa: E402
from fxdb import _check, _example  # noqa: E402

NAMES = ["resnet18", "mobilenet_v3_small", "shufflenet_v2_x0_5",
         "squeezenet1_1", "efficientnet_b0", "swin_t"]
SIZES = {"getattr", "getitem", "size", "floordiv", "mod", "eq", "_assert"}
IN_PLACE = {"iadd": "add", "imul": "mul"}


def calls(graph):
    found = []
    for node in graph.nodes:
        target = node.target if isinstance(node.target, str) else \
            node.target.__name__
        if node.op.startswith("call_") and target not in SIZES:
            target = IN_PLACE.get(target, target)
            found.append((target, node.name) if node.op == "call_module"
                         else (target,))
    return found


def compare(name):
    torch.manual_seed(0)
    model = zoo.vary(zoo.build(name))
    inputs = {fxdb.inputs(model)[0]: torch.randn(1, 3, 64, 64)}
    tracer = fxdb.Tracer()
    graph, recorder = _example.record(tracer, model, inputs)
    checked = _check.check(model, tracer, graph, inputs, 1)
    if checked != {"difference": 0.0, "sizes": ""}:
        return "beside eager: %s" % checked
    if recorder.notes:
        return "specialisations: %s" % recorder.notes
    traced = calls(fxdb.Tracer().trace(model))
    recorded = calls(graph)
    for a, b in zip(traced, recorded):
        if a != b:
            return "traced %s, recorded %s" % (a, b)
    return None if len(traced) == len(recorded) else "%d calls, not %d" % (
        len(recorded), len(traced))


def main():
    failed = False
    for name in sys.argv[1:] or NAMES:
        wrong = compare(name)
        failed |= bool(wrong)
        if wrong:
            print("%s: %s" % (name, wrong))
    # One that torch.fx refuses: it looks at sizes and loops over them.
    model = torchvision.models.optical_flow.raft_small(weights=None).eval()
    images = {"image1": torch.rand(1, 3, 128, 128),
              "image2": torch.rand(1, 3, 128, 128)}
    tracer = fxdb.Tracer()
    graph, recorder = _example.record(tracer, model, images)
    checked = _check.check(model, tracer, graph, images, 1)
    if checked["difference"] != 0.0 or not recorder.notes:
        print("raft_small: %s, %d notes" % (checked, len(recorder.notes)))
        failed = True
    sys.exit(failed)


main()
