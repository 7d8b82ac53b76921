"""Which calls of a recorded model were made without gradients that they would
have had: a recording itself runs without any, and its graph keeps no modes.
"""
import contextlib

import torch

_OFF = torch.no_grad, torch.inference_mode


class Gradients:
    """What RECORDER's model does with gradients."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.depth = 0  # of regions without
        self.having = set()  # ids of tensors that have some, as far as seen

    def call(self, result, given):
        """A call gave RESULT for GIVEN, values and modules."""
        if not any(map(self._has, given)):
            return
        if self.depth:
            self.recorder.note(False, "gradients, which the graph does not "
                               "leave out")
        else:
            self.having.update(id(leaf) for leaf in _tensors(result)
                               if leaf.is_floating_point() or leaf.is_complex())

    def _has(self, value):
        if isinstance(value, torch.nn.Module):
            return any(each.requires_grad for each in value.parameters())
        return any(leaf.requires_grad or id(leaf) in self.having
                   for leaf in _tensors(value))

    @contextlib.contextmanager
    def regions_seen(self):
        """Regions of the model's that leave gradients out are counted."""
        before = [(kind, kind.__enter__, kind.__exit__) for kind in _OFF]

        def enter(was):
            def entered(region):
                self.depth += self.recorder.listens()
                region._fxdb_counts = self.recorder.listens()
                return was(region)
            return entered

        def leave(was):
            def left(region, *error):
                self.depth -= getattr(region, "_fxdb_counts", False)
                return was(region, *error)
            return left
        for kind, entered, left in before:
            kind.__enter__, kind.__exit__ = enter(entered), leave(left)
        try:
            yield
        finally:
            for kind, entered, left in before:
                kind.__enter__, kind.__exit__ = entered, left


def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return []
    return [leaf for item in value for leaf in _tensors(item)]
