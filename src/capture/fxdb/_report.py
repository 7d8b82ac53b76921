"""Why a capture failed, for a person: the line of the model, what was asked of
which traced value, and what to do about it.
"""
import linecache
import os
import re
import sys
import traceback

from . import _capture
from . import Proxy
from ._find import Refused, nearest

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_FRAMES = 6
_WRAP = "move it into a function marked with torch.fx.wrap"

# Defaults of inputs that --concrete can be given.
_PLAIN = (type(None), bool, int, float, str)
# Attributes of a tensor that are facts about it, not data.
_FACTS = ("shape", "size", "ndim", "dim", "dtype", "device", "is_cuda",
          "requires_grad", "layout", "numel", "nelement", "stride",
          "is_contiguous", "is_floating_point")
_FACTORIES = r"torch\.(zeros|ones|empty|full|tensor)\("


class NotRecorded(NotImplementedError):
    """What the model does here is nothing that a recording can hold: HINT says
    what to do instead."""

    def __init__(self, what, hint=None):
        super().__init__(what)
        self.hint = hint


def text_of(error):
    """str(ERROR), which may be the model's own code."""
    keys = [each for each in getattr(error, "args", ()) if type(each) is Proxy]
    if keys and isinstance(error, KeyError):
        return "the traced value %s" % (_capture.node_name(keys[0]) or "")
    try:
        return str(error)
    except BaseException as other:
        return "(its text cannot be had: %s)" % type(other).__name__


def is_torch(file):
    """Whether FILE is of torch itself, or of what is beside it by that name."""
    return os.sep + "torch" + os.sep in file


def own_frames(trace):
    """The traceback's entries in the user's code, innermost last."""
    entries = []
    while trace:
        code = trace.tb_frame.f_code
        name = code.co_filename
        if not name.startswith((_OWN, "<frozen", "<spec>")):
            entries.append(trace)
        trace = trace.tb_next
    own = [t for t in entries
           if not is_torch(t.tb_frame.f_code.co_filename)]
    return own or entries


def self_of(entry):
    """What the method that the traceback's ENTRY is in was called on: its first
    parameter, whatever its name; None in a function without any."""
    code = entry.tb_frame.f_code
    return entry.tb_frame.f_locals.get(code.co_varnames[0]) \
        if code.co_argcount else None


def _frames(entries):
    """What is shown of them, innermost first: {file, line, function, text}."""
    shown, skipped, last = [], 0, None
    for entry in reversed(entries):
        code = entry.tb_frame.f_code
        place = (code.co_filename, entry.tb_lineno)
        if place == last or len(shown) >= _FRAMES:
            skipped += 1
            continue
        last = place
        text = linecache.getline(*place, entry.tb_frame.f_globals).strip()
        shown.append({"file": place[0], "line": place[1],
                      "function": code.co_name, "text": text})
    return shown, skipped


def _named_values(entry, line):
    """Names of the nodes behind the variables that LINE mentions."""
    words = re.findall(r"[A-Za-z_]\w*", line)
    found = []
    for word in words:
        value = entry.tb_frame.f_locals.get(word)
        if type(value) is Proxy:
            name = _capture.node_name(value)
            if name and name not in found:
                found.append(name)
    return found


def _origins(graph, name):
    """Every node that NAME is computed from, itself first."""
    nodes = {node.name: node for node in graph.nodes} if graph else {}
    found, queue = [], [name]
    while queue:
        node = nodes.pop(queue.pop(0), None)
        if node is None:
            continue
        found.append(node)
        queue.extend(_mentioned(node.args) + _mentioned(node.kwargs))
    return found


def _mentioned(value):
    if isinstance(value, (tuple, list)):
        return [name for item in value for name in _mentioned(item)]
    if isinstance(value, dict):
        return [name for item in value.values() for name in _mentioned(item)]
    if isinstance(value, slice):
        return _mentioned((value.start, value.stop, value.step))
    return [value.name] if isinstance(value, type_of_node) else []


type_of_node = _capture.Node


def _fact(origins):
    """The tensor attribute that the value asked for comes from, or None."""
    for node in origins:
        if node.op == "call_function" and node.target is getattr and \
                node.args[1] in _FACTS:
            return node.args[1]
        if node.op == "call_method" and node.target in _FACTS:
            return node.target
    return None


def _hint_asked(asked, name, graph, line):
    """What to do about a refusal."""
    origins = _origins(graph, name)
    inputs = [node for node in origins if node.op == "placeholder"]
    stars = [node.target for node in inputs if node.target[0] == "*"]
    if stars:
        return "all of %s is one traced value: --example records a run, with " \
            "-i NAME=SPEC for each; or trace what names its inputs" % stars[0]
    if asked == "item assignment":
        return "torch.where, torch.scatter and the like return a new " \
            "tensor; or %s" % _WRAP
    if asked == "the items":
        return "name the items (a, b = ..., or one by one: ...[0]), or " + _WRAP
    if asked == "len()":
        return "torch.fx.wrap(\"len\") at the top of the model's file records " \
            "the call"
    if re.search(_FACTORIES, line) and inputs:
        made = re.search(_FACTORIES, line).group(1)
        return "%s.new_%s(...) records the call; or %s" % (
            inputs[0].name, made, _WRAP)
    fact = _fact(origins)
    if fact:
        return "the %s of a tensor is not known here: %s" % (fact, _WRAP)
    # (What is computed of None is nothing to ask of.)
    plain = _PLAIN if origins and origins[0] in inputs else _PLAIN[1:]
    if inputs and all(node.args and isinstance(node.args[0], plain)
                      for node in inputs):
        return "%s fixes %s" % (" ".join(
            "--concrete %s=%r" % (node.target, node.args[0])
            for node in inputs), "it to its default" if len(inputs) == 1
            else "them to their defaults")
    if asked == "the truth":
        return "the model decides by data: %s" % _WRAP
    return _WRAP


def _misspelt(error):
    """What is spelled like the attribute that was not there, or None."""
    name, owner = getattr(error, "name", None), getattr(error, "obj", None)
    if not isinstance(name, str) or type(owner) is Proxy:
        return None
    try:
        return nearest(name, dir(owner))
    except Exception:  # the model's own __dir__
        return None


def _hint(error, message, graph, fixed, line):
    """What to do about any other failure of the model's code, or None."""
    if isinstance(error, NotRecorded):
        return error.hint
    if re.search(r"\b(cond|while_loop)\(", line) and \
            hasattr(sys.modules.get("torch"), "export"):
        return "--export: torch.export makes the graph, branches and loops " \
            "as graphs within"
    absent = re.search(r": operator (\w+)::\w+ does not exist",
                       "".join([message] + _causes(error)))
    if absent:
        return "the compiled part of %s does not load: is it made for torch " \
            "%s?" % (absent.group(1), sys.modules["torch"].__version__)
    if isinstance(error, ModuleNotFoundError):
        return "install it for %s, or choose another Python (--python)" % \
            sys.executable
    if isinstance(error, SyntaxError):
        return "%s reads it; what a later Python added needs that one " \
            "(--python PATH)" % sys.executable
    if isinstance(error, SystemExit) and not graph:
        return "what the file does as a program belongs under: " \
            "if __name__ == \"__main__\":"
    if isinstance(error, RecursionError) and "depth" in message:
        return "it calls itself without end, or sys.setrecursionlimit() at " \
            "the top of its file allows more"
    if isinstance(error, AttributeError) and _misspelt(error):
        return _misspelt(error)
    if "not installed as a submodule" in message:
        return "make it an attribute of the model, or of an nn.ModuleList " \
            "or nn.ModuleDict in it"
    if "belongs to no submodule" in message:
        return "make it an attribute of the model, or of an " \
            "nn.ParameterList in it"
    if "and a graph gives tensors" in message:
        return "have forward return list(...) or tuple(...) of it"
    if "which no graph gives" in message:
        return "have forward return tensors, numbers, strings or containers " \
            "of them instead"
    if "an argument of a traced call" in message:
        return "pass numbers, strings, tensors and containers of them, or " + \
            _WRAP
    if "'NoneType'" in message and None in (fixed or {}).values():
        names = [name for name, value in fixed.items() if value is None]
        return "%s is fixed to None: give it another value (--concrete)" % \
            ", ".join(names)
    if "Expected a value of type 'Tensor'" in message:
        return "a scripted function takes no traced values: " + \
            _WRAP
    if "Proxy" in message:
        if re.search(_FACTORIES, line):
            return "tensor.new_zeros() and the like record the call; or " + \
                _WRAP
        return _WRAP
    return None


def _message(error):
    """One line, and what follows it."""
    if isinstance(error, SystemExit):
        return "the model called sys.exit(%s)" % (
            "" if error.code is None else text_of(repr(error.code))), []
    if isinstance(error, SyntaxError):
        return "%s: %s" % (type(error).__name__, error.msg), []
    lines = [line.rstrip() for line in text_of(error).split("\n")]
    lines = [line for line in lines if line]
    name = type(error).__name__
    if not lines:
        return name, []
    if isinstance(error, NotRecorded):
        return lines[0], []
    return "%s: %s" % (name, lines[0]), lines[1:6]


def _causes(error):
    """"caused by" lines for `raise ... from`."""
    found = []
    while error.__cause__ is not None and len(found) < 3:
        error = error.__cause__
        found.append("caused by " + _message(error)[0])
    return found


def _refusal(error, frames):
    """What a traced value refused, if that is what ended the trace: the
    exception itself, or one that torch swallowed on the failing line."""
    asked = _capture.asked()
    if not asked:
        return None
    what, name, sentence, file, line = asked
    if text_of(error) == sentence:
        return what, name
    if frames and (file, line) == (frames[0]["file"], frames[0]["line"]) and \
            isinstance(error, (TypeError, ValueError, RuntimeError)):
        return what, name
    return None


def failure(error, graph=None, fixed=None, tracing=False):
    """The report of ERROR: code, message, details, frames, nodes, hint, and
    whether a run could be recorded that cannot be traced.
    """
    if isinstance(error, Refused):
        return {"code": error.code, "message": str(error),
                "hint": error.hint, "details": [], "frames": [],
                "skipped": 0, "nodes": []}
    entries = own_frames(error.__traceback__)
    frames, skipped = _frames(entries)
    message, details = _message(error)
    if isinstance(error, SyntaxError) and error.filename:
        frames.insert(0, {"file": error.filename, "line": error.lineno or 0,
                          "function": "", "text": (error.text or "").strip()})
    line = frames[0]["text"] if frames else ""
    code = "trace" if tracing else \
        "unsupported" if isinstance(error, NotRecorded) or \
        "belongs to no submodule" in message else "python"
    report = {"code": code, "message": message,
              "details": details + _causes(error), "frames": frames,
              "skipped": skipped, "nodes": [], "hint": None}
    refusal = _refusal(error, frames) if tracing else None
    if refusal:
        report["nodes"] = [refusal[1]]
        report["hint"] = _hint_asked(*refusal, graph, line)
        report["can_record"] = True
        if "combination of arguments" in message:
            report["details"] = []
        return report
    about_values = "Proxy" in message or "traced value" in message or \
        isinstance(error, TypeError) and not line.startswith("raise ")
    if tracing and entries and about_values:
        report["nodes"] = _named_values(entries[-1], line)
    report["hint"] = _hint(error, message, graph, fixed, line) or (
        _WRAP if report["nodes"] else None)
    report["can_record"] = bool(report["nodes"])
    return report


def asked_of(error, graph):
    """The value whose truth was asked, by name, if that is what ERROR is; and
    the names of inputs that the value comes from which ERROR is about, with the
    words of the line of the model's where it was raised.
    """
    entries = own_frames(error.__traceback__)
    frames, _ = _frames(entries)
    line = frames[0]["text"] if frames else ""
    refusal = _refusal(error, frames)
    names = [refusal[1]] if refusal else \
        _named_values(entries[-1], line) if entries else []
    truth = refusal[1] if refusal and refusal[0] == "the truth" else None
    inputs = {str(node.target) for name in names
              for node in _origins(graph, name) if node.op == "placeholder"}
    return truth, inputs | set(re.findall(r"\w+",
                                          line + " " + text_of(error)))


def crash(text):
    """The frames that faulthandler wrote to TEXT, innermost first."""
    frames = []
    for file, line, function in re.findall(
            r'File "(.*?)", line (\d+) in (.*)', text):
        if not file.startswith((_OWN, "<")) and \
                os.sep + "torch" + os.sep not in file:
            frames.append([file, int(line), function])
    return frames[:_FRAMES]


def last_resort(error):
    """A report made of little, when making the whole one failed."""
    traceback.print_exc()
    return {"code": "python", "message": type(error).__name__, "details": [],
            "frames": [], "skipped": 0, "nodes": [], "hint": None}


def notes_of(recorder, graph):
    """What RECORDER has noted, plain: [file, line, value, what, [[expression,
    its value, the node after which it was asked], ...]]."""
    names = [node.name for node in graph.nodes]
    return [list(place) + [what, [
        [text, value, names[min(count, len(names)) - 1]]
        for text, (value, count) in recorder.tests.get(place, {}).items()]]
        for place, what in recorder.notes.items()]


def stops_in(recorder, graph):
    """The names of the nodes before which the model asked to stop."""
    nodes = graph.nodes
    return " ".join(dict.fromkeys(nodes[at].name for at in recorder.stops))
