"""fxdb's symbolic tracer: torch.fx's Tracer, Proxy and wrap, recorded in C.

    import fxdb
    graph = fxdb.symbolic_trace(model)      # touches nothing in the model
    print(graph.code)

Rules are torch.fx's; its classes are neither called nor needed.
"""
import inspect
import types

import torch

from . import _capture
from ._capture import Graph, Node, Proxy

__all__ = ["Graph", "Node", "Proxy", "Tracer", "symbolic_trace", "wrap",
           "PH"]

_VARARGS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_wrapped_fns_to_patch = []
PH = object()


def wrap(name_or_function):
    """Record calls of a function instead of tracing into it.

    Call it at module level with the function or its name in that module, or
    use it as a decorator.  Returns its argument.
    """
    if callable(name_or_function):
        name = name_or_function.__name__
    elif isinstance(name_or_function, str):
        name = name_or_function
    else:
        raise RuntimeError("wrap takes a function or its name")
    frame = inspect.currentframe().f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap is called at module level only")
    _wrapped_fns_to_patch.append((frame.f_globals, name))
    return name_or_function


def _type_text(annotation):
    """How a listing shows an annotation; None when there is none."""
    if annotation is None:
        return None
    if isinstance(annotation, str):
        return repr(annotation)
    if isinstance(annotation, type) and \
            not isinstance(annotation, types.GenericAlias):
        if annotation.__module__ == "builtins":
            return annotation.__qualname__
        return annotation.__module__ + "." + annotation.__qualname__
    if annotation is ...:
        return "..."
    if isinstance(annotation, types.FunctionType):
        return annotation.__name__
    return repr(annotation)


def _without_varargs(function, total):
    """FUNCTION taking its *args, **kwargs and keyword-only parameters as
    plain ones, so that a Proxy can stand for each."""
    code = function.__code__
    code = code.replace(co_argcount=total, co_posonlyargcount=0,
                        co_kwonlyargcount=0,
                        co_flags=code.co_flags & ~_VARARGS)
    return types.FunctionType(code, function.__globals__, function.__name__,
                              function.__defaults__, function.__closure__)


class Tracer:
    """One symbolic trace; subclass it to change what a leaf is, what paths
    modules have or what may be an argument."""

    def is_leaf_module(self, module, path):
        """Whether a call of MODULE is recorded whole."""
        return _capture.is_leaf_module(module)

    def path_of_module(self, module):
        """The dotted path that a call_module node names."""
        return _capture.path_of_module(module)

    def create_arg(self, argument):
        """What is recorded for an argument; return it, or something that may
        stand in a graph instead."""
        return argument

    def trace(self, root, concrete_args=None):
        """The Graph of ROOT, a module or a function.

        concrete_args: {parameter name: value}, fixed while tracing.  Raises
        what the model raises; the graph so far is then in `self.partial`.
        """
        self.partial = None
        is_module = isinstance(root, torch.nn.Module)
        if is_module:
            function = type(root).forward
            module = root
        else:
            if not isinstance(root, types.FunctionType):
                raise TypeError("a module or a Python function is traced, "
                                "not a %s" % type(root).__name__)
            function, module = root, torch.nn.Module()
        function, names, defaults, notes, first = self._parameters(
            function, root if is_module else None)
        self.root = module
        _capture.begin(self, Tracer, module, function)
        try:
            arguments = list(first)
            for name in names:
                arguments.extend(self._input(name, defaults, notes,
                                             concrete_args or {}))
            result = function(*arguments)
            return _capture.finish(
                result, _type_text(notes.get("return")),
                torch.__version__.split("+")[0],
                type(root).__name__ if is_module else root.__name__)
        except BaseException:
            self.partial = _capture.abort()
            raise
        finally:
            if not _installed:
                _capture.uninstall()

    def _parameters(self, function, module):
        """The function to call, names of its inputs as torch.fx orders them,
        defaults, annotations, and what comes before the inputs."""
        inner = inspect.unwrap(function)
        code = inner.__code__
        total = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames[:total])
        notes = dict(inner.__annotations__)
        first = []
        if module is not None:
            if not names:
                raise RuntimeError("forward takes self through *args; name it "
                                   "as a parameter of its own")
            first, names = [module], names[1:]
        given = inner.__defaults__ or ()
        at = code.co_argcount
        defaults = dict(zip(code.co_varnames[at - len(given):at], given))
        defaults.update(inner.__kwdefaults__ or {})
        at = total
        if code.co_flags & inspect.CO_VARARGS:
            names.append("*" + code.co_varnames[at])
            at += 1
        if code.co_flags & inspect.CO_VARKEYWORDS:
            names.append("**" + code.co_varnames[at])
            at += 1
        if at != code.co_argcount:
            function = _without_varargs(inner, at)
            if module is not None or inner is not function:
                first = [module] if module is not None else []
        return function, names, defaults, notes, first

    def _input(self, name, defaults, notes, concrete_args):
        if name in concrete_args:
            return [self._concrete(name, concrete_args[name], defaults,
                                   notes)]
        default = (defaults[name],) if name in defaults else ()
        note = None if name[0] == "*" else _type_text(notes.get(name))
        return [_capture.placeholder(name, default, note)]

    def _concrete(self, name, value, defaults, notes):
        """A parameter fixed to VALUE: a placeholder for each leaf and an
        assertion that later calls agree (semantics 2.2)."""
        count = 0

        def leaf(item):
            nonlocal count
            count += 1
            default = (defaults[name],) if name in defaults else ()
            proxy = _capture.placeholder("%s_%d" % (name, count), default,
                                         _type_text(notes.get(name)))
            if item is PH:
                return proxy
            if type(item) is bool or isinstance(
                    item, (str, int, float, complex, torch.dtype,
                           torch.device)):
                torch._assert(
                    proxy == item,
                    "%s has been specialized to have value %s but got "
                    "another value" % (name, item))
            return item

        return torch.utils._pytree.tree_map(leaf, value)


_installed = False


def symbolic_trace(root, concrete_args=None):
    """Tracer().trace(root, concrete_args)."""
    return Tracer().trace(root, concrete_args)
