"""Passes that are written in Python, on the debugger's graph as it is now.

A pass runs in a copy of this process: what it does to modules, or to the
process, nobody else sees.  A copy cannot use a device, and has what lies on one
on the processor.  The graph comes as JSON (guest/pass_request.c) and is made a
torch.fx.GraphModule of; what the pass makes of that goes back node by node,
never retraced.
"""
import inspect
import json
import keyword
import mmap
import os
import re
import select
import signal
import socket
import sys
import time
import warnings

import torch
import torch.fx

from . import _capture, _find, _report, _run, _torch, _weights

# Seconds that a pass has to end after Ctrl-C.
PATIENCE = 0.7

# Signals that a process gets for what it does itself.
_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL,
            signal.SIGABRT)
# As of C's fx_edit_set_name.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FORMS = "a pass is FILE.py:FUNCTION or package.module.FUNCTION"


class _Reader(_run.Runner):
    """Reads arguments, nodes among them."""

    def __init__(self, capture):
        super().__init__(capture.graph.root, capture.graph, None)
        self.nodes = {}

    def read(self, data):
        if isinstance(data, dict) and "n" in data:
            return self.nodes[data["n"]]
        return super().read(data)

    def target(self, op, target):
        return self._function({"opcode": op, "target": target}) \
            if op == "call_function" else target


class _Module:
    """The GraphModule that a request describes."""

    def __init__(self, message, memory, capture):
        self.kept = capture.graph._kept
        self.known = {node.name: node for node in capture.graph.nodes}
        self.theirs = capture.graph.root
        self.tensors = {**capture.graph.targets, **capture.graph.tensors}
        self.reader = _Reader(capture)
        self.memory = memory
        self.root = torch.nn.Module()
        self.makers = dict(vars(torch.nn), torch=torch, inf=float("inf"),
                           nan=float("nan"), device=torch.device)
        # All of it, before what it stands in is changed.
        self.found = {
            record["theirs"]: self._theirs(record["theirs"])
            for record in message["modules"] + message["tensors"]
            if "theirs" in record}
        self.also = {}  # where else a module stands
        for record in message["modules"]:
            self._place(record)
            if "same" in record:
                self.also.setdefault(record["same"], []).append(record["path"])
        for record in message["tensors"]:
            self._bind(record)
        for record in reversed(message["graphs"]):
            self._nest(record)
        graph = self._graph(message["nodes"])
        if "codegen" in self.kept:
            graph.set_codegen(self.kept["codegen"])
        self.made = torch.fx.GraphModule(self._holder(graph), graph,
                                         message["class"])
        self.made.training = message["training"]

    # -- modules ---------------------------------------------------------

    def _theirs(self, path):
        """What the user's module, or the trace, has at PATH."""
        return _weights.find(self.theirs, self.tensors, path) \
            if path else self.theirs

    def _put(self, path, thing):
        """THING at the dotted PATH below the root."""
        above, _, name = path.rpartition(".")
        owner = self.root.get_submodule(above)
        for table in owner._parameters, owner._buffers, owner._modules:
            table.pop(name, None)
        vars(owner).pop(name, None)
        if isinstance(thing, torch.nn.Module):
            owner.add_module(name, thing)
        else:
            setattr(owner, name, thing)

    def _place(self, record):
        path = record["path"]
        if "theirs" in record:
            module = self.found[record["theirs"]]
        elif "same" in record:
            module = self.root.get_submodule(record["same"])
        else:
            module = eval(record["make"] or "Module()", self.makers)
            for inner in module.modules():
                inner.training = record["training"]
        if path:
            self._put(path, module)
        else:
            self.root = module

    def _tensor(self, record):
        dtype = _run._DTYPES[record["dtype"]]
        if record["bytes"] is None:  # no values
            return torch.empty(record["shape"], dtype=dtype, device="meta")
        begin, size = record["bytes"]
        if not size:
            return torch.empty(record["shape"], dtype=dtype)
        with mmap.mmap(self.memory, 0, access=mmap.ACCESS_READ) as data:
            whole = torch.frombuffer(bytearray(data[begin:begin + size]),
                                     dtype=torch.uint8)
        return whole[:size - size % dtype_size(dtype)].view(dtype).as_strided(
            record["shape"], record["strides"], record["offset"])

    def _bind(self, record):
        if "theirs" in record:
            tensor = self.found[record["theirs"]]
        elif "same" in record:
            tensor = _weights.find(self.root, {}, record["same"])
        else:
            tensor = self._tensor(record)
            if record["kind"] == "parameter":
                tensor = torch.nn.Parameter(tensor, record["grad"])
        above, _, name = record["path"].rpartition(".")
        if record["kind"] == "parameter" or \
                not isinstance(tensor, torch.Tensor):
            self._put(record["path"], tensor)
            return
        owner = self.root.get_submodule(above)
        vars(owner).pop(name, None)
        owner._buffers.pop(name, None)
        owner.register_buffer(name, tensor, record["persistent"])

    def _nest(self, record):
        """A graph within; what stands at its path holds its parts."""
        graph = self._graph(record["nodes"])
        holder = self.root.get_submodule(record["path"])
        made = torch.fx.GraphModule(holder, graph, record["class"])
        made.training = record["training"]
        for path in [record["path"]] + self.also.get(record["path"], []):
            self._put(path, made)

    # -- nodes -----------------------------------------------------------

    def _holder(self, graph):
        return {node.target: _weights.find(self.root, self.tensors,
                                           node.target)
                for node in graph.nodes
                if node.op in ("call_module", "get_attr")}

    def _type(self, name, target, text):
        """The annotation that is shown as TEXT; None when nobody has it."""
        known = self.known.get(name)
        if known is not None and known.type == text:
            for table, key in ("types", name), ("annotations", target):
                if key in self.kept.get(table, {}):
                    return self.kept[table][key]
        try:
            found = _run._where(text)
        except Exception:
            return None
        return found if isinstance(found, type) else None

    def _graph(self, records):
        graph = torch.fx.Graph()
        nodes = self.reader.nodes = {}
        self.spelled = {}  # by name: the function, and how it is written
        for op, target, name, args, kwargs, annotation, frames in records:
            node = graph.create_node(
                op, self.reader.target(op, target), self.reader.read(args),
                self.reader.read(kwargs), name,
                annotation and self._type(name, target, annotation))
            if node.name != name:
                node.name = name  # one that torch.fx would number anew
            known = self.known.get(name)
            if known is not None and known.op == op:
                node.meta.update(known.meta)
            if frames and "stack_trace" not in node.meta:
                node.meta["stack_trace"] = "".join(
                    '  File "%s", line %d, in %s\n' % tuple(frame)
                    for frame in reversed(frames))
            nodes[name] = node
            if op == "call_function":
                self.spelled[name] = node.target, target
        return graph


def dtype_size(dtype):
    return torch.empty(0, dtype=dtype).element_size()


# -- the pass itself -----------------------------------------------------


def _module_and_path(spec):
    """The module that SPEC names, and the expression in it."""
    if ":" in spec:
        return _find.load(spec)
    parts = spec.split(".")
    if spec.endswith(".py") or len(parts) < 2:
        raise _find.Refused("usage", "\"%s\" names no function" % spec, _FORMS)
    for count in range(len(parts) - 1, 0, -1):
        try:
            module, _ = _find.load(".".join(parts[:count]))
        except _find.Refused:
            if count == 1:
                raise
            continue
        return module, ".".join(parts[count:])


def _load(spec):
    """The module that SPEC names, and the text of its expression."""
    try:
        return _module_and_path(spec)
    except _find.Refused as error:
        if error.hint == _find.FORMS:
            error.hint = _FORMS
        raise


def _functions_of(module):
    """Names of what may be passes there."""
    return [name for name, thing in vars(module).items()
            if inspect.isfunction(thing) and name[0] != "_"
            and thing.__module__ == module.__name__]


def _function(spec):
    """What takes a GraphModule and changes it, and the module it is of."""
    module, expression = _load(spec)
    found = _find.evaluate(module, expression, spec, "function", _functions_of)
    if isinstance(found, type) and issubclass(found, torch.fx.Transformer):
        return (lambda given: found(given).transform()), module
    if isinstance(found, type) and not issubclass(found, torch.nn.Module):
        found = found()
    name = getattr(found, "__qualname__", "")
    if getattr(torch.fx.Graph, name.partition(".")[2], None) is found and \
            name.startswith("Graph."):
        return (lambda given: found(given.graph) and None), module
    if not callable(found):
        raise _find.Refused("type", "\"%s\" is of type %s, no function" % (
            spec, type(found).__name__), _FORMS)
    return found, module


def _kind(thing):
    """"an int"."""
    name = type(thing).__name__
    return ("an " if name[0].lower() in "aeiou" else "a ") + name


def _graph_module(given, result, spec):
    """The GraphModule that a pass, which got GIVEN, made."""
    if inspect.iscoroutine(result):
        result.close()
    if result is None or isinstance(result, bool):
        return given
    result = getattr(result, "graph_module", result)
    if isinstance(result, torch.fx.Graph):
        return torch.fx.GraphModule(given, result)
    if isinstance(result, torch.fx.GraphModule):
        if hasattr(result, "run_folding"):  # torch.fx's const_fold
            result.run_folding()
        return result
    raise _find.Refused(
        "type", "%s returned %s, no torch.fx.GraphModule" % (
            spec, _kind(result)),
        "a pass returns the GraphModule, or None when it changed what it got")


def _check_inputs(given, made, spec):
    """A pass keeps the inputs: what runs the graph gives these."""
    if given == made:
        return
    raise _find.Refused(
        "value", "%s made a graph of the inputs %s; this one has %s" % (
            spec, ", ".join(made) or "(none)", ", ".join(given) or "(none)"))


def _inputs(graph):
    return [node.target for node in graph.nodes if node.op == "placeholder"]


def _holds_itself(module, above=(), seen=None):
    """Whether MODULE, below the modules ABOVE, is in itself."""
    seen = set() if seen is None else seen
    if module in above:
        return True
    if module in seen:
        return False
    seen.add(module)
    return any(_holds_itself(child, (*above, module), seen)
               for child in module._modules.values() if child is not None)


def _problem(made):
    """What keeps MADE from being a graph, or None."""
    nodes = list(made.graph.nodes)
    outputs = [node for node in nodes if node.op == "output"]
    if len(outputs) != 1:
        return "it has %d outputs" % len(outputs) if outputs \
            else "it has no output"
    if nodes[-1] is not outputs[0]:
        return "%s stands behind the output" % nodes[-1].name
    for node in nodes:
        if keyword.iskeyword(node.name) or not _NAME.fullmatch(node.name):
            return "\"%s\" is no name of a node" % node.name
        if not all(isinstance(key, str) for key in node.kwargs):
            return "an argument of %s has a name that is no string" % node.name
    if _holds_itself(made):
        return "a module holds itself"
    try:
        made.graph.lint()
    except Exception as error:
        return str(error).strip().split("\n")[0] or type(error).__name__
    return None


def _check(made, spec):
    problem = _problem(made)
    if problem:
        raise _find.Refused("value", "%s made a graph that cannot be: %s" % (
            spec, problem))


def _spelled(spelled, names, graph):
    """[[node, target], ...]: functions that are still called there, as they
    were written before."""
    found = []
    for node in graph.nodes:
        function, target = spelled.get(names.get(node, node.name), (None, None))
        if node.op == "call_function" and node.target is function:
            found.append([node.name, target])
    return found


def _run_pass(message, memory, capture):
    """The answer, the text of the new graph and the image of its tensors."""
    spec = message["spec"]
    begin, size = message["request"]
    message.update(json.loads(os.pread(memory, size, begin)))
    if capture.home:
        capture.made.leave_device()
    else:
        capture.made.restore()  # as traced, whatever ran
    function, module = _function(spec)  # nodes may call what is there too
    with torch.no_grad():
        described = _Module(message, memory, capture)
    given = described.made
    names = {node: node.name for node in given.graph.nodes}
    inputs = _inputs(given.graph)
    torch.manual_seed(message["seed"])
    made = _graph_module(given, function(given), spec)
    _check_inputs(inputs, _inputs(made.graph), spec)
    _check(made, spec)
    graph = _torch.from_torch(made)
    with torch.no_grad():
        weights = _weights.Weights(graph.root, graph)
    answer = {
        "ok": True,
        "renamed": [[names[node], node.name] for node in made.graph.nodes
                    if names.get(node, node.name) != node.name],
        "spelled": _spelled(described.spelled, names, made.graph),
        # What the process needs to run the nodes.
        "needs": any(getattr(target, "__module__", None) == module.__name__
                     for target in graph.targets.values()),
    }
    return answer, graph.fxg(), weights.memory


def _explained(error, spec):
    if isinstance(error, KeyboardInterrupt):
        return {"code": "interrupted",
                "message": "%s was interrupted" % spec}
    if isinstance(error, _run.Unsupported):
        return {"code": "unsupported", "message": str(error)}
    if isinstance(error, SystemExit):
        return {"code": "python", "message": "%s asked Python to exit%s" % (
            spec, " with %s" % str(error.code)[:200] if error.code else "")}
    try:
        report = _report.failure(error)
    except Exception:
        return _report.last_resort(error)
    if not isinstance(error, _find.Refused):
        report["message"] = "%s raised %s" % (spec, report["message"])
    return report


def _memory_of(data):
    memory = os.memfd_create("fxdb-pass")
    with os.fdopen(memory, "wb", closefd=False) as out:
        out.write(data)
    return memory


def _copy(message, memory, capture, channel):
    """All that the copy of the process does; never returns."""
    try:
        os.setpgid(0, 0)
        _capture.die_with_parent(True)
        torch.set_num_threads(1)  # threads do not outlive a fork
        signal.signal(signal.SIGINT, signal.default_int_handler)
        fds = []
        try:
            answer, text, image = _run_pass(message, memory, capture)
            fds = [_memory_of(text), image]
        except BaseException as error:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            answer = {"ok": False, "error": _explained(error,
                                                       message["spec"])}
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _run._flush()
        channel.send(answer, b"", fds)
    finally:
        os._exit(0)


def _ended(status, pressed, spec):
    """The answer for a pass whose process is gone with STATUS."""
    if pressed:
        report = {"code": "interrupted", "message": "%s was interrupted" % spec}
    elif os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        report = {"code": "child", "message": "%s %s: %s" % (
            spec, "crashed" if number in _CRASHES else "was ended by a signal",
            signal.strsignal(number))}
    else:
        report = {"code": "child", "message": "%s ended its process with "
                  "status %d" % (spec, os.WEXITSTATUS(status))}
    return {"ok": False, "error": report}


def _fork(message, memory, capture, ends):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of threads, which it does not use
        pid = os.fork()
    if pid == 0:
        ends[0].close()
        _copy(message, memory, capture, type(capture.channel)(ends[1]))
    ends[1].close()
    return pid


def _kill(pid, number):
    try:
        os.killpg(pid, number)
    except OSError:
        pass


def _wait(pid, ours, channel):
    """(what it answered or None, descriptors, its status, Ctrl-C's)

    A copy holds nothing that would be lost: what does not heed Ctrl-C for a
    moment, or hears it twice, is ended.
    """
    pressed = []

    def press(*_):
        pressed.append(time.monotonic())
        _kill(pid, signal.SIGINT if len(pressed) == 1 else signal.SIGKILL)
    try:
        os.setpgid(pid, pid)
    except OSError:
        pass  # it has done so
    before = signal.signal(signal.SIGINT, press)
    try:
        while not select.select([ours], [], [], 0.1)[0]:
            if pressed and time.monotonic() > pressed[0] + PATIENCE:
                _kill(pid, signal.SIGKILL)
        answer, fds = channel.receive(2)
        if answer is not None:
            _kill(pid, signal.SIGKILL)  # and what it left running
        _, status = os.waitpid(pid, 0)
    finally:
        signal.signal(signal.SIGINT, before)
    _kill(pid, signal.SIGKILL)
    return answer, fds, status, len(pressed)


def _import_again(spec):
    """The module of SPEC, whose functions nodes call, in this process.  What it
    sets when it is imported was meant for its own."""
    dtype, has_grad = torch.get_default_dtype(), torch.is_grad_enabled()
    state, folder = torch.get_rng_state(), os.getcwd()
    try:
        _module_and_path(spec)
    except BaseException:
        pass  # it worked in the copy; nodes will say what they lack
    torch.set_default_dtype(dtype)
    torch.set_grad_enabled(has_grad)
    torch.set_rng_state(state)
    os.chdir(folder)


def serve(message, fds, capture):
    """(answer, bytes, descriptors) to MESSAGE, which asks for a pass."""
    _run._flush()
    if capture.made is None:
        try:
            capture._weights()  # as traced: an image that copies can use
        except Exception as error:
            return {"ok": False, "error": _explained(error,
                                                     message["spec"])}, b"", ()
    ours, theirs = socket.socketpair()
    with ours:
        pid = _fork(message, fds[0] if fds else -1, capture, (ours, theirs))
        answer, given, status, pressed = _wait(
            pid, ours, type(capture.channel)(ours))
    text, descriptors = b"", ()
    if answer is None:
        answer = _ended(status, pressed, message["spec"])
    elif not answer["ok"] and not pressed and \
            answer["error"]["code"] == "interrupted":  # by its own doing
        answer["error"] = {"code": "python", "message":
                           message["spec"] + " raised KeyboardInterrupt"}
    elif answer["ok"]:
        with os.fdopen(given[0], "rb") as file:
            text = os.pread(file.fileno(), os.fstat(file.fileno()).st_size, 0)
        descriptors = given[1:]
        if answer.pop("needs"):
            _import_again(message["spec"])
    for descriptor in fds:
        os.close(descriptor)
    answer.pop("bytes", None)
    return answer, text, descriptors
