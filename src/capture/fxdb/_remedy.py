"""What would have helped a trace that failed: flags of `trace`, each tried.

An input that the failure names is fixed to its default; a module in whose code
it failed is kept whole, the innermost first.  What gets further without getting
through is kept, and tried with the next.
"""
import contextlib
import inspect
import signal

import torch

from fxdb import _check, _find, _partial, _report

_SECONDS = 2
_ROUNDS = 4
_EMPTY = inspect.Parameter.empty
_VALUES = (type(None), bool, int, float)


class _Late(BaseException):
    pass


@contextlib.contextmanager
def _limited():
    """What is traced here ends in time."""
    def late(*_):
        raise _Late
    before = signal.signal(signal.SIGALRM, late)
    # Again and again: models catch everything.
    signal.setitimer(signal.ITIMER_REAL, _SECONDS, 0.1)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:  # it may have come once more in there
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def find(request, module, root, error, graph):
    """Flags with which ROOT is traced where ERROR ended it, as [("--leaf",
    "Net"), ...]; [] when none was found in time.  REQUEST is the worker's,
    MODULE where names are looked up, GRAPH what there is of a graph.
    """
    try:
        with _limited(), _check.silence():
            return _search(request, module, root, error, graph) or \
                _kept_whole(request, module, root)
    except _Late:
        return []


def _search(request, module, root, error, graph):
    flags = []
    for _ in range(_ROUNDS):
        best = None
        for flag in _candidates(request, module, root, error, graph):
            if flag in flags:
                continue
            tried, failed = _try(request, module, root, flags + [flag])
            if failed is None:
                return flags + [flag]
            if tried and _count(tried) > _count(best and best[1] or graph):
                best = flag, tried, failed
        if not best:
            return []
        flags, graph, error = flags + [best[0]], best[1], best[2]
    return []


def _kept_whole(request, module, root):
    """Whether it is traced when what cannot be is kept whole."""
    if request.get("partial"):
        return []
    try:
        _partial.trace(_find.tracer(request, module), root,
                       _find.concrete(request, module, root))
    except Exception:
        return []
    return [("--partial",)]


def _count(graph):
    return len(graph.nodes) if graph else 0


def _try(request, module, root, flags):
    """What there is of a graph with FLAGS, and what ended it or None."""
    changed = dict(request)
    for option in "leaf", "concrete":
        changed[option] = request.get(option, []) + [
            text for name, text in flags if name == "--" + option]
    try:
        tracer = _find.tracer(changed, module)
        fixed = _find.concrete(changed, module, root)
    except _find.Refused as refused:
        return None, refused
    try:
        return tracer.trace(root, fixed), None
    except Exception as error:
        return tracer.partial, error


def _candidates(request, module, root, error, graph):
    """Flags that may help against ERROR, what changes least first."""
    entries = _report.own_frames(error.__traceback__)
    truth, asked = _report.asked_of(error, graph)
    named, others = [], []
    # Of two that exclude each other the first is the usual one.
    for name, default in reversed(_inputs(root, request)):
        values = [default] if isinstance(default, _VALUES) else \
            [True, False] if name == truth and default is _EMPTY else []
        (named if name in asked else others).extend(
            ("--concrete", "%s=%r" % (name, value)) for value in values)
    return named + _leaves(entries, root, module) + others


def _inputs(root, request):
    """The inputs of ROOT that are not fixed, each with its default."""
    function = root.forward if isinstance(root, torch.nn.Module) else root
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    fixed = {item.partition("=")[0].strip()
             for item in request.get("concrete", [])}
    return [(each.name, each.default) for each in parameters
            if each.name not in fixed and each.kind not in
            (each.VAR_POSITIONAL, each.VAR_KEYWORD)]


def _leaves(entries, root, module):
    """Classes of modules that ENTRIES are in, by names that --leaf finds."""
    found = []
    for entry in reversed(entries):
        kind = type(_report.self_of(entry))
        if not issubclass(kind, torch.nn.Module) or kind is type(root) or \
                kind.__module__.startswith("torch.nn."):
            continue
        name = kind.__qualname__ \
            if vars(module).get(kind.__name__) is kind \
            else kind.__module__ + "." + kind.__qualname__
        if ("--leaf", name) not in found:
            found.append(("--leaf", name))
    return found
