"""What of the state of torch a recorded model changes while it runs, and asks
for: whether there are gradients, and autocast.  A recording itself runs without
gradients, and its graph keeps neither; what calls an edited graph does
(_edited.py).
"""
import contextlib
import functools
import inspect
import re

import torch

from fxdb import _frame, _report, _weights

_BACKWARD = torch.Tensor.backward, torch.autograd.grad, torch.autograd.backward
_REGIONS = torch.no_grad, torch.enable_grad, torch.inference_mode, \
    torch.set_grad_enabled
# What tells the state of torch.
_ASKING = "is_grad_enabled", "is_inference_mode_enabled", \
    "is_autocast_enabled", "is_autocast_cpu_enabled", "get_autocast_dtype", \
    "get_autocast_cpu_dtype", "get_autocast_gpu_dtype", "get_default_dtype"
# As torch has it, whatever a recording has in its place.
_TOLD = {name: getattr(torch, name) for name in _ASKING if hasattr(torch, name)}
_is_inference = _TOLD["is_inference_mode_enabled"]
# Of a value with gradients these give one without.
_gives_without = functools.lru_cache(None)(
    re.compile(r"detach_?|new_\w+|\w+_like").fullmatch)


def autocast(kind):
    """Whether autocast is on for devices of KIND, and its dtype.  RuntimeError
    for one that has none."""
    try:
        return (_TOLD["is_autocast_enabled"](kind),
                _TOLD["get_autocast_dtype"](kind))
    except (KeyError, TypeError):  # torch 1.13
        if kind == "cpu":
            return (torch.is_autocast_cpu_enabled(),
                    torch.get_autocast_cpu_dtype())
        return (kind == "cuda" and _TOLD["is_autocast_enabled"](),
                torch.get_autocast_gpu_dtype())


def is_autocast_on():
    """Whether autocast is on for some device."""
    told = getattr(torch._C, "_is_any_autocast_enabled", None)
    return told() if told else _TOLD["is_autocast_enabled"]() or \
        _TOLD["is_autocast_cpu_enabled"]()


def refuse(function):
    """FUNCTION is called: it computes no gradients, or this raises."""
    if function in _BACKWARD:
        raise _report.NotRecorded(
            "gradients are computed here, and a recording has none",
            "record the part that gives what they are of, as FILE.py:Net().part;"
            " a submodule that computes them under torch.enable_grad() is one "
            "node with --leaf CLASS")


def _now():
    """The gradients that a call has: True, False, or "inference"."""
    return "inference" if _is_inference() \
        else torch.is_grad_enabled()


class Gradients:
    """What RECORDER's model does with gradients."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.before = self.mode = _now()
        self.kinds = ["cpu"] + ["cuda"] * torch.cuda.is_available()
        self.states = []  # (how many nodes there were, the state from there)
        self.functions = []  # names of those with a backward of their own
        self.is_asked = False  # whether there are any
        self.is_fixed = False  # regions that begin change nothing
        self.having = set()  # ids of tensors that have some, as far as seen
        self.note_state()

    def note_state(self):
        """A call is made in the state that there is now."""
        state = self.mode, *map(autocast, self.kinds)
        if not self.states:
            self.states.append((0, state))
        elif state != self.states[-1][1]:
            self.states.append((self.recorder.count(), state))

    def states_of(self, graph):
        """{name of a node of GRAPH: (mode, autocast of each kind)}, and the
        state that the recording began in.  Autocast is on for calls of modules
        alone whose casts are not nodes."""
        found, at, start = {}, 0, self.states[0][1]
        off = [(False, dtype) for _, dtype in start[1:]]
        for i, node in enumerate(graph.nodes):
            while at + 1 < len(self.states) and self.states[at + 1][0] <= i:
                at += 1
            mode, *casts = self.states[at][1]
            is_cast = node.op == "call_module" and \
                self.recorder.casts.modules.get(node.target)
            found[node.name] = mode, *(casts if is_cast else off)
        return found, start

    def call(self, result, given, name=""):
        """A call of NAME gave RESULT for GIVEN, values and modules."""
        if name == "detach_":
            self.having.discard(id(result))
        if not any(map(self._has, given)) or _gives_without(name):
            return
        if self.mode is not True:
            if self.before is True:
                self.recorder.note(False, "gradients, which the graph does not "
                                   "leave out")
        elif not _is_inference():
            self.having.update(id(leaf) for leaf in _tensors(result)
                               if leaf.is_floating_point() or leaf.is_complex())

    def _has(self, value):
        if isinstance(value, torch.Tensor):
            return id(value) in self.having or value.requires_grad
        if isinstance(value, torch.nn.Module):
            return any(each is not None and each.requires_grad
                       for module in _weights.modules_of(value)
                       for each in module._parameters.values())
        if isinstance(value, dict):
            value = value.values()
        elif not isinstance(value, (tuple, list)):
            return False
        return any(map(self._has, value))

    def asked(self):
        """The gradients at the start, where the model asked for them."""
        return self.before if self.is_asked else None

    def attribute(self, name, tensor, result):
        """What the model hears of the attribute NAME of TENSOR, which is RESULT
        in the recording."""
        if name not in ("requires_grad", "is_leaf", "grad_fn"):
            if isinstance(result, torch.Tensor):
                self.call(result, (tensor,), "detach" if name in (
                    "data", "grad") else name)
            return result
        has = id(tensor) in self.having
        if name == "grad_fn":
            if has:
                self.recorder.note(None, "grad_fn, which a recording has none "
                                   "of")
            return result
        result = has or result if name == "requires_grad" else \
            result and not has
        if _frame.is_model_asking(2):
            self.recorder.note(result)
            self.is_asked = True
        return result

    @contextlib.contextmanager
    def questions_seen(self, functions):
        """The model hears of the state of torch what it does without a
        recording; FUNCTIONS are what runs, which may have imported what
        tells it."""
        def answer(name, told, *args):
            result = told(*args)
            if self.recorder.listens() and _frame.is_model_asking(2):
                if name == "is_grad_enabled":
                    result, self.is_asked = self.mode is True, True
                self.recorder.note(result)
            return result
        seen = {name: functools.wraps(function)(
            lambda *args, name=name: answer(name, _TOLD[name], *args))
            for name, function in _TOLD.items()}
        # (names, name there, name in torch), also of what is imported.
        name_of = {id(function): name for name, function in _TOLD.items()}
        everywhere = {id(names): names for names in (
            vars(torch), *(getattr(function, "__globals__", {})
                           for function in functions))}
        places = [(names, key, name_of[id(value)])
                  for names in everywhere.values()
                  for key, value in names.items() if id(value) in name_of]
        for names, key, name in places:
            names[key] = seen[name]
        try:
            yield
        finally:
            for names, key, name in places:
                names[key] = _TOLD[name]

    def _applied(self, function, apply, args, kwargs):
        """What APPLY gives, of FUNCTION of autograd: in the recording of a
        program's call one node where it has gradients, else the calls of its
        forward alone."""
        recorder = self.recorder
        if function.__module__.startswith("torch."):
            # That of torch.utils.checkpoint: its calls have gradients, later.
            self.is_fixed, before = True, self.is_fixed
            try:
                return apply(*args, **kwargs)
            finally:
                self.is_fixed = before
        if self.mode is True and recorder.listens() and \
                any(map(self._has, args)):
            if recorder.is_of_program and not _writes(function) and \
                    recorder.holds((args, kwargs)):
                return recorder.wrapped(recorder.wholes.applied(
                    function, apply), args, kwargs)
            self.functions.append(function.__name__)
            recorder.note(function.__name__, "a backward of its own, which "
                          "the graph does not have")
        return apply(*args, **kwargs)

    @contextlib.contextmanager
    def functions_seen(self):
        """Functions of autograd's that the model calls are known."""
        kind, own = torch.autograd.Function, vars(torch.autograd.Function)
        before = inspect.getattr_static(kind, "apply")
        is_own = "apply" in own  # in torch 1.13 its base has it

        def apply(function, *args, **kwargs):
            return self._applied(function, before.__get__(None, function),
                                 args, kwargs)
        kind.apply = classmethod(apply)
        try:
            yield
        finally:
            if is_own:
                kind.apply = before
            else:
                del kind.apply

    def _change(self, region, mode):
        """REGION begins, which has MODE, and knows what was there before."""
        if self.recorder.listens() and not self.is_fixed:
            region.__dict__.setdefault("_fxdb_before", self.mode)
            self.mode = mode

    @contextlib.contextmanager
    def regions_seen(self):
        """Regions of the model's that have other gradients are known."""
        before = [(kind, name, vars(kind)[name]) for kind in _REGIONS
                  for name in ("__init__", "__enter__", "__exit__")
                  if name in vars(kind)]

        def made(was):
            def begun(region, mode):
                self._change(region, bool(mode))
                return was(region, mode)
            return begun

        def enter(was):
            def entered(region):
                self._change(region, _mode_of(region))
                return was(region)
            return entered

        def leave(was):
            def left(region, *error):
                mode = region.__dict__.pop("_fxdb_before", self.mode)
                was(region, *error)  # which may make a region that stays
                self.mode = mode
            return left
        wraps = {"__init__": made, "__enter__": enter, "__exit__": leave}
        for kind, name, was in before:
            # (Only set_grad_enabled changes what there is when it is made.)
            if name != "__init__" or kind is torch.set_grad_enabled:
                setattr(kind, name, wraps[name](was))
        try:
            yield
        finally:
            for kind, name, was in before:
                setattr(kind, name, was)


def _writes(function):
    """Whether FUNCTION, of autograd, says that it writes what it is given."""
    return any("mark_dirty" in code.co_names for code in (
        getattr(method, "__code__", None) for method in (
            function.forward, getattr(function, "setup_context", None)))
        if code)


def _mode_of(region):
    if isinstance(region, torch.inference_mode):
        return "inference" if region.mode else True
    return getattr(region, "mode", isinstance(region, torch.enable_grad))


def _tensors(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return []
    return [leaf for item in value for leaf in _tensors(item)]
