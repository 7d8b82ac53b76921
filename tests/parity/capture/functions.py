"""Every function that torch lets be overridden, called with proxies and with a
constant beside them: recorded as torch.fx records it, or refused by both.
"""
import inspect
import os
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx
from torch.overrides import get_testing_overrides

from compare import describe
import fxdb  # noqa: E402  after the oracle, which it must not need


def required(dummy):
    """How many arguments must be given, by the signature torch documents."""
    try:
        parameters = inspect.signature(dummy).parameters.values()
    except (TypeError, ValueError):
        return 1
    return len([p for p in parameters if p.default is p.empty and p.kind in
                (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)])


def roots(function, count):
    """Functions to trace: all arguments traced, the first, the last."""
    yield lambda a, b: function(*[a, b, a, b, a, b, a, b, a, b, a, b, a, b, a,
                                  b, a, b][:count])
    if count > 1:
        yield lambda a, b: function(a, *[2] * (count - 1))
        yield lambda a, b: function(*[torch.ones(2)] * (count - 1), b)
        yield lambda a, b: function([a, b], *[a] * (count - 1))


def outcome(tracer, root):
    """What a trace gives, as text; an error by its class alone, as the
    sentences are our own."""
    try:
        graph = tracer.trace(root)
        return [describe(node) for node in graph.nodes]
    except Exception as error:
        return type(error).__name__


def main():
    warnings.simplefilter("ignore")
    equal = refused = failed = 0
    for function, dummy in get_testing_overrides().items():
        name = getattr(function, "__name__", str(function))
        for root in roots(function, max(required(dummy), 1)):
            ours = outcome(fxdb.Tracer(), root)
            theirs = outcome(torch.fx.Tracer(), root)
            if ours != theirs:
                failed += 1
                print("FAIL %s.%s\n  ours   %s\n  theirs %s" % (
                    getattr(function, "__module__", ""), name, ours, theirs))
            elif isinstance(ours, str):
                refused += 1
            else:
                equal += 1
    print("%d equal, %d refused by both" % (equal, refused))
    print("%d passed, %d failed" % (equal + refused, failed))
    return 1 if failed or not equal else 0


sys.exit(main())
