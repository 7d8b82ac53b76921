"""Nodes run here, for fxdb's python backend (guest/backend_python.c).

What operations give stays in this process and has a number there; plain data
cross as JSON (see plain and Runner.read).  Every exception is an answer.
"""
import ctypes
import importlib
import itertools
import json
import mmap
import os
import re
import signal
import sys

import torch

from fxdb import _autocast, _copies, _effects, _home, _memory, _named, \
    _weights

_DTYPES = {str(getattr(torch, name))[6:]: getattr(torch, name)
           for name in dir(torch)
           if isinstance(getattr(torch, name), torch.dtype)}
# For the few constants that cross as Python text, written by fxdb itself.
_NAMES = {"torch": torch, "inf": float("inf"), "nan": float("nan"),
          "NoneType": type(None)}
# Below this many elements a copy in row-major order is cheap.
_SMALL = 1 << 16


class Unsupported(Exception):
    """fxdb may try something else."""


class Lost(Exception):
    """What a call wrote would be seen by nobody."""


class NoValue(Exception):
    """A tensor on the meta device, where a value is wanted, or no model."""


def set_threads(count):
    """As the shim does; Debian's default of one is slow."""
    for name in "OMP_NUM_THREADS", "MKL_NUM_THREADS":
        digits = re.match(r"\s*(\d+)", os.environ.get(name, ""))
        count = count or int(digits[1]) if digits else count
    torch.set_num_threads(count or len(os.sched_getaffinity(0)))


def _where(path):
    """The object that a dotted path names."""
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    return getattr(importlib.import_module("builtins"), path)


def _storage(tensor):
    try:
        return tensor.untyped_storage()
    except AttributeError:  # torch 1.13
        return tensor.storage().untyped()


def bytes_of(tensor):
    """TENSOR's elements, contiguous, as bytes.  Not by numpy: what it has seen
    cannot be resized any more.
    """
    plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    size = plain.numel() * plain.element_size()
    if size and not plain.data_ptr():
        raise Unsupported("the tensor has no memory")
    return ctypes.string_at(plain.data_ptr(), size)


def _check_bounds(tensor):
    """Refuse TENSOR where some of its elements are not in its storage: some
    operators (_reshape_alias) lay it as they are told.
    """
    first = last = tensor.storage_offset()
    for size, stride in zip(tensor.shape, tensor.stride()):
        first += min(0, (size - 1) * stride)
        last += max(0, (size - 1) * stride)
    room = _storage(tensor).nbytes() // tensor.element_size()
    if tensor.numel() and tensor.device.type == "cpu" and \
            (first < 0 or last >= room):
        raise IndexError(
            "a tensor of sizes %s with strides %s from element %d does not lie "
            "in its storage of %d bytes" % (
                list(tensor.shape), list(tensor.stride()),
                tensor.storage_offset(), _storage(tensor).nbytes()))


def _check_has_values(function, data, result):
    """A parameter without values makes results without, and says nothing."""
    if not isinstance(result, torch.Tensor) or not result.is_meta or \
            not isinstance(function, torch.nn.Module) or \
            any(isinstance(item, torch.Tensor) and item.is_meta
                for item in data):
        return
    names = [name for name, parameter in function.named_parameters()
             if parameter.is_meta]
    if names:
        raise NoValue("the module's %s has no values" % names[0])


class Runner:
    """The values and prepared calls of one capture."""

    def __init__(self, root, graph, weights, home=None):
        self.root = root
        self.home = home  # the device of what comes from fxdb; None: as it is
        self.weights = weights  # gives what the graph has
        self.is_changed = False
        self.targets = graph.targets
        self.graph, self.tensors = graph, graph.tensors
        self.objects = {}
        self.named = _named.Objects()
        self.plans = {}
        self.memories = {}
        self.began = {}  # what modules remembered at first, by path
        self.copies = {}  # of this, for copies of the graph, by number
        self.numbers = itertools.count(1)

    def _number(self, table, thing):
        number = next(self.numbers)
        table[number] = thing
        return number

    # -- data ------------------------------------------------------------

    def read(self, data):
        """What fxdb sent, as Python's objects."""
        if not isinstance(data, dict):
            return data
        kind, of = next(iter(data.items()))
        if kind == "h":
            return self.objects[of]
        if kind == "f":
            return float(of)
        if "of" in data:
            return self.named.made(data, list(map(self.read, of)),
                                   self._object)
        if kind in ("tuple", "list", "slice", "size"):
            items = [self.read(item) for item in of]
            return {"tuple": tuple, "list": list, "size": torch.Size,
                    "slice": lambda three: slice(*three)}[kind](items)
        if kind == "dict":
            items = [self.read(item) for item in of]
            return dict(zip(items[::2], items[1::2]))
        if kind == "dtype":
            return _DTYPES[of]
        if kind == "device":
            return torch.device(of)
        if kind == "b":
            return bytes.fromhex(of)
        if kind == "object":
            return self._object(of)
        return eval(of, dict(_NAMES))

    def _object(self, text):
        """What the trace kept, or what lies where TEXT says: a function's
        path, or the third part for a member of an Enum."""
        for table in self.targets, _NAMES:
            if text in table:
                return table[text]
        shown, *found = text.split("\x1f")
        try:
            return _where(found[1].replace(":", ".") if found else text)
        except (AttributeError, ImportError, LookupError, TypeError,
                ValueError):
            raise Unsupported("Python has no %s" % shown)

    def plain(self, value):
        """VALUE for fxdb; what only Python understands stays here."""
        kind = type(value)
        if value is None or kind in (bool, str):
            return value
        if kind is int and -(1 << 63) <= value < 1 << 63:
            return value
        if kind is float:
            return {"f": repr(value)}
        opened = None if isinstance(value, torch.Tensor) else \
            self.named.plain(value, self.plain)
        if opened:
            return opened
        if kind in (tuple, list):
            return {kind.__name__: [self.plain(item) for item in value]}
        if kind is torch.Size:
            return {"size": [self.plain(item) for item in value]}
        if kind is dict:
            return {"dict": [self.plain(item) for pair in value.items()
                             for item in pair]}
        if kind is slice:
            return {"slice": [self.plain(item) for item in
                              (value.start, value.stop, value.step)]}
        if kind is torch.dtype:
            return {"dtype": str(value)[6:]}
        if kind is torch.device:
            return {"device": str(value)}
        return self._handle(value)

    def _handle(self, value):
        is_dense = isinstance(value, torch.Tensor) and \
            value.layout is torch.strided and not value.is_nested
        if is_dense:
            _check_bounds(value)
        answer = {"h": self._number(self.objects, value)}
        if is_dense or isinstance(value, _memory.Memory):
            answer.update(self._about(value))
        else:
            answer["text"] = repr(value)[:500]
        return answer

    def _about(self, tensor):
        if isinstance(tensor, _memory.Memory):
            # A tensor of no elements in a storage of its own.
            return dict(dtype="uint8", shape=[0], strides=[1], offset=0,
                        device="cpu", storage=id(tensor), size=0)
        storage = _storage(tensor)
        return dict(
            dtype=str(tensor.dtype)[6:], shape=list(tensor.shape),
            strides=list(tensor.stride()), offset=tensor.storage_offset(),
            device=str(tensor.device), size=storage.nbytes(),
            # One without memory may still grow.
            storage=storage.data_ptr() or storage._cdata)

    # -- calls -----------------------------------------------------------

    def _function(self, message):
        opcode, target = message["opcode"], message["target"]
        if opcode == "call_method":
            return lambda self, *args, **kwargs: \
                getattr(self, target)(*args, **kwargs)
        try:
            if opcode == "call_module":
                return self.root.get_submodule(target)
            return self.targets[target] if target in self.targets \
                else _where(target)
        except (AttributeError, ImportError, KeyError) as error:
            raise Unsupported("Python has no %s: %s" % (target, error))

    def _memory_of(self, function, buffers):
        """One for all calls of FUNCTION, or None."""
        if id(function) not in self.memories:
            self.memories[id(function)] = _memory.memory_of(
                [part for part in function.modules() if _effects.is_own(part)],
                buffers) if isinstance(function, torch.nn.Module) \
                else _memory.memory_of_function(function)
        return self.memories[id(function)]

    def resolve(self, message):
        function = self._function(message)
        buffers = _effects.buffers_of(function) \
            if message["opcode"] == "call_module" else []
        answer = {"plan": self._number(
            self.plans, (function, message["keywords"], buffers,
                         message["opcode"] == "call_module" and
                         message["target"])),
            "writes": _effects.writes(function, message)}
        memory = self._memory_of(function, buffers) \
            if message["opcode"] != "call_method" else None
        if memory and message["opcode"] == "call_module" and \
                message["target"] not in self.began:
            self.began[message["target"]] = memory.save()
        if buffers or memory:
            paths = {id(inner): path and path + "."
                     for path, inner in function.named_modules()} \
                if buffers else {}
            found = {id(tensor): (paths[id(owner)] + name, tensor.detach())
                     for owner, name, tensor in buffers}
            if memory:
                found[id(memory)] = "", memory
            answer["names"] = self.plain([name for name, _ in found.values()])
            answer["also"] = self.plain([t for _, t in found.values()])
        return answer

    def call(self, message):
        self.weights()  # before anything runs
        self.is_changed = True
        function, keywords, buffers, path = self.plans[message["plan"]]
        self.named.given.clear()
        data = [self.read(item) for item in message["data"]]
        at = len(data) - len(keywords)
        tensors = [item for item in data if isinstance(item, torch.Tensor)
                   and item.layout is torch.strided and not item.is_nested]
        before = [_memory.lies(tensor) for tensor in tensors]
        with torch.no_grad(), _autocast.module_under(self.graph, path):
            try:
                result = function(*data[:at], **dict(zip(keywords, data[at:])))
            finally:
                _effects.settle(buffers)
        _check_has_values(function, data, result)
        lost = self.named.written()
        if lost:
            raise Lost("it writes a part of what it is given, and has a copy "
                       "of the %s here; set backend python runs all of it in "
                       "one place" % lost.__name__)
        after = [_memory.lies(tensor) for tensor in tensors]
        return {"result": self.plain(result), "reshaped": before != after}

    def new_run(self, message):
        """What is registered is as the graph has it."""
        if self.is_changed:
            self.weights().restore()
        self.is_changed = False
        return {}

    def end_copy(self, message):
        """Nothing more is run of a copy (_copies.py)."""
        return {}

    def forget(self, message):
        for number in message["plans"]:
            self.plans.pop(number, None)
        for number in message["objects"]:
            self.objects.pop(number, None)
            self.named.forget(number)
        return {}

    # -- tensors ---------------------------------------------------------

    def tensor(self, message):
        """A parameter or buffer, or a constant of the trace, by its path."""
        found = _weights.find(self.root, self.tensors, message["path"])
        if found.is_meta:
            raise NoValue("%s has no values" % message["path"])
        return {"result": self._handle(found)}

    def elements(self, message):
        tensor = self.objects[message["h"]].detach()
        first, count = message["first"], message["count"]
        if tensor.is_contiguous() or tensor.numel() <= _SMALL:
            part = tensor.contiguous().reshape(-1)[first:first + count]
        else:
            rest = torch.arange(first, first + count, device=tensor.device)
            index = []
            for size in reversed(tensor.shape):
                index.insert(0, rest % size)
                rest = torch.div(rest, size, rounding_mode="floor")
            part = tensor[tuple(index)]
        return {}, bytes_of(part)

    def _at_home(self, tensor, message):
        """TENSOR where MESSAGE says, or where the model lies."""
        where = message.get("device", self.home)
        return tensor if where is None else tensor.to(where)

    def make(self, message, memory):
        shape, dtype = message["shape"], _DTYPES[message["dtype"]]
        tensor = torch.empty(shape, dtype=dtype)
        if tensor.numel():
            with mmap.mmap(memory, 0, prot=mmap.PROT_READ) as data:
                tensor = torch.frombuffer(bytearray(data),
                                          dtype=dtype).reshape(shape)
        return {"result": self._handle(self._at_home(tensor, message))}

    def _laid(self, storage, message):
        """What lies in STORAGE as MESSAGE says."""
        tensor = torch.empty(0, dtype=_DTYPES[message["dtype"]],
                             device=storage.device)
        if storage.nbytes():
            tensor.set_(storage, message["offset"], message["shape"],
                        message["strides"])
        else:
            tensor = tensor.as_strided(message["shape"], message["strides"])
        return {"result": self._handle(tensor)}

    def parameter(self, message, memory):
        """One that is newer than the process: the whole storage comes."""
        size = os.fstat(memory).st_size
        words = self.make({"shape": [size], "dtype": "uint8"}, memory)
        number = words["result"]["h"]
        return self._laid(_storage(self.objects.pop(number)), message)

    def beside(self, message):
        """Another in the storage of one that was sent."""
        return self._laid(_storage(self.objects[message["h"]]), message)

    def generate(self, message):
        """Normal for floats and complex numbers, else zeros; the state stays as
        it is.
        """
        shape, dtype = message["shape"], _DTYPES[message["dtype"]]
        # Numbers of eight bits are not drawn as such.
        is_small = dtype.is_floating_point and torch.finfo(dtype).bits < 16
        tensor = torch.zeros(shape, dtype=torch.float if is_small else dtype)
        if dtype.is_floating_point or dtype.is_complex:
            tensor.normal_(generator=torch.Generator().manual_seed(
                message["seed"]))
        return {"result": self._handle(self._at_home(tensor.to(dtype),
                                                     message))}

    def truth(self, message):
        return {"result": bool(self.objects[message["h"]])}

    def text(self, message):
        return {"result": str(self.objects[message["h"]].detach())}

    def _words(self, tensor):
        """The bytes that TENSOR's storage is."""
        storage = _storage(tensor)
        words = torch.empty(0, dtype=torch.uint8, device=tensor.device)
        return words.set_(storage) if storage.nbytes() else words

    def storage_save(self, message):
        tensor = self.objects[message["h"]]
        if isinstance(tensor, _memory.Memory):
            return {}, tensor.save()
        return {}, bytes_of(self._words(tensor.detach()))

    def storage_restore(self, message, memory):
        tensor = self.objects[message["h"]]
        if isinstance(tensor, _memory.Memory):
            with mmap.mmap(memory, 0, prot=mmap.PROT_READ) as data:
                tensor.restore(bytes(data))
            return {}
        words = self._words(tensor.detach())
        if words.numel():
            with mmap.mmap(memory, 0, prot=mmap.PROT_READ) as data:
                saved = torch.frombuffer(bytearray(data), dtype=torch.uint8)
                # It may have grown.
                words[:saved.numel()].copy_(saved)
        return {}

    def shape(self, message):
        return self._about(self.objects[message["h"]])

    def shape_restore(self, message):
        tensor = self.objects[message["h"]]
        if isinstance(tensor, torch.Tensor):
            with torch.no_grad():
                tensor.as_strided_(message["shape"], message["strides"],
                                   message["offset"])
        return {}

    def random_save(self, message):
        return {}, bytes_of(_home.random_state(self.home))

    def random_restore(self, message, memory):
        with mmap.mmap(memory, 0, prot=mmap.PROT_READ) as data:
            _home.put_random_state(
                torch.frombuffer(bytearray(data), dtype=torch.uint8),
                self.home)
        return {}

    def seed(self, message):
        torch.manual_seed(message["number"])
        return {}

    def threads(self, message):
        set_threads(message["number"])
        return {}

    # -- the door --------------------------------------------------------

    def _answer(self, message, fds):
        runner = _copies.of(self, message)
        answer = getattr(runner, message["op"][4:])(message, *fds)
        return answer if isinstance(answer, tuple) else (answer, b"")

    def serve(self, message, fds):
        """(answer, bytes) to MESSAGE, whose operation begins with run_."""
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            answer, data = self._answer(message, fds)
            answer["ok"] = True
            json.dumps(answer)
        except BaseException as error:
            answer, data = {"ok": False, "error": _failure(error)}, b""
        finally:
            try:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            except KeyboardInterrupt:  # which came after the operation
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            _flush()
            for descriptor in fds:
                os.close(descriptor)
        return answer, data


def _flush():
    """What a node printed is read before its answer."""
    for stream in sys.stdout, sys.stderr:
        try:
            stream.flush()
        except Exception:  # the user's, or closed
            pass


def _failure(error):
    if isinstance(error, KeyboardInterrupt):
        return {"code": "interrupted", "message": "interrupted"}
    if isinstance(error, Unsupported):
        return {"code": "unsupported", "message": str(error)}
    if isinstance(error, NoValue):
        return {"code": "no-value", "message": str(error)}
    if isinstance(error, Lost):
        return {"code": "backend", "message": str(error)}
    try:
        text = str(error).strip().split("\n")[0]
    except Exception:
        text = "(its message cannot be had)"
    return {"code": "backend", "message": "%s: %s" % (
        type(error).__name__, text)}
