"""What would have helped a trace that failed: flags of `trace`, each tried.

An input that the failure names is fixed to its default; a module in whose code
it failed is kept whole, the innermost first.  What gets further without getting
through is kept, and tried with the next.  Else one run is recorded, on the
inputs that were given, or on those that the model itself has as an example.
"""
import contextlib
import inspect
import re
import signal

import torch

import fxdb
from fxdb import _check, _example, _export, _find, _partial, _report

_SECONDS = 2
_SUGGEST_SECONDS = 20  # for what somebody asked for
_ROUNDS = 4
_EMPTY = inspect.Parameter.empty
_VALUES = (type(None), bool, int, float)
# Larger models are not run to see whether they can be.
_BYTES = 1 << 30
# What models of transformers take beside texts, of their configuration.
_SHAPES = {
    "pixel_values": lambda config: (
        "f32", 1, getattr(config, "num_channels", 3),
        *[getattr(config, "image_size", 224)] * 2),
    "input_values": lambda config: ("f32", 1, 16000),
    "input_features": lambda config: (
        "f32", 1, getattr(config, "num_mel_bins", 80),
        2 * getattr(config, "max_source_positions", 1500)),
}


class _Late(BaseException):
    pass


@contextlib.contextmanager
def _limited(seconds=_SECONDS):
    """What is traced here ends in SECONDS."""
    def late(*_):
        raise _Late
    before = signal.signal(signal.SIGALRM, late)
    # Again and again: models catch everything.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.1)
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
    found = []
    # Fixed inputs lose least, then a recording; modules kept whole, most.
    for attempt in _search, _recorded, _kept_whole:
        if found and attempt is _kept_whole:
            break
        if attempt is _recorded and request.get("concrete"):
            continue  # which does not go with it
        try:
            with _limited(), _check.silence():
                flags, _ = attempt(request, module, root, error, graph)
        except _Late:
            flags = []
        if flags and not any(name == "--leaf" for name, _ in flags):
            return flags
        found = found or flags
    return found


def refused(request, module, root):
    """Why the inputs that REQUEST gives are none of a run of ROOT, as
    _find.Refused; None: they may be."""
    try:
        with _limited(), _check.silence():
            given = request["inputs"] + (request.get("concrete") or [])
            _find.examples(dict(request, example=given, concrete=[]), module,
                           root)
    except _find.Refused as error:
        return error
    except (_Late, Exception):
        pass
    return None


def renamed(request, root, error):
    """What to type where ERROR says that a module in ROOT, which hands on what
    it is given by name, has no input of a name that REQUEST gives, or None."""
    found = re.search(r"(\w+)\.forward\(\) got an unexpected keyword argument "
                      r"'(\w+)'", _report.text_of(error))
    given = dict(item.split("=", 1) for item in request.get("example") or []
                 if "=" in item)
    if not found or found[2] not in given or \
            not isinstance(root, torch.nn.Module):
        return None
    names = next((fxdb.inputs(each) for each in root.modules()
                  if type(each).__name__ == found[1]), [])
    names = [name for name in names if name not in given]
    if not names:
        return None
    return "a %s takes %s: trace %s --example %s" % (
        found[1], ", ".join(names), request["spec"], " ".join(
            "-i %s=%s" % (names[0] if name == found[2] else name, text)
            for name, text in given.items()))


def instead_of_export(request, module, root):
    """[("--example", "")] where a run of ROOT, which torch.export refused, is
    recorded on the inputs of REQUEST, else []; and with numbers for letters,
    which a run does not have."""
    anew, same = _export.numbered(request, root)
    given = dict(request, inputs=anew + same)
    with contextlib.suppress(_Late), _limited(_SUGGEST_SECONDS), \
            _check.silence():
        flags, _ = _recorded(given, module, root, None, None)
        return flags and flags + [("-i", text) for text in anew]
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
                return flags + [flag], tried
            if tried and _count(tried) > _count(best and best[1] or graph):
                best = flag, tried, failed
        if not best:
            break
        flags, graph, error = flags + [best[0]], best[1], best[2]
    return [], None


def _alone(request, module, root, error, graph):
    """Each flag with which alone it is traced, and its graph."""
    found = []
    for flag in _candidates(request, module, root, error, graph):
        tried, failed = _try(request, module, root, [flag])
        if failed is None:
            found.append(([flag], tried))
    return found


def suggest(request, module, root, error, graph):
    """All ways to a graph of ROOT that were tried and work, as (flags, what they
    gave); ERROR, or None, ended the trace without any, which left GRAPH.
    """
    found = [] if error else [([], _traced(graph))]
    attempts = [_recorded, _kept_whole] if error else [_recorded]
    if request.get("partial") or request.get("concrete"):
        attempts.remove(_recorded)  # which does not go with them
    with _tried():
        found += [(flags, _traced(made)) for flags, made in _alone(
            request, module, root, error, graph)] if error else []
    if error and not found:
        attempts.insert(0, _search)
    for attempt in attempts:
        with _tried():
            flags, made = attempt(request, module, root, error, graph)
            if flags:
                found.append((flags, _traced(made, attempt)))
    return found


@contextlib.contextmanager
def _tried():
    """What does not end in time is as if it failed."""
    with contextlib.suppress(_Late), _limited(_SUGGEST_SECONDS), \
            _check.silence():
        yield


def _traced(graph, attempt=None):
    how = {_recorded: "one run is recorded", _kept_whole:
           "traced, with modules kept whole"}.get(attempt, "traced")
    return "%s: %d nodes" % (how, _count(graph))


def _recorded(request, module, root, _error, _graph):
    """Whether a run is recorded."""
    typed = request.get("inputs") or []
    texts = typed or _own_example(root)
    if not texts or isinstance(root, torch.nn.Module) and sum(
            each.numel() * each.element_size()
            for each in root.parameters()) > _BYTES:
        return [], None
    changed = dict(request, example=texts, concrete=[])
    try:
        given, _ = _find.examples(changed, module, root)
        graph, _ = _example.record(_find.tracer(changed, module, root), root,
                                   given)
    except Exception:
        return [], None
    return [("--example", "")] + [("-i", text) for text in texts
                                  if not typed], graph


def _own_example(root):
    """The inputs that ROOT has an example of, as NAME=SPEC: transformers' and
    diffusers' dummy_inputs, Lightning's example_input_array, the size of
    pictures that timm's pretrained_cfg has.
    """
    try:
        given = getattr(root, "dummy_inputs", None)
        if given is None:
            given = getattr(root, "example_input_array", None)
        names = fxdb.inputs(root)
        if isinstance(given, torch.Tensor):
            given = given,
        if isinstance(given, (tuple, list)):
            given = dict(zip(names, given))
        shapes = {name: _shape(value) for name, value in (given or {}).items()
                  if name in names and isinstance(value, torch.Tensor)}
        size = dict(getattr(root, "pretrained_cfg", None) or {}).get(
            "input_size")
        if size and names and not shapes:
            shapes[names[0]] = ("f32", 1, *map(int, size))
        main = getattr(root, "main_input_name", None)
        if main in names and main in _SHAPES:
            shapes.setdefault(main, _SHAPES[main](root.config))
        if shapes and "decoder_input_ids" in names:
            shapes.setdefault("decoder_input_ids",
                              ("i64", *shapes[main][1:2], 5))
    except Exception:
        return []  # what a model of somebody's raises
    return ["%s=%s[%s]" % (name, shape[0], ",".join(map(str, shape[1:])))
            for name, shape in shapes.items()]


def _shape(tensor):
    return (_find.word(tensor.dtype), *tensor.shape)


def _kept_whole(request, module, root, _error, _graph):
    """Whether it is traced when what cannot be is kept whole."""
    if request.get("partial"):
        return [], None
    try:
        graph, _ = _partial.trace(_find.tracer(request, module, root), root,
                                  _find.concrete(request, module, root))
    except Exception:
        return [], None
    return [("--partial", "")], graph


def _count(graph):
    return len(graph.nodes) if graph else 0


def _try(request, module, root, flags):
    """What there is of a graph with FLAGS, and what ended it or None."""
    changed = dict(request)
    for option in "leaf", "concrete":
        changed[option] = request.get(option, []) + [
            text for name, text in flags if name == "--" + option]
    try:
        tracer = _find.tracer(changed, module, root)
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
    """The inputs of ROOT that are neither fixed nor given, each with its
    default."""
    function = root.forward if isinstance(root, torch.nn.Module) else root
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    fixed = {item.partition("=")[0].strip()
             for item in (request.get("concrete") or []) +
             (request.get("inputs") or [])}
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
