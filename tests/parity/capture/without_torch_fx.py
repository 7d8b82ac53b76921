"""fxdb's tracer never calls torch.fx: with its classes replaced by ones that
raise, every small model still traces.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx
import torch.fx._symbolic_trace
import torch.fx.graph
import torch.fx.node
import torch.fx.proxy

import small_models


class Forbidden:
    def __init__(self, *args, **kwargs):
        raise AssertionError("torch.fx was called")


for module in (torch.fx, torch.fx.graph, torch.fx.node, torch.fx.proxy,
               torch.fx._symbolic_trace):
    for name in ("Graph", "Node", "Proxy", "Tracer"):
        if hasattr(module, name):
            setattr(module, name, Forbidden)

import fxdb  # noqa: E402  after the replacement


def main():
    failed = 0
    cases = small_models.cases()
    for rule, make, options in cases:
        try:
            hooks = options.get("tracer", lambda base: base)
            graph = hooks(fxdb.Tracer)().trace(
                make(), options.get("concrete_args"))
            assert graph.nodes[-1].op == "output"
        except Exception as error:
            failed += 1
            print("FAIL %s: %s: %s" % (rule, type(error).__name__, error))
    print("%d passed, %d failed" % (len(cases) - failed, failed))
    return 1 if failed else 0


sys.exit(main())
