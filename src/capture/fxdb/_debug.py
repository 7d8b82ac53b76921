"""fxdb in the user's own process: the program waits at a call of a module, fxdb
has the terminal, and what runs there is computed here.

The program plays the part of a capture's process (_worker.py) over a socket,
and goes on when fxdb ends, with the result of the graph as it is then.  fxdb is
in a process group of its own, so that Ctrl-C is for it alone; when it stops
(Ctrl-Z) the program stops too, as the shell knows only the program.
"""
import ast
import contextlib
import curses
import functools
import inspect
import math
import multiprocessing
import os
import random
import select
import shutil
import signal
import socket
import struct
import sys
import tempfile
import termios
import threading
import time

import torch
from torch.utils import _pytree

import fxdb
from fxdb import _autocast, _check, _edited, _example, _home, _inputs, \
    _report, _run, _weights, _worker

_POLL_S = 0.1  # until it is seen that fxdb stopped or ended
_open = False  # whether a debugger is
_said = set()  # lines about calls that opened none


def _program():
    """The program fxdb that belongs to this package, or None."""
    here = os.path.dirname(os.path.abspath(__file__))
    for path in (os.environ.get("FXDB"),
                 os.path.join(here, "../../../fxdb"),
                 os.path.join(here, "program/bin/fxdb"),
                 os.path.join(here, "../../../bin/fxdb")):
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return shutil.which("fxdb")


class _Terminal:
    """The terminal of this program, lent to a process group."""

    def __init__(self):
        self.file = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
        self.modes = termios.tcgetattr(self.file)
        self.own = os.getpgrp()

    def is_ours(self):
        return os.tcgetpgrp(self.file) == self.own

    def give(self, group):
        """The terminal is GROUP's; who gives is in the background, or about to
        be, and must not be stopped for it."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
        try:
            os.tcsetpgrp(self.file, group)
            if group == self.own:
                termios.tcsetattr(self.file, termios.TCSADRAIN, self.modes)
        except OSError:
            pass  # it is gone
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def repair(self):
        """fxdb was killed, perhaps on the full screen."""
        with contextlib.suppress(Exception):
            curses.setupterm(fd=self.file)
            os.write(self.file, b"".join(curses.tigetstr(name) or b"" for name
                                         in ("rmcup", "cnorm", "sgr0")))

    def close(self):
        os.close(self.file)


class _Refused(Exception):
    """Why no debugger can be opened on a call."""


class _Failed(RuntimeError):
    """A command of a script did."""


def _why_not(script):
    """Why no debugger can be opened here, or None."""
    if _open:
        return "a debugger is open in this program already"
    if threading.current_thread() is not threading.main_thread():
        return "it opens in the main thread alone"
    if multiprocessing.parent_process() is not None:
        return "this is a worker of a pool or of a DataLoader: call it with " \
            "num_workers=0"
    if _program() is None:
        return "there is no program fxdb: install it, or name it in $FXDB"
    if script is not None:
        return None
    try:
        terminal = _Terminal()
    except (OSError, termios.error):
        return "there is no terminal: script=FILE runs commands without one"
    try:
        return None if terminal.is_ours() else \
            "this program is in the background: fg brings it back"
    finally:
        terminal.close()


def _npy_header(tensor):
    """What a .npy file of TENSOR begins with (numpy's format, version 1.0).
    torch does without numpy, and so does this."""
    kind = "b" if tensor.dtype is torch.bool else \
        "c" if tensor.is_complex() else "f" if tensor.is_floating_point() else \
        "u" if str(tensor.dtype).startswith("torch.uint") else "i"
    size = tensor.element_size()
    text = repr({"descr": "%s%s%d" % ("|<"[size > 1], kind, size),
                 "fortran_order": False, "shape": tuple(tensor.shape)})
    text += " " * (-(11 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text.encode()


class _Files:
    """The inputs of a call as fxdb takes them: texts, tensors in files."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fxdb-debug-")
        self.count = 0

    def _tensor(self, tensor):
        plain = tensor.detach().cpu().resolve_conj().resolve_neg()
        cast = ""
        if plain.dtype is torch.bfloat16:
            plain, cast = plain.float(), ".to(torch.bfloat16)"
        # A file has its elements in their order; a view may want their places.
        order = sorted(range(plain.dim()), key=lambda at: -plain.stride(at))
        if not plain.is_contiguous() and plain.permute(order).is_contiguous():
            plain = plain.permute(order)
            cast += ".permute(%s)" % ", ".join(
                str(order.index(at)) for at in range(plain.dim()))
        self.count += 1
        path = os.path.join(self.folder.name, "%d.npy" % self.count)
        with open(path, "wb") as file:
            file.write(_npy_header(plain) + _run.bytes_of(plain))
        return "file(%r)%s" % (path, cast)

    def text(self, value):
        """VALUE as an expression of the debugger's."""
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if type(value) in (tuple, list):
            items = ", ".join(map(self.text, value))
            return "[%s]" % items if type(value) is list else \
                "(%s%s)" % (items, "," * (len(value) == 1))
        if type(value) is dict:
            return "{%s}" % ", ".join("%r: %s" % (key, self.text(item))
                                      for key, item in value.items())
        if isinstance(value, float) and not math.isfinite(value):
            return "float(%r)" % str(value)
        if value is not None and type(value) not in (bool, int, float, str):
            raise TypeError(type(value).__name__)
        return repr(value)


class _Call(_worker._Capture):
    """One call of the module or function ROOT, for as long as fxdb looks at it.
    """

    keeps_interrupted = True

    def __init__(self, root, inputs, channel, graph):
        super().__init__({"seed": 0, "check": False, "example": [],
                          "train": getattr(root, "training", False)}, channel)
        self.model, self.handed = root, graph
        self.inputs, self.fixed_inputs = inputs
        self.is_interrupted = self.has_raised = False
        self.child = self.terminal = self.ended = None
        self.functions = []  # of autograd's, with a backward of their own
        self.states = {}, None  # of torch, for nodes by name, and at the start

    def _trace(self):
        """The graph of this call, from what a run of it does."""
        _check.settle(self.model, self.inputs, self.fixed_inputs)
        state = self.made = _weights.tensors_of(self.model)
        self.given = self.inputs
        if self.handed is not None:
            self.graph, self.mode = self.handed, ""  # which is in its calls
            self.how = "handed over by torch.compile"
            return
        self.tracer = fxdb.Tracer()
        began = time.perf_counter()
        try:
            self.graph, recorder = _example.record(
                self.tracer, self.model, self.inputs, state,
                fixed=self.fixed_inputs)
        except KeyboardInterrupt:
            self.is_interrupted = True
            raise
        self.states = recorder.gradients.states_of(self.graph)
        self.functions = recorder.gradients.functions
        self.recorded = {
            "record_ms": (time.perf_counter() - began) * 1e3,
            "notes": _report.notes_of(recorder, self.graph),
            "checked": False, "varied": "", "problem": None,
            "kept": recorder.wholes.known.remarks(),
            "stops": _report.stops_in(recorder, self.graph)}

    def _runner(self):
        """(With as many threads as the program has.)"""
        return _run.Runner(self.model, self.graph, self._weights, self.home)

    def _weights(self):
        if self.made.paths != self.graph.tensors.keys():
            self.made = _weights.Weights(self.model, self.graph)
        return self.made

    # -- waiting ------------------------------------------------------------

    def _next(self):
        """The next message; None when fxdb has ended."""
        while not self.channel.pending:
            ready, _, _ = select.select([self.channel.sock], [], [], _POLL_S)
            if ready:
                break
            if not self._is_there():
                return None, []
        return super()._next()

    def _is_there(self):
        """Whether fxdb still runs; stops with it, and goes on with it."""
        try:
            pid, status = os.waitpid(self.child, os.WNOHANG | os.WUNTRACED)
        except ChildProcessError:  # somebody else took it
            return False
        if not pid:
            return True
        if not os.WIFSTOPPED(status):
            self.ended = status
            return False
        if self.terminal:
            self.terminal.give(self.terminal.own)
            os.killpg(self.terminal.own, signal.SIGTSTP)
            # The shell has brought us back, perhaps not to the terminal.
            if self.terminal.is_ours():
                self.terminal.give(self.child)
        os.killpg(self.child, signal.SIGCONT)
        return True

    def _start(self):
        """Start fxdb on the other end of our socket."""
        os.set_inheritable(self.theirs.fileno(), True)
        words = ["fxdb", "--attach", str(self.theirs.fileno()), *self.options]
        words += ["-batch", "-x", self.script] if self.script else []
        actions = [] if self.script else [
            (os.POSIX_SPAWN_DUP2, self.terminal.file, number)
            for number in range(3)]
        self.child = os.posix_spawn(
            _program(), words, os.environ, file_actions=actions, setpgroup=0,
            setsigmask=[], setsigdef=[signal.SIGINT, signal.SIGQUIT,
                                      signal.SIGTSTP, signal.SIGTTIN,
                                      signal.SIGTTOU, signal.SIGPIPE])
        self.theirs.close()
        if self.terminal:
            self.terminal.give(self.child)

    def _answer(self, report):
        """(The call was made while the terminal was the program's.)"""
        self.has_raised = report is not None
        self.terminal = None if self.script else _Terminal()
        self._start()
        self.channel.send({"pid": os.getpid()})
        super()._answer(report)

    def converse(self):
        """Make the call and have fxdb look at it until it ends."""
        with self.channel.sock, self.theirs, contextlib.suppress(
                BrokenPipeError, ConnectionResetError):
            if self.run():
                with _autocast.off():  # what it casts is in the graph
                    self.serve()

    def end(self):
        """fxdb ends (what it has left to do does not need us), and the terminal
        is ours."""
        pause = _POLL_S / 32
        while self.child and self.ended is None and self._is_there():
            time.sleep(pause)
            pause = min(2 * pause, _POLL_S)
        is_killed = self.ended and os.WIFSIGNALED(self.ended)
        if self.terminal:
            self.terminal.give(self.terminal.own)
            if is_killed:
                self.terminal.repair()
            self.terminal.close()
        if not self.ended:
            return
        how = "by signal %d" % os.WTERMSIG(self.ended) if is_killed \
            else "with status %d" % os.WEXITSTATUS(self.ended)
        if self.script and not self.has_raised:
            raise _Failed("fxdb ended %s: %s" % (how, self.script))
        if is_killed or not self.last:
            print("fxdb ended %s; the program goes on with its own result" %
                  how, file=sys.stderr)

    def restore(self):
        """Parameters, too, are as before what ran."""
        if self.made is not None:
            self.made.restore()

    def edited(self):
        """A function of the inputs by name that computes what the graph does
        now; None when nobody changed it, or fxdb did not end by quit."""
        if not self.last or self.is_interrupted:
            return None
        codes = self.last["codes"]
        code = codes[""]
        within = _edited.within(self.graph, codes)
        if code == self.graph.code and not within:
            return None
        if not any(isinstance(step, ast.Return)
                   for step in ast.walk(ast.parse(code))):
            print("fxdb.debug: the edited graph ends where the recording did "
                  "and has no result: the call is made as it was",
                  file=sys.stderr)
            return None
        if self.functions:
            print("fxdb.debug: the edited graph has the forward of %s and not "
                  "its backward: gradients are those of the calls in it" %
                  ", ".join(dict.fromkeys(self.functions)), file=sys.stderr)
        return _edited.function(code, self.last["imports"], self.model,
                                self.graph, self.states, within)


@contextlib.contextmanager
def _unseen(root):
    """What is done here leaves no trace in the program: its generators, its
    handler of Ctrl-C; buffers are others meanwhile, as autograd may hold those
    of ROOT and count what is written there."""
    home = _home.home_of_model(root)
    states = _home.random_state(home), random.getstate()
    handler = signal.getsignal(signal.SIGINT)
    modules = root.modules() if isinstance(root, torch.nn.Module) else ()
    buffers = [(module._buffers, name, tensor) for module in modules
               for name, tensor in module._buffers.items()
               if tensor is not None]
    copies = {id(tensor): tensor.detach().clone() for _, _, tensor in buffers}
    for table, name, tensor in buffers:
        table[name] = copies[id(tensor)]
    try:
        yield
    finally:
        for table, name, tensor in buffers:
            table[name] = tensor
        _home.put_random_state(states[0], home)
        random.setstate(states[1])
        signal.signal(signal.SIGINT, handler)


def _copied(value):
    """VALUE, its tensors others with the same values: a model may write its
    inputs."""
    return _pytree.tree_map(
        lambda leaf: leaf.detach().clone().requires_grad_(leaf.requires_grad)
        if isinstance(leaf, torch.Tensor) else leaf, value)


def _split(given, files, by_place):
    """GIVEN, inputs by name, as copies of those that fxdb can be told, and of
    those that it cannot with the names of those BY_PLACE; and how it is told.
    """
    inputs, fixed, options = {}, {}, []
    for name, value in given.items():
        copied = _copied(value)
        try:
            options += ["-i", "%s=%s" % (name, files.text(value))]
            inputs[name] = copied
        except (TypeError, ValueError, RuntimeError, NotImplementedError):
            fixed[name] = copied  # a part of the graph
    return (inputs, _inputs.Fixed(fixed, by_place)), options


def look(root, given, script, graph=None, by_place=(), stops=""):
    """Open fxdb on the call of ROOT with GIVEN, inputs by name, of which some
    are given BY_PLACE, or on GRAPH of it, which STOPS; what edited() gives."""
    global _open
    if isinstance(root, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        raise _Refused("TorchScript runs without Python, which records")
    files = _Files()
    inputs, options = _split(given, files, by_place)
    _open = True
    ours, theirs = socket.socketpair()
    call = _Call(root, inputs, _worker._Channel(ours), graph)
    call.recorded["stops"] = stops
    call.theirs, call.script, call.options = theirs, script, options
    try:
        with _unseen(root):
            try:
                call.converse()
            finally:
                call.end()
                call.restore()
    finally:
        _open = False
        files.folder.cleanup()
    if call.is_interrupted:
        raise KeyboardInterrupt
    return call.edited()


def _by_name(function, args, kwargs):
    """What FUNCTION is called with, by the names of its parameters: "*args" is
    what is left by place."""
    try:
        signature = inspect.signature(function)
    except ValueError:
        raise _Refused("nothing says what its inputs are called; a function "
                       "around it does, lambda x: %s(x)" % getattr(
                           function, "__name__", "..."))
    given = dict(signature.bind(*args, **kwargs).arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind == parameter.VAR_KEYWORD:
            given.update(given.pop(name, {}))
        elif parameter.kind == parameter.VAR_POSITIONAL and name in given:
            given["*" + name] = given.pop(name)
    return given


def opened(what, script, look):
    """What LOOK, which opens a debugger, gives; None and one line on standard
    error where it cannot: a program goes on all the same.  Where no call opens
    one, as in a thread, that is said once.
    """
    why = _why_not(script)
    is_lasting = bool(why)
    if not why:
        try:
            return look()
        except _Failed:
            raise
        except _Refused as error:
            why = error
        except Exception as error:
            why = "%s: %s" % (type(error).__name__, error)
    line = "fxdb.%s: not opened: %s\n" % (what, why)
    if not is_lasting or line not in _said:
        _said.add(line)
        sys.stderr.write(line)
    return None


def _uncompiled(root):
    """What torch.compile was given, if ROOT is what that gave: calls of it make
    its calls."""
    for name in "_orig_mod", "_torchdynamo_orig_callable":
        root = getattr(root, name, root)
    return root


def _of_names(function):
    """(name, value) of what FUNCTION, written in Python, names that is not its
    own, and of what its functions within do."""
    codes = [function.__code__]
    for code in codes:
        codes += [each for each in code.co_consts if inspect.iscode(each)]
    names = dict.fromkeys(name for code in codes for name in code.co_names)
    yield from ((name, function.__globals__[name]) for name in names
                if name in function.__globals__)
    for name, cell in zip(function.__code__.co_freevars,
                          function.__closure__ or ()):
        with contextlib.suppress(ValueError):  # it is empty
            yield name, cell.cell_contents


def _reached(root):
    """(name, value) of what the callable ROOT, no module, reaches by a name."""
    if isinstance(root, functools.partial):
        yield from _reached(root.func)
        for i, value in enumerate([*root.args, *root.keywords.values()]):
            yield "given_%d" % i, value
        return
    function = inspect.unwrap(root)
    if not inspect.isroutine(function):  # an object that can be called
        function = getattr(function, "__call__", None)
    owner = getattr(function, "__self__", None)
    function = getattr(function, "__func__", function)
    if isinstance(owner, torch.nn.Module):
        yield "module", owner
    else:
        yield from getattr(owner, "__dict__", {}).items()
    if inspect.isfunction(function):
        yield from _of_names(function)


def _with_modules(root):
    """ROOT; a function that uses modules or parameters as a module that has
    them, so that they are not constants."""
    if isinstance(root, torch.nn.Module) or not callable(root):
        return root
    name = getattr(root, "__name__", type(root).__name__)
    made = type(name, (torch.nn.Module,), {})()
    for name, value in _reached(root):
        if isinstance(value, (list, tuple)) and value and all(
                isinstance(item, torch.nn.Module) for item in value):
            value = torch.nn.ModuleList(value)
        if isinstance(value, (torch.nn.Module, torch.nn.Parameter)) and \
                not hasattr(made, name):
            setattr(made, name, value)
    if not made._modules and not made._parameters and hasattr(root, "__name__"):
        return root
    made.forward = root
    return made


def debug(root, *args, script=None, **kwargs):
    """fxdb.debug."""
    given = {}

    def recorded():
        inner = _with_modules(_uncompiled(root))
        function = inner.forward if isinstance(inner, torch.nn.Module) \
            else inner
        given.update(_by_name(function, args, kwargs))
        return look(inner, given, script, by_place=list(
            inspect.signature(function).parameters)[:len(args)])
    edited = opened("debug", script, recorded)
    return edited(given) if edited else root(*args, **kwargs)
