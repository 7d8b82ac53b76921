"""The process that holds the user's Python for fxdb: a fork server.

The parent imports torch and this package and nothing else; every capture runs
in a child of its own with the user's code in it.  Messages are JSON lines on
a socket; a child answers on the socket that came with its request, keeps its
model and serves what is asked later (weights) until that socket closes.
"""
import ast
import importlib
import importlib.util
import inspect
import json
import linecache
import os
import signal
import socket
import struct
import sys
import time
import traceback

_HINTS = [
    ("the truth", "the model decides by a value: keep the module as one node "
     "(--leaf CLASS), fix the argument it depends on (--concrete NAME=VALUE), "
     "or wrap the function (fxdb.wrap)"),
    ("the iteration", "give the number of items in the code, wrap the "
     "function (fxdb.wrap), or keep the module as one node (--leaf CLASS)"),
    ("len()", "fxdb.wrap('len') at the top of the model's file records the "
     "call"),
    ("item assignment", "use torch functions that return a new value, or wrap "
     "the function (fxdb.wrap)"),
    ("Proxy'", "a function outside torch needs the number itself: wrap that "
     "function (fxdb.wrap), or fix the argument it depends on (--concrete "
     "NAME=VALUE)"),
    ("NoneType", "an optional input is a traced value here: fix it with "
     "--concrete NAME=None"),
    ("not installed as a submodule", "register the module as an attribute of "
     "the model"),
    ("argument of a traced call", "pass plain numbers, tensors and containers "
     "of them, or wrap the function (fxdb.wrap)"),
]


class Refused(Exception):
    """A request that cannot be done; `code` is a word of error.def."""

    def __init__(self, code, message, hint=None):
        super().__init__(message)
        self.code = code
        self.hint = hint


def _load_module(spec):
    """The module and the expression of FILE.py:EXPR or package.module:EXPR."""
    path, colon, expression = spec.partition(":")
    if not colon:
        path, expression = spec, None
    if path.endswith(".py") or os.sep in path:
        if not os.path.exists(path):
            raise Refused("io", "no file %s" % path)
        directory = os.path.dirname(os.path.abspath(path))
        sys.path.insert(0, directory)
        name = os.path.splitext(os.path.basename(path))[0]
        found = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(found)
        sys.modules[name] = module
        found.loader.exec_module(module)
        return module, expression
    sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(path), expression
    except ModuleNotFoundError as error:
        if error.name and (path == error.name or
                           path.startswith(error.name + ".")):
            raise Refused("no-name", "no Python module %s" % error.name,
                          "a file is given as FILE.py:EXPR")
        raise


def _required(function):
    """Names of FUNCTION's parameters that must be given."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    return [p.name for p in signature.parameters.values()
            if p.default is p.empty and
            p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _candidates(module):
    import torch
    return [name for name, value in vars(module).items()
            if isinstance(value, type) and
            issubclass(value, torch.nn.Module) and
            value.__module__ == module.__name__]


def _evaluate(module, expression, spec):
    if not expression:
        names = _candidates(module)
        raise Refused("usage", "which model of %s?" % spec,
                      "add :EXPR, one of %s" % ", ".join(names)
                      if names else "add :EXPR")
    try:
        tree = ast.parse(expression, mode="eval")
    except SyntaxError as error:
        raise Refused("syntax", "%s is no expression: %s" %
                      (expression, error.msg))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not hasattr(module, node.id) \
                and node.id not in vars(__builtins__
                                        if not isinstance(__builtins__, dict)
                                        else importlib.import_module(
                                            "builtins")):
            import difflib
            near = difflib.get_close_matches(node.id, list(vars(module)), 3)
            raise Refused("no-name", "%s has no %s" %
                          (module.__name__, node.id),
                          "nearest: " + ", ".join(near) if near else None)
    return eval(compile(tree, spec, "eval"), vars(module))


def _model(value, spec):
    """What SPEC gave, as a module or a function to trace."""
    import torch
    if isinstance(value, torch.nn.Module):
        return value
    if isinstance(value, type) or callable(value):
        missing = _required(value)
        if missing and inspect.isfunction(value):
            return value
        if missing:
            raise Refused("usage", "%s needs arguments: %s" %
                          (spec, ", ".join(missing)),
                          "write %s(%s=...)" % (spec, missing[0]))
        made = value()
        if isinstance(made, torch.nn.Module) or inspect.isfunction(made):
            return made
        value = made
    raise Refused("type", "%s is a %s, neither a module nor a function" %
                  (spec, type(value).__name__))


def _named(name, module):
    """A dotted name from the model's module or by import."""
    head, _, rest = name.partition(".")
    base = vars(module).get(head)
    if base is None:
        aliases = {"nn": "torch.nn", "F": "torch.nn.functional"}
        parts = (aliases.get(head, head) + ("." + rest if rest else "")
                 ).split(".")
        for cut in range(len(parts) - 1, 0, -1):
            try:
                base = importlib.import_module(".".join(parts[:cut]))
            except ImportError:
                continue
            rest = ".".join(parts[cut:])
            break
        else:
            raise Refused("no-name", "no class %s" % name)
    for part in rest.split(".") if rest else []:
        if not hasattr(base, part):
            raise Refused("no-name", "no class %s" % name)
        base = getattr(base, part)
    return base


def _tracer(request, module):
    import fxdb
    base = fxdb.Tracer
    if request.get("tracer"):
        owner, expression = _load_module(request["tracer"])
        base = _evaluate(owner, expression, request["tracer"])
        if not (isinstance(base, type) and issubclass(base, fxdb.Tracer)):
            raise Refused("type", "%s is no subclass of fxdb.Tracer" %
                          request["tracer"])
    leaves = tuple(_named(name, module) for name in request.get("leaf", []))
    if not leaves:
        return base()

    class LeafTracer(base):
        def is_leaf_module(self, module, path):
            return isinstance(module, leaves) or \
                super().is_leaf_module(module, path)
    return LeafTracer()


def _concrete(request, module):
    import fxdb
    values = {}
    for item in request.get("concrete", []):
        name, equals, text = item.partition("=")
        if not equals:
            raise Refused("usage", "--concrete takes NAME=VALUE, not %s" %
                          item)
        values[name.strip()] = eval(text, dict(vars(module), PH=fxdb.PH))
    return values or None


def _user_frames(trace):
    """Frames of a traceback that belong to the user, innermost last."""
    own = os.path.dirname(os.path.abspath(__file__))
    frames = []
    for frame in traceback.extract_tb(trace):
        if frame.filename.startswith(own) or \
                frame.filename.startswith("<frozen"):
            continue
        frames.append(frame)
    inner = [f for f in frames if os.sep + "torch" + os.sep not in f.filename]
    return inner or frames


def _hint(message):
    for key, hint in _HINTS:
        if key in message:
            return hint
    return None


def _proxies(trace, line):
    """Names of traced values that the failing LINE mentions."""
    import fxdb
    found = []
    while trace:
        frame, trace = trace.tb_frame, trace.tb_next
        for name, value in list(frame.f_locals.items()):
            if type(value) is fxdb.Proxy and name in line:
                found.append(name)
    return sorted(set(found))


def _failure(error, tracer):
    """A structured report of what went wrong in the user's code."""
    if isinstance(error, Refused):
        return {"code": error.code, "message": str(error),
                "hint": error.hint, "frames": []}
    message = "%s: %s" % (type(error).__name__, error)
    frames = [{"file": f.filename, "line": f.lineno, "function": f.name,
               "text": f.line or ""}
              for f in _user_frames(error.__traceback__)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append({"file": error.filename, "line": error.lineno or 0,
                       "function": "", "text": (error.text or "").strip()})
        message = "SyntaxError: %s" % error.msg
    report = {"code": "trace" if tracer is not None else "python",
              "message": message, "hint": _hint(message), "frames": frames}
    if tracer is not None:
        import fxdb
        asked = fxdb._capture.asked()
        if asked:
            report["asked"], report["node"] = asked
        report["values"] = _proxies(error.__traceback__,
                                    frames[-1]["text"] if frames else "")
    return report


class _Channel:
    """JSON lines, each with an optional block of bytes after it."""

    def __init__(self, sock):
        self.sock = sock
        self.pending = b""

    def send(self, message, payload=b"", fds=()):
        message["bytes"] = len(payload)
        line = json.dumps(message).encode() + b"\n"
        if fds:
            socket.send_fds(self.sock, [line], fds)
        else:
            self.sock.sendall(line)
        if payload:
            self.sock.sendall(payload)

    def receive(self, fd_count=0):
        """One message and its descriptors; None at the end."""
        fds = []
        while b"\n" not in self.pending:
            if fd_count:
                data, got, _, _ = socket.recv_fds(self.sock, 65536, fd_count)
                fds.extend(got)
            else:
                data = self.sock.recv(65536)
            if not data:
                return None, fds
            self.pending += data
        line, _, self.pending = self.pending.partition(b"\n")
        return json.loads(line), fds


def _weights(graph, channel):
    """Write the tensors in safetensors layout to a memory file and send it."""
    import torch
    header, blocks, skipped, offset = {}, [], [], 0
    seen = {}
    names = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16",
             torch.bfloat16: "BF16", torch.int64: "I64", torch.int32: "I32",
             torch.int16: "I16", torch.int8: "I8", torch.uint8: "U8",
             torch.bool: "BOOL"}
    items = sorted(graph.tensors.items(),
                   key=lambda item: (-item[1].element_size()
                                     if isinstance(item[1], torch.Tensor)
                                     and not item[1].is_meta else 0, item[0]))
    for path, tensor in items:
        if not isinstance(tensor, torch.Tensor) or tensor.is_meta or \
                tensor.layout is not torch.strided or \
                tensor.dtype not in names:
            skipped.append(path)
            continue
        key = (tensor.data_ptr(), tensor.dtype, tuple(tensor.shape),
               tensor.stride())
        if tensor.numel() and key in seen:
            header[path] = dict(header[seen[key]])
            continue
        seen[key] = path
        plain = tensor.detach().cpu().contiguous()
        if plain.is_conj() or plain.is_neg():
            plain = plain.resolve_conj().resolve_neg()
        size = plain.numel() * plain.element_size()
        header[path] = {"dtype": names[tensor.dtype],
                        "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + size]}
        blocks.append(plain)
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    memory = os.memfd_create("fxdb-weights")
    with os.fdopen(memory, "wb", closefd=False) as out:
        out.write(struct.pack("<Q", len(text)))
        out.write(text)
        for block in blocks:
            if block.numel():
                out.write(memoryview(block.reshape(-1).view(
                    torch.uint8).numpy()))
    channel.send({"ok": True, "skipped": skipped}, fds=[memory])
    os.close(memory)


def _inputs(root):
    import torch
    function = type(root).forward if isinstance(root, torch.nn.Module) else root
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return ""


def _capture(request, channel):
    """Do one capture and answer; returns the Graph, or None."""
    import torch
    tracer = graph = None
    try:
        started = time.perf_counter()
        module, expression = _load_module(request["spec"])
        model = _model(_evaluate(module, expression, request["spec"]),
                       request["spec"])
        if isinstance(model, torch.nn.Module) and not request.get("train"):
            model.eval()
        concrete = _concrete(request, module)
        made = _tracer(request, module)
        built = time.perf_counter()
        tracer = made
        graph = tracer.trace(model, concrete)
        traced = time.perf_counter()
        answer = {"ok": True}
    except BaseException as error:
        if isinstance(error, (KeyboardInterrupt, GeneratorExit)):
            channel.send({"ok": False, "error": {
                "code": "interrupted", "message": "interrupted",
                "frames": [], "hint": None}})
            return None
        report = _failure(error, tracer)
        graph = tracer.partial if tracer is not None else None
        built = traced = started
        answer = {"ok": False, "error": report}
    answer.update({
        "python": "python%d.%d" % sys.version_info[:2],
        "torch": torch.__version__,
        "build_ms": (built - started) * 1e3,
        "trace_ms": (traced - built) * 1e3,
        "mode": "train" if request.get("train") else "eval",
        "class_name": graph.class_name if graph else "",
    })
    channel.send(answer, graph.fxg() if graph else b"")
    return graph


def _child(request, sock, output):
    """Everything a capture's own process does; never returns."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    os.chdir(request["cwd"])
    channel = _Channel(sock)
    status = 0
    try:
        channel.send({"pid": os.getpid()})
        graph = _capture(request, channel)
        sys.stdout.flush()
        sys.stderr.flush()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        while graph is not None:
            message, _ = channel.receive()
            if message is None or message.get("op") == "close":
                break
            if message["op"] == "weights":
                _weights(graph, channel)
    except BrokenPipeError:
        status = 1
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        os._exit(status)


def _reap():
    """Report of children that ended: [(pid, status)]."""
    ended = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        ended.append((pid, status))


def main(fd):
    """Serve requests on descriptor FD until it closes."""
    control = socket.socket(fileno=fd)
    channel = _Channel(control)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import torch
    from fxdb import _capture as extension
    import fxdb
    extension.install()
    fxdb._installed = True
    channel.send({"ready": True, "build": extension.BUILD,
                  "python": "%d.%d.%d" % sys.version_info[:3],
                  "torch": torch.__version__})
    while True:
        request, fds = channel.receive(2)
        if request is None:
            os._exit(0)
        if request["op"] == "status":
            channel.send({"ended": _reap()})
            continue
        pid = os.fork()
        if pid == 0:
            control.close()
            _child(request, socket.socket(fileno=fds[0]), fds[1])
        for descriptor in fds:
            os.close(descriptor)
