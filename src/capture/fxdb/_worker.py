"""The process that holds the user's Python for fxdb: a fork server.

The parent imports torch and this package and nothing else; every capture runs
in a child of its own with the user's code in it.  Messages are JSON lines on
a socket; a child answers on the socket that came with its request, keeps its
model and serves what is asked later (weights) until that socket closes.

No process outlives its use: a child ends when its socket closes, a busy one
with the server, and the server with fxdb, taking what models left running.
"""
import contextlib
import faulthandler
import gc
import json
import os
import signal
import socket
import sys
import time
import traceback

import torch

import fxdb
from fxdb import _autocast, _capture, _check, _example, _export, _find, \
    _home, _inputs, _partial, _pass, _remedy, _report, _run, _torch, \
    _values, _vary, _weights


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


class _Capture:
    """One capture, in the process made for it."""

    keeps_interrupted = False  # the graph so far of what Ctrl-C ended

    def __init__(self, request, channel):
        self.request = request
        self.channel = channel
        self.pid = os.getpid()
        self.times = [time.perf_counter()] * 3
        self.model = self.fixed = self.tracer = self.graph = None
        self.made = None  # what it was made of
        self.given = {}  # what a recording ran on
        self.home = None  # the device that the model or else its inputs lie on
        self.recorded = {}
        self.last = None  # the message that ended it
        self.mode = "train" if request.get("train") else "eval"
        self.how = "traced"

    def _trace(self):
        spec = self.request["spec"]
        if self.request.get("host"):  # for what is asked later, of no model
            self.graph = fxdb.symbolic_trace(lambda: None)
            self.model = self.graph.root
            return
        if self.request.get("file"):
            self.made = _values.read(spec, self.request["file"])
            self.graph = fxdb.symbolic_trace(lambda: None)
            return
        # Weights follow from the seed, so equal commands give equal runs.
        torch.manual_seed(self.request["seed"])
        module, expression = _find.load(spec)
        self.module = module
        self.model = _find.model(_find.evaluate(module, expression, spec),
                                 spec, module)
        self._set_mode()
        with contextlib.suppress(Exception):  # it is told when they are used
            self._settle(module)
        if self.request.get("export") is not None:
            self.times[1:] = [time.perf_counter()] * 2
            self.graph = self._exported(module)
        elif _is_graph(self.model) and not self._asks_anew():
            self.times[1:] = [time.perf_counter()] * 2
            self.graph = self._as_it_stands()
        else:
            self.graph = self._trace_anew(module)
        self.times[2] = time.perf_counter()

    def _set_mode(self):
        """Training or not, as the request says; a Graph of fxdb is what it
        was when it was made."""
        module = self.model.owning_module \
            if isinstance(self.model, torch.fx.Graph) else self.model
        if isinstance(module, fxdb.Graph):
            self.mode = "train" if module.root.training else "eval"
        if not isinstance(module, torch.nn.Module):
            return
        # Called, not set: models override train() to keep parts frozen.
        try:
            if self.request.get("train"):
                module.train()
            else:
                module.eval()
        except NotImplementedError:
            self.mode = "exported"  # the mode is in its operators

    def _settle(self, module):
        """Layers that get their sizes from their input get them, where there
        is one."""
        texts = self.request.get("example") or self.request.get("inputs")
        if texts and _check.is_lazy(self.model):
            _check.settle(self.model, _find.examples(
                dict(self.request, example=texts), module, self.model)[0])

    def _asks_anew(self):
        """Whether a flag is of a trace or a recording, not of a graph."""
        return self.request.get("example") is not None or any(
            self.request.get(key)
            for key in ("leaf", "concrete", "tracer", "partial"))

    def _exported(self, module):
        """The Graph of what torch.export makes of the model."""
        self.how = "exported"
        held = self._held_inputs(module)
        model, sizes = _export.export(self.request, self.model, module)
        if held:
            _inputs.keep(model, held)
        self.recorded["sizes_open"] = sizes
        self.model = model
        return _torch.from_torch(model, _torch.is_guard)

    def _as_it_stands(self):
        """The Graph of a model that is one."""
        self.how = "opened as it stands"
        given = self.model
        if isinstance(given, fxdb.Graph):
            self.model = given.root
            return given
        graph = _torch.from_torch(given, _torch.is_guard)
        self.model = graph.root
        return graph

    def _trace_anew(self, module):
        if isinstance(self.model, (fxdb.Graph, torch.fx.Graph)):
            raise _find.Refused("usage", "a graph is opened as it stands; "
                                "flags of a trace are for modules")
        self.fixed = _find.concrete(self.request, module, self.model)
        tracer = _find.tracer(self.request, module, self.model)
        held = self._held_inputs(module)
        tracer._hold = held and (lambda root: _inputs.keep(root, held))
        # Not before: what builds a model meets torch as it is, and Dynamo goes
        # without a word around modules whose __call__ is another.
        _capture.install()
        fxdb._installed = True
        self.times[1:] = [time.perf_counter()] * 2
        self.tracer = tracer
        if self.request.get("example") is not None:
            graph = self._record(tracer, module)
        else:
            with _autocast.entered() as places:
                if self.request.get("partial"):
                    graph, self.recorded["kept"] = _partial.trace(
                        tracer, self.model, self.fixed, places.clear)
                else:
                    graph = tracer.trace(self.model, self.fixed)
            if places:
                self.recorded["remark"] = _autocast.remark(places)
        if not isinstance(graph, fxdb.Graph):
            raise _find.Refused("type", "%s.trace gave a %s, not an "
                                "fxdb.Graph" % (type(tracer).__name__,
                                                type(graph).__name__))
        return graph

    def _held_inputs(self, module):
        """What keep takes of inputs that are written with names of the model's
        file."""
        values, texts = _find.own_inputs(self.request, module, self.model)
        if not values:
            return None
        held = _inputs.held(values, texts)
        self.recorded["inputs"] = _inputs.typed(held, texts)
        return held

    def _record(self, tracer, module):
        """The Graph of one run on the inputs asked for."""
        given, other = _find.examples(self.request, module, self.model)
        texts = _inputs.texts(given, dict(_find.texts(
            self.request, "example", self.model)))
        state = _weights.tensors_of(self.model)
        if _home.home_of_model(self.model) == "meta":
            self.request["check"] = False  # there are no values
        varied, checked = self._recorded(tracer, given, other, state)
        if varied.recorder.is_foreign and (varied.problem or checked and (
                checked["difference"] != 0.0 or checked["sizes"])):
            # What came from elsewhere is no constant.
            tracer._wholes.searches = True
            varied, checked = self._recorded(tracer, given, other, state)
        graph = varied.graph
        self.given = given
        self.recorded = {
            "record_ms": varied.ms,
            "notes": _report.notes_of(varied.recorder, graph),
            "inputs": texts,
            "checked": self.request["check"],
            "varied": ", ".join(map(" = ".join, varied.sizes)),
            "problem": varied.problem,
            "kept": varied.recorder.wholes.known.remarks(),
            "stops": _report.stops_in(varied.recorder, graph),
        }
        if "other" in checked:
            checked["differs"] = _vary.parting(
                tracer, self.model, graph, checked.pop("other"), state) or \
                checked["differs"]
            _inputs.keep(tracer.root, given)
        self.recorded.update(checked)
        # The image is asked for next, and need not be made twice.
        if isinstance(self.model, torch.nn.Module) and \
                graph.tensors.keys() == state.paths:
            self.made = state
        return graph

    def _recorded(self, tracer, given, other, state):
        """What a recording gives, and its check or {}."""
        seed = self.request["seed"]
        torch.manual_seed(seed)  # as each run of the graph begins
        began = time.perf_counter()
        varied = _vary.record(tracer, self.model, given, other, state) \
            if other else _vary.Varied(*_example.record(
                tracer, self.model, _check.copy(given), state))
        varied.ms = (time.perf_counter() - began) * 1e3
        return varied, _check.check(
            self.model, tracer, varied.graph, given, seed + 1000, state,
            varied.others) if self.request["check"] else {}

    def _is_tracing(self):
        return self.tracer is not None and self.request.get("example") is None

    def _explain(self, error):
        try:
            report = _report.failure(error, self.graph, self.fixed,
                                     self._is_tracing())
            report["hint"] = report["hint"] or _remedy.renamed(
                self.request, self.model, error)
        except Exception:
            return _report.last_resort(error)
        if report.get("can_record") and self.request.get("inputs"):
            refused = _remedy.refused(self.request, self.module, self.model)
            if refused:
                report["can_record"] = False
                report["details"].append("no run can be recorded: %s" % refused)
                report["hint"] = refused.hint or report["hint"]
        return report

    def _remedy(self, error):
        """Flags that were tried and with which the trace succeeds, or ""."""
        if not isinstance(error, Exception) or \
                isinstance(error, _find.Refused):
            return ""
        try:
            if self.how == "exported":
                flags = _remedy.instead_of_export(self.request, self.module,
                                                  self.model)
            elif self._is_tracing():
                flags = _remedy.find(self.request, self.module, self.model,
                                     error, self.graph)
            else:
                return ""
        except (Exception, KeyboardInterrupt):
            return ""
        return "".join(" " + " ".join(flag).strip() for flag in flags)

    def _suggest(self, error):
        """What was asked for instead of a graph: whether there are ways to
        one, which go with the answer.  ERROR ended the trace, or None."""
        if not self.request.get("suggest") or isinstance(
                error, _find.Refused) or error and not (
                    isinstance(error, Exception) and self._is_tracing()):
            return False
        found = _remedy.suggest(self.request, self.module, self.model, error,
                                self.graph)
        self.recorded = {"suggested": [
            ["", 0, "".join(" " + " ".join(flag).strip() for flag in flags),
             what] for flags, what in found]}
        if found:
            self.graph = None
        return bool(found)

    def run(self):
        """Trace and answer.  True while there is a graph to serve."""
        report = None
        try:
            try:
                self._trace()
            except Exception as error:
                if self.tracer is not None:
                    self.graph = getattr(self.tracer, "partial", None)
                if not self._suggest(error):
                    raise
            else:
                self._suggest(None)
        except BaseException as error:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            if self.tracer is not None:
                self.graph = getattr(self.tracer, "partial", None)
            report = self._explain(error)
            report["remedy"] = self._remedy(error)
            if report["remedy"]:
                report["hint"] = None  # better than advice
            if report["remedy"].startswith(" --example"):
                report["can_record"] = False  # said already
            if isinstance(error, KeyboardInterrupt):
                report.update(code="interrupted", message="interrupted",
                              hint=None, nodes=[])
                if not self.keeps_interrupted:
                    self.graph = None
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if os.getpid() != self.pid:
            os._exit(0)  # a process that the model forked came this way too
        self._answer(report)
        return self.graph is not None

    def _find_home(self):
        if self.graph is not None:
            self.home = _home.home_of(self.graph.tensors.values()) or \
                _home.home_of(item for item in _check.leaves(
                    _inputs.flat(self.given)) if torch.is_tensor(item))

    def _answer(self, report):
        text = b""
        try:
            if self.graph is not None:
                text = self.graph.fxg()
        except Exception as error:
            report = report or self._explain(error)
            self.graph = None
        began, built, traced = self.times
        answer = {
            "ok": report is None, "error": report,
            "python": "python%d.%d" % sys.version_info[:2],
            "path": sys.executable,
            "torch": torch.__version__,
            "build_ms": (built - began) * 1e3,
            "trace_ms": (traced - built) * 1e3,
            "mode": self.mode, "how": self.how,
        }
        self._find_home()
        if self.home:
            answer["device"] = self.home
        answer.update(self.recorded)
        sys.stdout.flush()
        sys.stderr.flush()
        self.channel.send(answer, text)

    def serve(self):
        """Answer what is asked later, until the socket closes."""
        runner = None
        while True:
            message, fds = self._next()
            if message is None or message["op"] == "end":
                self.last = message
                return
            if message["op"] == "weights":
                self._send_weights()
            elif message["op"] == "pass":
                self.channel.send(*_pass.serve(message, fds, self))
            elif message["op"].startswith("run_"):
                runner = runner or self._runner()
                self.channel.send(*runner.serve(message, fds))

    def _next(self):
        return self.channel.receive(1)

    def _runner(self):
        _run.set_threads(0)
        return _run.Runner(self.model, self.graph, self._weights, self.home)

    def _weights(self):
        if self.made is None:
            self.made = _weights.Weights(self.model, self.graph)
        return self.made

    def _send_weights(self):
        try:
            weights = self._weights()
        except Exception as error:
            self.channel.send({"ok": False, "error": self._explain(error)})
            return
        self.channel.send({"ok": True, "skipped": weights.skipped},
                          fds=[weights.memory])


def _is_graph(model):
    return isinstance(model, (fxdb.Graph, torch.fx.Graph, torch.fx.GraphModule))


def _kill_group(leader):
    """End what a model left running beside its own process, LEADER."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except OSError:
        pass


def _child(request, server, sock, output, crash):
    """Everything a capture's own process does; never returns."""
    status = 1
    try:
        os.setpgid(0, 0)
        _capture.die_with_parent(True)
        if os.getppid() != server:
            os._exit(1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        signal.signal(signal.SIGINT, signal.default_int_handler)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(output)
        sys.stdout, sys.stderr = (
            open(number, "w", buffering=1, errors="backslashreplace",
                 closefd=False) for number in (1, 2))
        faulthandler.enable(crash, all_threads=False)
        # What the model forks must not keep the socket open.
        os.register_at_fork(after_in_child=sock.close)
        os.chdir(request["cwd"])
        sys.argv[:] = [request["spec"].partition(":")[0]]
        channel = _Channel(sock)
        channel.send({"pid": os.getpid()})
        capture = _Capture(request, channel)
        if capture.run():
            _capture.die_with_parent(False)
            capture.serve()
            _kill_group(os.getpid())
        status = 0
    except (BrokenPipeError, ConnectionResetError):
        pass
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


class _Server:
    def __init__(self, control):
        self.control = control
        self.channel = _Channel(control)
        self.children = {}  # pid -> descriptor for the place of a crash
        self.ended = []     # [pid, wait status, frames of a crash]

    def reap(self, *_):
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            crash = self.children.pop(pid, None)
            if crash is None:
                continue
            _kill_group(pid)
            os.lseek(crash, 0, os.SEEK_SET)
            text = os.read(crash, 65536).decode("utf-8", "replace")
            os.close(crash)
            self.ended.append([pid, status, _report.crash(text)])

    def fork(self, request, sock, output):
        server = os.getpid()
        crash = os.memfd_create("fxdb-crash")
        try:
            pid = os.fork()
        except OSError:
            os.close(crash)
            raise
        if pid == 0:
            self.control.close()
            for other in self.children.values():
                os.close(other)
            _child(request, server, socket.socket(fileno=sock), output, crash)
        self.children[pid] = crash

    def begin(self, request, fds):
        del self.ended[:-50]  # what nobody asked about
        # A child that ends at once is reaped only when it is known.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
        try:
            self.fork(request, *fds)
        except OSError as error:
            sock = socket.socket(fileno=fds[0])
            _Channel(sock).send({"ok": False, "error": {
                "code": "child", "message": "no process for the model: %s" %
                error}})
            sock.detach()
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
            for descriptor in fds:
                os.close(descriptor)

    def serve(self):
        while True:
            request, fds = self.channel.receive(2)
            if request is None:
                return
            if request["op"] == "status":
                # reap() may add to the list at any moment.
                count = len(self.ended)
                self.channel.send({"ended": self.ended[:count]})
                del self.ended[:count]
            elif request["op"] == "trace" and len(fds) == 2:
                self.begin(request, fds)

    def end(self):
        """Nothing that a model left running stays; fxdb waits for that, but
        not for the system, which takes long to free what a torch needs."""
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for pid in list(self.children):
            _kill_group(pid)
        with contextlib.suppress(OSError):
            self.control.shutdown(socket.SHUT_RDWR)
        os._exit(0)


def _warm_up():
    """Trace once, so that what a trace needs is looked up and loaded before
    the forks; and keep the collector from copying what they share."""
    class Small(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.Sequential(torch.nn.ReLU())

        def forward(self, x):
            x = torch.relu(self.layers(x)).view(-1) + x.shape[0]
            return torch.nn.functional.relu(x)
    graph = fxdb.Tracer().trace(Small())
    graph.fxg()
    del graph
    gc.collect()
    gc.freeze()


def main(fd):
    """Serve requests on descriptor FD until it closes."""
    server = _Server(socket.socket(fileno=fd))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, server.reap)
    try:
        _warm_up()
        server.channel.send({"ready": True, "build": _capture.BUILD,
                             "python": "%d.%d.%d" % sys.version_info[:3],
                             "torch": torch.__version__})
        server.serve()
    except (BrokenPipeError, ConnectionResetError):
        pass
    finally:
        server.end()
