"""Calls that a model makes under autocast, as calls on values of the dtypes that
autocast casts them to.

A graph keeps no modes, so the casts are nodes in it.  Which dtype an operation
takes differs between versions of torch, and is found out: the call is made once
more without autocast, on what it was given, on that in the lower dtype and in
float32, and what gives the same bits is what autocast did.  A layer of torch's
whose parameters are cast too is recorded by the functions that it calls; what
is cast somewhere within is one node, and Python runs it under autocast.
"""
import contextlib
import os

import torch

from fxdb import _capture, _check, _frame, _gradients, _weights
from fxdb._numbers import Entry


def dtype_on(device):
    """What autocast casts to on the type DEVICE, or None where it is off."""
    try:
        is_on, dtype = _gradients.autocast(device)
    except RuntimeError:  # a device that has none
        return None
    return dtype if is_on else None


@contextlib.contextmanager
def entered():
    """Gives a list, which gets the "file:line" of what enters autocast within:
    a symbolic trace drops it, as torch.fx does."""
    kind, places = torch.autocast, []
    enter = kind.__enter__

    def noted(self):
        if getattr(self, "_enabled", True):
            frame = _frame.model_frame()
            file = os.path.basename(frame.f_code.co_filename)
            # A function that is decorated has no line for it.
            places.append("" if file[:1] == "<" else
                          "%s:%d" % (file, frame.f_lineno))
        return enter(self)
    kind.__enter__ = noted
    try:
        yield places
    finally:
        kind.__enter__ = enter


def remark(places):
    """What a person is told where autocast was entered at PLACES."""
    found = ", ".join(filter(None, dict.fromkeys(places)))
    return "autocast%s is not in the graph, as torch.fx has none of it: " \
        "--example records what it casts" % (found and " at " + found)


class Under:
    """FUNCTION as a target that is called under autocast, as MODE says; KEY has
    what tells it apart."""

    def __init__(self, function, mode, key=None):
        self.function, self.mode = function, mode
        self.key = key or function, *mode
        self.__name__ = self.__qualname__ = function.__name__
        self.__module__ = "whole"

    def __call__(self, *args, **kwargs):
        with torch.autocast(self.mode[0], self.mode[1]):
            return self.function(*args, **kwargs)


class Call:
    """A call under autocast that is about to be made, on GIVEN, its arguments,
    and OWN, parameters and buffers."""

    def __init__(self, given, own, device, dtype):
        self.given, self.device, self.dtype = given, device, dtype
        self.random = torch.get_rng_state()
        self.versions = [(tensor, _version(tensor)) for tensor in _tensors(
            given)]
        self.saved = [(tensor, tensor.clone()) for tensor in own]

    def _is_written(self):
        return any(_version(tensor) != version
                   for tensor, version in self.versions)

    def go_back(self):
        """All is as it was before the call."""
        torch.set_rng_state(self.random)
        for tensor, saved in self.saved:
            if not _weights.is_same(tensor, saved):
                tensor.detach().copy_(saved)

    def casts(self, function, result):
        """(dtype,) where FUNCTION, without autocast and on arguments in that
        dtype, or as they are for None, gives RESULT, which it gave under it;
        () where it gives that for none.  What writes into what it is given is
        not cast."""
        if self._is_written() or any(result is tensor for tensor, _ in
                                     self.versions):
            return None,
        after = torch.get_rng_state()
        try:
            with torch.autocast(self.device, enabled=False):
                return next(((dtype,) for dtype in (
                    None, self.dtype, torch.float32)
                    if self._gives(function, dtype, result)), ())
        finally:
            self.go_back()
            torch.set_rng_state(after)

    def _gives(self, function, dtype, result):
        self.go_back()
        args, kwargs = _check.map_items(
            lambda item: item.to(dtype) if is_cast(item, dtype) else item,
            self.given)
        with contextlib.suppress(Exception):
            return _is_same(result, function(*args, **kwargs))
        return False


def _tensors(value):
    return [leaf for leaf in _check.leaves(value)
            if isinstance(leaf, torch.Tensor)]


def _version(tensor):
    return 0 if tensor.is_inference() else tensor._version


def is_cast(item, dtype):
    """Whether autocast that casts to DTYPE casts ITEM."""
    return dtype is not None and isinstance(item, torch.Tensor) and \
        item.is_floating_point() and item.dtype not in (dtype, torch.float64)


def _is_same(want, got):
    """Whether all are of one kind, bit for bit."""
    want, got = _check.leaves(want), _check.leaves(got)
    return len(want) == len(got) and all(
        _weights.is_same(a, _weights.plain(b)) and a.dtype == b.dtype
        if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor)
        and not a.is_meta and not b.is_meta else
        type(a) is type(b) and getattr(a, "dtype", a) == getattr(b, "dtype", b)
        for a, b in zip(want, got))


@contextlib.contextmanager
def off():
    """Autocast is off within, which the program may have set."""
    with contextlib.ExitStack() as stack:
        for device in "cpu", "cuda":
            if dtype_on(device) is not None:
                stack.enter_context(torch.autocast(device, enabled=False))
        yield


@contextlib.contextmanager
def module_under(graph, path):
    """Autocast is on for a call of the module at PATH of GRAPH where it was when
    it was recorded."""
    mode = graph._kept.get("autocast", {}).get(path)
    with torch.autocast(*mode) if mode else contextlib.nullcontext():
        yield


def mode_for(given):
    """(device, dtype) of the autocast that is on for GIVEN, or None."""
    for device in {tensor.device.type for tensor in _tensors(given)
                   if tensor.is_floating_point()}:
        dtype = dtype_on(device)
        if dtype is not None:
            return device, dtype
    return None


def begin(args, kwargs, module=None):
    """The Call on ARGS and KWARGS, of MODULE or of a function, that is about to
    be made, if autocast is on for what it gets."""
    if not _gradients.is_autocast_on():
        return None
    own = list(module.parameters()) + list(module.buffers()) if module else []
    mode = mode_for((args, kwargs, own))
    return mode and Call((args, kwargs), own, *mode)


class Casts:
    """The casts that are nodes of the graph of RECORDER."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.made = {}  # (id of a parameter, dtype) -> it, its cast
        self.modules = {}  # paths of those that no casts are made for -> mode

    def cast(self, given, dtype):
        """GIVEN with what autocast casts to DTYPE cast by nodes; a parameter
        is, as autocast does, once."""
        def one(item):
            if not is_cast(item, dtype):
                return item
            key = id(item), dtype
            if key in self.made:
                return self.made[key][1]
            made = item.detach().to(dtype)
            self.recorder.name(made, Entry(proxy=_capture.record(
                "call_method", "to", (self.recorder.proxy(item), dtype), {})))
            if isinstance(item, torch.nn.Parameter):
                self.made[key] = item, made
            return made
        return _check.map_items(one, given)

    def leaf(self, module, path, args, kwargs):
        """(args, kwargs) for the node of a call of MODULE at PATH; None where
        autocast casts its parameters too, and it is recorded by what it calls.
        """
        recorder = self.recorder
        with recorder.working():
            call = begin(args, kwargs, module)
            if not type(module).__module__.startswith("torch.nn."):
                self._module(path, call and (call.device, call.dtype))
                return args, kwargs
            if not call:
                return args, kwargs
            with recorder.apart():
                found = call.casts(module, module(*args, **kwargs))
                call.go_back()
            return found and self.cast(call.given, found[0])

    def _module(self, path, mode):
        """The module at PATH is called as it is, under autocast as MODE says."""
        recorder = self.recorder
        if self.modules.setdefault(path, mode) != mode:
            recorder.note(True, "autocast, as in the first call of %s" % path)
        elif mode:
            recorder.wholes.say_autocast(path)

    def function(self, call, function, result):
        """(entry, args, kwargs) for the node of the CALL of FUNCTION, which gave
        RESULT: no entry where the node is made as without autocast."""
        found = call.casts(function, result)
        if found:
            return (None, *self.cast(call.given, found[0]))
        under = self.recorder.wholes.autocast(
            Under(function, (call.device, call.dtype)))
        args, kwargs = map(self.recorder.proxy, call.given)
        return (Entry(proxy=_capture.record("call_function", under, args,
                                            kwargs, None, True)), args, kwargs)
