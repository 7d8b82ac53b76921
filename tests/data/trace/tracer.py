"""Tracers of our own, for --tracer."""
from torch import nn

import fxdb


class Whole(fxdb.Tracer):
    """Keeps every Sequential whole."""

    def is_leaf_module(self, module, path):
        return isinstance(module, nn.Sequential) or \
            super().is_leaf_module(module, path)


class Raises(fxdb.Tracer):
    def is_leaf_module(self, module, path):
        return module.no_such_attribute


class GivesNothing(fxdb.Tracer):
    def trace(self, root, concrete_args=None):
        super().trace(root, concrete_args)
