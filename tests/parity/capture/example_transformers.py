"""Recorded runs of small Hugging Face models, none of which a symbolic trace
follows: eager's results on other values, and on other sizes; and once more with
a second recording of other sizes (_vary.py).  transformers 5, configurations
alone: nothing is downloaded.
"""
import os
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch

from hugging import MODELS, build, ids, transformers

import fxdb  # noqa: E402
from fxdb import _check, _example, _vary, _weights  # noqa: E402

# Loops over the length: the graph is right for the one recorded, and says so.
FIXED = {"MambaModel"}
# Pads its input where the window does not divide the length.
PADS = {"LongformerModel"}


def compare(row):
    _, name, _, inputs = row
    model = build(row)
    tracer = fxdb.Tracer()
    graph, _ = _example.record(tracer, model, inputs)
    checked = _check.check(model, tracer, graph, inputs, 1)
    if checked["difference"] != 0.0:
        return "off by %s on other values" % checked["difference"]
    if bool(checked["sizes"]) != (name in FIXED | PADS):
        return "of other sizes: %r" % checked["sizes"]
    varied = _vary.record(tracer, model, inputs, of_other_sizes(inputs),
                          _weights.tensors_of(model))
    if bool(varied.problem) != (name in FIXED):
        return "varied: %s" % varied.problem
    checked = _check.check(model, tracer, varied.graph, inputs, 1,
                           others=varied.others)
    if checked["difference"] != 0.0 or \
            name not in FIXED and checked["sizes"] != "":
        return "varied: %r" % checked
    return None


# Lengths; of images and the like, their number alone.
LONGER = {(2, 7): (3, 11), (2, 5): (3, 9), (1, 5): (2, 9), (1, 400): (2, 560)}


def of_other_sizes(inputs):
    def other(value):
        if not isinstance(value, torch.Tensor):
            return value
        shape = tuple(value.shape)
        shape = LONGER.get(shape, (shape[0] + 1, *shape[1:]))
        return torch.randn(shape) if value.is_floating_point() \
            else ids(*shape)
    return {name: other(value) for name, value in inputs.items()}


def main():
    good = 0
    for row in MODELS:
        if not hasattr(transformers, row[1]):
            print("transformers has no %s" % row[1])
            continue
        try:
            wrong = compare(row)
        except Exception as error:
            wrong = "%s: %s" % (type(error).__name__, error)
        good += not wrong
        if wrong:
            print("%s: %s" % (row[1], wrong))
    print("%d of %d" % (good, len(MODELS)))
    sys.exit(good != len(MODELS))


main()
