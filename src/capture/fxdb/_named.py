"""Tuples with names: fxdb has them as tuples, and Python gets back what it gave.

They are found by the number of the first tensor in them.
"""
import torch

# Plain values that are the same when fxdb gives them back.
_SAME = (bool, int, str, type(None))


def is_open(value, with_own):
    """Whether fxdb is told what is in VALUE: in what torch.max and the like
    give, and WITH_OWN in named tuples of the user's, of tensors and of what
    comes back as it was."""
    kind = type(value)
    if kind.__module__ == "torch.return_types":
        return True
    return with_own and isinstance(value, tuple) and \
        hasattr(kind, "_fields") and kind.__iter__ is tuple.__iter__ and \
        any(isinstance(item, torch.Tensor) for item in value) and \
        all(isinstance(item, torch.Tensor) or type(item) in _SAME
            for item in value)


def _number(data):
    """The number of the first in DATA, of fxdb's, that stays here, or None."""
    return next((item["h"] for item in data
                 if isinstance(item, dict) and "h" in item), None)


def keep(table, items, value):
    """Note in TABLE that VALUE is what fxdb is told as ITEMS."""
    number = _number(items)
    if number:
        table[number] = value


def given(table, data, items):
    """The tuple of ITEMS, which DATA sent: that which Python gave where it is
    one with names."""
    found = table.get(_number(data), ())
    is_it = len(found) == len(items) and all(
        a is b or type(a) is type(b) and type(a) in _SAME and a == b
        for a, b in zip(found, items))
    return found if is_it else tuple(items)
