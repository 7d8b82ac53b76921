"""What a torch-function mode does not see, told to the recorder all the same:
range() of a size, and of torch 1.13 an index that is one number, mask or tensor.
"""
import contextlib
import inspect
import operator
import sys

import torch

from fxdb._numbers import Number, plain_number, text_of

ITEMS = {"__getitem__": operator.getitem, "__setitem__": operator.setitem}


class _Range(type):
    """range() for the model's modules: C reads an int without asking it."""

    recorder = None

    def __call__(cls, *bounds):
        numbers = [bound for bound in bounds if isinstance(bound, Number)]
        if numbers:
            cls.recorder.note(
                tuple(map(plain_number, bounds)),
                tests=[(text_of(bound), bound.value) for bound in numbers])
        return range(*map(plain_number, bounds))

    def __instancecheck__(cls, thing):
        return isinstance(thing, range)


@contextlib.contextmanager
def ranges_seen(recorder, functions):
    """What FUNCTIONS call range is told to RECORDER."""
    seen = _Range("range", (), {"recorder": recorder})
    places = {id(names): names for names in
              (getattr(function, "__globals__", {}) for function in functions)
              if names and "range" not in names and
              "/torch/" not in names.get("__file__", "/torch/")}
    for names in places.values():
        names["range"] = seen
    try:
        yield
    finally:
        for names in places.values():
            names.pop("range", None)


@contextlib.contextmanager
def items_seen(recorder):
    """torch 1.13's mode does not see an index that is one number, mask or
    tensor, nor a tensor that is set there."""
    if not torch.__version__.startswith("1."):
        yield
        return

    def told(before):
        def item(*args):
            if not recorder.is_on:
                return before(*args)
            return recorder.__torch_function__(before, (), args)
        return item
    before = {name: getattr(torch.Tensor, name) for name in ITEMS}
    for name in before:
        setattr(torch.Tensor, name, told(before[name]))
    try:
        yield
    finally:
        for name in before:
            setattr(torch.Tensor, name, before[name])


def not_compiled():
    """What torch.compile gave runs as what it was given here."""
    stance = getattr(getattr(torch, "compiler", None), "set_stance", None)
    return stance("force_eager") if stance and "torch._dynamo" in sys.modules \
        else contextlib.nullcontext()


def functions(root):
    """What runs when ROOT is called, as far as its modules say."""
    if not isinstance(root, torch.nn.Module):
        return [inspect.unwrap(root)]
    found = []
    for module in root.modules():
        if not isinstance(module, torch.jit.ScriptModule):
            found += [type(module).forward, type(module).__call__,
                      *filter(None, [vars(module).get("forward")]),
                      *module._forward_pre_hooks.values(),
                      *module._forward_hooks.values()]
    return [inspect.unwrap(function) for function in found]
