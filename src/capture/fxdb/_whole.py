"""Calls that a recording does not see into, as one node each that Python runs:
function transforms (torch.func, vmap), scripted functions, and functions and
modules within which tensors come from elsewhere (numpy, C++ extensions).

Which they are is found while a model runs: the recording is then repeated, and
a profile function tells when one of them is called and what it gives.
"""
import contextlib
import dis
import inspect
import sys
import types

import torch

from fxdb import _autocast, _check, _frame, _report

_RETURNS = {"RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR"}
_NO_FUNCTIONS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | \
    inspect.CO_ASYNC_GENERATOR
_DEPTH = 6
_NOWHERE = "whole"  # the module of functions that no name leads to


class Again(BaseException):
    """More calls are to be whole: the recording begins anew."""


class Wholes:
    """What is recorded as one call: functions by their code, modules by their
    paths; with what is said of each."""

    def __init__(self):
        self.codes = {}
        self.paths = {}
        self.scripts = {}  # what is scripted is so anyhow
        # For who makes tensors that no recorded call made, where these are
        # no constants.
        self.searches = False

    def add(self, table, key, *remark):
        """Does not return, unless that was so already."""
        if key not in table:
            table[key] = list(remark)
            raise Again

    def remarks(self):
        return [*self.codes.values(), *self.paths.values(),
                *self.scripts.values()]

    def add_transform(self):
        """The transform that runs now; there is none that has no function."""
        frame, found = sys._getframe(1), None
        while frame:
            if "functorch/" in frame.f_code.co_filename:
                found = frame
            frame = frame.f_back
        if found is None:
            return
        place = found.f_back
        self.add(self.codes, found.f_code, place.f_code.co_filename,
                 place.f_lineno, _name(found.f_code),
                 "a function transform, which Python runs as one call")

    def add_maker(self, frame, path):
        """FRAME's function, or the module at PATH that it is of, gave a tensor
        that no recorded call made."""
        place = frame.f_code.co_filename, frame.f_code.co_firstlineno
        what = "makes tensors that no recording sees; Python runs it as one " \
            "call"
        if path:
            self.add(self.paths, path, *place, path, what)
        self.add(self.codes, frame.f_code, *place, _name(frame.f_code), what)


def is_wrapped(tensor):
    """Whether TENSOR exists in a transform of torch.func only."""
    ask = getattr(getattr(torch._C, "_functorch", None),
                  "is_functorch_wrapped_tensor", None)
    return bool(ask and ask(tensor))


def transforms():
    """Whether a function transform runs."""
    ask = getattr(getattr(torch._C, "_functorch", None),
                  "maybe_current_level", None)
    return bool(ask and ask() is not None) or \
        torch.autograd.forward_ad._current_level >= 0


def _is_function(frame):
    """Whether FRAME is of a function of the model's that gives what it returns.
    """
    code = frame.f_code
    return not code.co_flags & _NO_FUNCTIONS and (
        code.co_name[0] != "<" or code.co_name == "<lambda>") and \
        not _report.is_torch(code.co_filename) and \
        frame.f_globals.get("__package__") != "fxdb"


def _around(frame):
    """The frame of the innermost function around FRAME, or None."""
    while frame and not _is_function(frame):
        frame = frame.f_back
    return frame


def _has_returned(frame):
    """Whether FRAME ends with a value, and not by raising."""
    return dis.opname[frame.f_code.co_code[frame.f_lasti]] in _RETURNS


def _name(code):
    """"vmap" of "vmap.<locals>.wrapped"."""
    whole = getattr(code, "co_qualname", code.co_name)
    name = whole.partition(".<locals>")[0].rpartition(".")[2]
    return "call" if name == "<lambda>" else name


class Call:
    """The function of FRAME, which was called just now, as a target: ARGS are
    what the graph knows of what it got, tensors in what it closes over first;
    the rest is bound.
    """

    def __init__(self, frame, holds, knows):
        code, given = frame.f_code, frame.f_locals
        count = code.co_argcount
        named = code.co_varnames[count:count + code.co_kwonlyargcount]
        rest = code.co_varnames[count + len(named):]
        values = [given[name] for name in code.co_varnames[:count]]
        keywords = {name: given[name] for name in named}
        if code.co_flags & inspect.CO_VARARGS:
            values += given[rest[0]]
            rest = rest[1:]
        if code.co_flags & inspect.CO_VARKEYWORDS:
            keywords.update(given[rest[0]])
        self.__name__ = self.__qualname__ = _name(code)
        self.__module__ = frame.f_globals.get("__name__", "")
        self.is_found = getattr(frame.f_globals.get(code.co_name), "__code__",
                                None) is code
        if not self.is_found:
            self.__module__ = _NOWHERE
        self.code, self.globals = code, frame.f_globals
        self.free = [given.get(name) for name in code.co_freevars]
        self.closed = _closed(self.free, knows, {}, 0)
        self.values, self.keywords = values, keywords
        self.places = [i for i, value in enumerate(values) if holds(value)]
        self.words = [name for name in keywords if holds(keywords[name])]
        self.args = tuple(self.closed) + tuple(values[i] for i in self.places)
        self.kwargs = {name: keywords[name] for name in self.words}

    def key(self):
        """What is the same for calls of one function that bind nothing."""
        return self.code if self.is_found and len(self.places) == len(
            self.values) and len(self.words) == len(self.keywords) else self

    def __repr__(self):
        return "<%s.%s>" % (self.__module__, self.__name__)

    def __call__(self, *args, **kwargs):
        memo = dict(zip(map(id, self.closed), args))
        values = list(self.values)
        for i, value in zip(self.places, args[len(self.closed):]):
            values[i] = value
        return _function(self.code, self.globals, [
            _with(value, memo, 0) for value in self.free])(
                *values, **{**self.keywords, **kwargs})


def _function(code, names, free):
    return types.FunctionType(code, names, code.co_name, None,
                              tuple(map(types.CellType, free)))


def _contents(function):
    """What FUNCTION closes over."""
    return [cell.cell_contents for cell in function.__closure__ or ()
            if _is_full(cell)]


def _is_full(cell):
    try:
        cell.cell_contents
    except ValueError:
        return False
    return True


def _closed(values, knows, found, depth):
    """The tensors in VALUES, and in what functions there close over, that the
    recording KNOWS."""
    for value in values:
        if isinstance(value, torch.Tensor):
            if knows(value) and not isinstance(value, torch.nn.Parameter):
                found[id(value)] = value
        elif depth > _DEPTH:
            continue
        elif isinstance(value, types.FunctionType):
            _closed(_contents(value), knows, found, depth + 1)
        elif isinstance(value, (tuple, list)):
            _closed(value, knows, found, depth + 1)
        elif isinstance(value, dict):
            _closed(value.values(), knows, found, depth + 1)
    return list(found.values())


def _with(value, memo, depth):
    """VALUE with the tensors of MEMO, by id, in place of its own."""
    if id(value) in memo:
        return memo[id(value)]
    if not memo or depth > _DEPTH:
        return value
    if isinstance(value, types.FunctionType) and value.__closure__ and \
            all(map(_is_full, value.__closure__)):
        made = _function(value.__code__, value.__globals__, [
            _with(item, memo, depth + 1) for item in _contents(value)])
        made.__defaults__ = value.__defaults__
        made.__kwdefaults__ = value.__kwdefaults__
        return made
    if type(value) in (tuple, list):
        return type(value)(_with(item, memo, depth + 1) for item in value)
    if type(value) is dict:
        return {key: _with(item, memo, depth + 1)
                for key, item in value.items()}
    return value


class Scripted:
    """A torch.jit.ScriptFunction as a target, by the name that its module has
    for it, if any."""

    def __init__(self, function, call):
        self.function, self.call = function, call
        self.__name__ = self.__qualname__ = function.name
        module = function.qualified_name.rpartition(".")[0].partition(
            "__torch__.")[2]
        is_found = getattr(sys.modules.get(module), function.name,
                           None) is function
        self.__module__ = module if is_found else _NOWHERE

    def __call__(self, *args, **kwargs):
        return self.call(self.function, *args, **kwargs)


class Applied:
    """The torch.autograd.Function FUNCTION as a target, which APPLY calls."""

    __module__ = "whole"

    def __init__(self, function, apply):
        self.apply = apply
        self.__name__ = self.__qualname__ = function.__name__

    def __call__(self, *args, **kwargs):
        return self.apply(*args, **kwargs)


class Watch:
    """What RECORDER is told of calls that are one node: KNOWN has those that are
    known to be."""

    def __init__(self, recorder, known):
        self.recorder = recorder
        self.known = known
        self.open = None  # the frame of one that runs, and its Call
        self.makers = {}  # id of a tensor -> it, the frame that gave it
        self.targets = {}  # what tells targets apart -> the target
        self.names = {}  # of targets -> how many have it

    def has(self, path, module):
        """Whether MODULE at PATH is a leaf whatever the tracer says."""
        if isinstance(module, torch.jit.ScriptModule):
            self._say(path, "a ScriptModule, which Python runs as one call")
            return True
        return path in self.known.paths

    def _say(self, name, what):
        frame = _frame.model_frame()
        self.known.scripts.setdefault(name, [
            frame.f_code.co_filename, frame.f_lineno, name, what])

    def _target(self, key, call):
        """CALL, or what had the KEY before: no two have one name."""
        if key not in self.targets:
            name = call.__name__
            self.names[name] = self.names.get(name, 0) + 1
            if self.names[name] > 1:
                name = "%s_%d" % (name, self.names[name] - 1)
                call.__name__ = call.__qualname__ = name
                call.__module__ = _NOWHERE
            self.targets[key] = call
        return self.targets[key]

    def autocast(self, under):
        """UNDER, a function under autocast, as a target."""
        self.say_autocast(under.__name__)
        return self._target(under.key, under)

    def say_autocast(self, name):
        self._say(name, "runs under autocast, which Python sets for this call")

    def target(self, function, given):
        """FUNCTION, called on GIVEN, as a target: one that sets autocast where
        that is on."""
        mode = _autocast.mode_for(given)
        if not mode:
            return self._target(function.key(), function) \
                if isinstance(function, Call) else function
        return self.autocast(_autocast.Under(function, mode, function.key()
                             if isinstance(function, Call) else None))

    def applied(self, function, apply):
        """FUNCTION, of autograd, as a target, with its backward."""
        self._say(function.__name__, "has a backward of its own; Python runs it "
                  "as one call")
        return self._target(function, Applied(function, apply))

    # -- who makes tensors -----------------------------------------------

    def find_maker(self, tensor):
        """The function that gave TENSOR, which no recorded call made, else the
        one that runs, is to be one call, if that is asked for."""
        if not self.known.searches:
            return
        maker = self.makers.get(id(tensor))
        frame = maker[1] if maker else _around(_frame.model_frame())
        path = self.module_of(frame)
        if frame and path != "" and not self._is_root(frame):
            self.known.add_maker(frame, path)

    def _is_root(self, frame):
        return frame.f_code is getattr(self.recorder.function, "__code__",
                                       None)

    def module_of(self, frame):
        """The path of the module whose forward FRAME is of, or None."""
        code = frame.f_code if frame else None
        owner = frame.f_locals.get(code.co_varnames[0]) \
            if code and code.co_argcount else None
        is_forward = isinstance(owner, torch.nn.Module) and getattr(
            inspect.unwrap(type(owner).forward), "__code__", None) is code
        return self.recorder.path_of(owner) if is_forward else None

    # -- what is called --------------------------------------------------

    def profile(self, frame, event, value):
        """FRAME is called or returns VALUE, as sys.setprofile says."""
        recorder = self.recorder
        if self.open and self.open[0] is frame and event == "return":
            call, self.open = self.open[1], None
            recorder.is_on = True
            if _has_returned(frame):
                recorder.give(value, self.target(
                    call, (call.args, call.kwargs)), call.args, call.kwargs)
        elif not recorder.listens():
            return
        elif event == "call" and frame.f_code in self.known.codes:
            self.open = frame, Call(frame, self._holds, recorder.knows)
            recorder.is_on = False
        elif event == "return" and self.known.searches and \
                isinstance(value, (torch.Tensor, tuple, list, dict)) and \
                _is_function(frame):
            with recorder.working():
                for tensor in _check.leaves(value):
                    if isinstance(tensor, torch.Tensor) and \
                            id(tensor) not in recorder.nodes:
                        self.makers.setdefault(id(tensor), (tensor, frame))

    def _holds(self, value):
        return not isinstance(value, torch.nn.Module) and \
            self.recorder.holds(value)

    @contextlib.contextmanager
    def calls_seen(self):
        """Calls of scripted functions are told to the recorder, and what is
        called and returns to profile(), as long as somebody asks for that."""
        kind, before = torch.jit.ScriptFunction, sys.getprofile()
        call = kind.__call__

        def called(function, *args, **kwargs):
            recorder = self.recorder
            if recorder.listens() and recorder.knows((args, kwargs)):
                self._say(function.name,
                          "a scripted function, which Python runs as one call")
            target = self._target(function, Scripted(function, call))
            return recorder.wrapped(target, args, kwargs)
        kind.__call__ = called
        if self.known.codes or self.known.searches:
            sys.setprofile(self.profile)
        try:
            yield
        finally:
            sys.setprofile(before)
            kind.__call__ = call
