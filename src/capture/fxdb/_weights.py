"""What a model is made of, as it was when it was traced.

Running writes the model's own tensors.  Before the first call all of them are
copied to one safetensors image in memory: that is what fxdb gets when it asks
for the weights, whatever has run, and what another run begins with.
"""
import ctypes
import json
import mmap
import os
import re
import struct
import types

import torch

from . import _capture

# torch's dtype -> the format's name; some are of newer torches only.
_NAMES = {getattr(torch, name): word
          for name, word in _capture.SAFETENSORS.items()
          if hasattr(torch, name)}
_memcmp = ctypes.CDLL(None).memcmp
_memcmp.argtypes = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t


def can_be_written(tensor, dtypes=_NAMES):
    """Whether TENSOR has bytes of its own, of one of DTYPES: those that
    safetensors can name."""
    try:
        return isinstance(tensor, torch.Tensor) and not tensor.is_meta and \
            tensor.layout is torch.strided and tensor.dtype in dtypes and \
            not hasattr(tensor, "__tensor_flatten__") and \
            tensor.shape is not None
    except RuntimeError:  # an UninitializedParameter has no shape
        return False


def plain(tensor):
    return tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()


def memory(dense):
    """The bytes of DENSE, which is contiguous, to read and write."""
    size = dense.numel() * dense.element_size()
    return (ctypes.c_char * size).from_address(dense.data_ptr()) \
        if size else b""


def _bytes(tensor):
    """Not by numpy: what it has seen cannot be resized any more."""
    dense = plain(tensor)
    return dense, memory(dense)


def _range(tensor):
    """The addresses where TENSOR's bytes begin and end."""
    begin = tensor.data_ptr()
    last = sum((size - 1) * step
               for size, step in zip(tensor.shape, tensor.stride()))
    return begin, begin + (last + 1) * tensor.element_size()


def _overlapping(tensors):
    """Lists of those TENSORS that reach into each other's bytes."""
    groups, reached = [], 0
    for begin, end, _, tensor in sorted(
            _range(tensor) + (i, tensor) for i, tensor in enumerate(tensors)
            if can_be_written(tensor) and tensor.numel()):
        if begin >= reached:
            groups.append([])
        groups[-1].append(tensor)
        reached = max(reached, end)
    return [group for group in groups if len(group) > 1]


def _layout(tensor):
    return (tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride(),
            tensor.is_neg())


def _window(group):
    """The bytes in which all of GROUP lie, or None: a view that negates has
    others, and so has what lies across.
    """
    begin = group[0].data_ptr()
    end = max(_range(tensor)[1] for tensor in group)
    if any(tensor.is_neg() or tensor.device.type != "cpu" or
           (tensor.data_ptr() - begin) % tensor.element_size()
           for tensor in group):
        return None
    return torch.frombuffer((ctypes.c_char * (end - begin)).from_address(
        begin), dtype=torch.uint8)


def places(tensors):
    """Of those TENSORS that share memory, by their id: the tensor that is
    written for them, and where in it they lie, as offset and strides in
    elements, which are None where all lie alike.
    """
    found = {}
    for group in _overlapping(tensors):
        window = _window(group)
        if len(set(map(_layout, group))) == 1:
            found.update((id(tensor), (group[0], 0, None)) for tensor in group)
        elif window is not None:
            found.update((id(tensor), (
                window, (tensor.data_ptr() - window.data_ptr()) //
                tensor.element_size(), tensor.stride())) for tensor in group)
    return found


def find(root, tensors, path):
    """What the dotted PATH names in the module ROOT; where it names nothing,
    the constant of a trace that TENSORS has by it.  KeyError without either.
    """
    found = root
    try:
        for part in path.split("."):
            found = getattr(found, part)
    except AttributeError:
        return tensors[path]
    return found


class Weights:
    """An image of the tensors of GRAPH (path -> tensor), of the module or
    function ROOT, and the paths of those that have no such form.  What shares
    memory is written once, for the first.
    """

    def __init__(self, root, graph):
        self.skipped = []
        self.blocks = []  # tensor, where its bytes begin, their number
        self.root = root
        header, seen, offset, able = {}, set(), 0, {}
        places = graph.places
        self.paths = set(graph.tensors)
        # A model that lies there whole has nothing to write.
        is_on_meta = all(getattr(tensor, "is_meta", False)
                         for tensor in graph.tensors.values())
        for path, tensor in graph.tensors.items():
            if can_be_written(tensor):
                able[path] = tensor
            elif not is_on_meta:
                self.skipped.append(path)
        # The widest first, so that all are aligned without gaps.
        for path in sorted(able, key=lambda p: (-able[p].element_size(), p)):
            tensor = places.get(id(able[path]), (able[path],))[0]
            if id(tensor) in seen:
                continue
            seen.add(id(tensor))
            size = tensor.numel() * tensor.element_size()
            header[path] = {"dtype": _NAMES[tensor.dtype],
                            "shape": list(tensor.shape),
                            "data_offsets": [offset, offset + size]}
            self.blocks.append((tensor, offset, size))
            offset += size
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-(8 + len(text)) % 64)
        self.begin = 8 + len(text)
        self.memory = os.memfd_create("fxdb-weights")
        with os.fdopen(self.memory, "wb", closefd=False) as out:
            out.write(struct.pack("<Q", len(text)))
            out.write(text)
            for tensor, _, _ in self.blocks:
                dense, data = _bytes(tensor)
                out.write(data)
        # A ScriptModule has its tensors where Python puts none.
        self.modules = [module for module in root.modules() if not isinstance(
            module, torch.jit.ScriptModule)] \
            if isinstance(root, torch.nn.Module) else []
        self._remember()

    def _remember(self):
        """Which tensors stand where, and how they lie in their memory."""
        self.places = [(module, table, name, tensor)
                       for module in self.modules
                       for table in ("_parameters", "_buffers", "__dict__")
                       for name, tensor in self._table(module, table).items()
                       if isinstance(tensor, torch.Tensor)]
        known = {id(tensor): tensor for _, _, _, tensor in self.places}
        known.update((id(tensor), tensor) for tensor, _, _ in self.blocks)
        strided = [tensor for tensor in known.values()
                   if tensor.layout is torch.strided]
        # A view of the same memory, which stays when a tensor gets another.
        self.views = [(tensor, tensor.detach()) for tensor in strided]
        written = {id(tensor) for tensor, _, _ in self.blocks}
        self.others = [(tensor, plain(tensor).clone()) for tensor in strided
                       if id(tensor) not in written and not tensor.is_meta]

    @staticmethod
    def _table(module, name):
        return vars(module) if name == "__dict__" else vars(module)[name]

    def restore(self):
        """All is as it was when it was traced."""
        with torch.no_grad():
            self._restore_places()
            for tensor, view in self.views:
                if tensor.data_ptr() != view.data_ptr() or \
                        tensor.shape != view.shape or \
                        tensor.stride() != view.stride():
                    tensor.data = view.detach()
            self._restore_bytes()

    def leave_device(self):
        """The same in a copy of the process, which cannot use the device that
        tensors lie on: there they lie on the processor.  What was there is
        kept, as to give it back would be a use."""
        layouts = {id(tensor): _layout(view) for tensor, view in self.views}
        with torch.no_grad():
            self._restore_places()
            saved = {layouts[id(tensor)]: value
                     for tensor, value in self.others}
            with mmap.mmap(self.memory, 0, access=mmap.ACCESS_COPY) as data:
                for tensor, offset, size in self.blocks:
                    saved[layouts[id(tensor)]] = \
                        self._saved(data, tensor, offset).clone() if size \
                        else torch.empty(tensor.shape, dtype=tensor.dtype)
            here = {}
            for tensor, view in self.views:
                layout = layouts[id(tensor)]
                if layout not in saved:
                    continue  # on meta: there is nothing
                if layout not in here:
                    here[layout] = torch.empty_like(view, device="cpu")
                    here[layout].copy_(saved[layout])
                tensor.data = here[layout]

    def _saved(self, data, tensor, offset):
        """The values of TENSOR in DATA, the image, whose memory it shares."""
        return torch.frombuffer(
            data, dtype=tensor.dtype, count=tensor.numel(),
            offset=self.begin + offset).reshape(tensor.shape)

    def _restore_places(self):
        for module, table, name, tensor in self.places:
            if self._table(module, table).get(name) is not tensor:
                self._table(module, table)[name] = tensor

    def _restore_bytes(self):
        for tensor, saved in self.others:
            if not is_same(tensor, saved):
                tensor.detach().copy_(saved)
        if not any(size for _, _, size in self.blocks):
            return
        with mmap.mmap(self.memory, 0, access=mmap.ACCESS_COPY) as data:
            for tensor, offset, size in self.blocks:
                if size:
                    saved = self._saved(data, tensor, offset)
                    if not is_same(tensor, saved):
                        tensor.detach().copy_(saved)
                    del saved


def _tensors_in(given):
    """The tensors by name in the dict GIVEN."""
    return {name: value for name, value in given.items()
            if isinstance(name, str) and isinstance(value, torch.Tensor)}


def load(path):
    """What torch.save wrote to PATH: tensors and plain containers, nothing else
    is unpickled.  Refused where there is more."""
    from . import _find  # which needs this module
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise _find.Refused("io", "\"%s\": %s" % (path, error.strerror))
    except Exception as error:
        text = str(error)
        found = re.search(r"WeightsUnpickler error: ([^\n]*)", text)
        text = re.split(r"\. Please |\n", found[1] if found else text)[0]
        if isinstance(error, (KeyError, IndexError, EOFError)) or not text:
            text = "torch.save did not write it (%s)" % type(error).__name__
        raise _find.Refused(
            "format", "torch.load(\"%s\", weights_only=True): %s" % (path, text),
            "torch.save(TENSOR, FILE), or of a dict of tensors such as "
            "model.state_dict(), writes what is read")


def image(tensors):
    """An image of TENSORS, a dict, which belong to no model."""
    return Weights(None, types.SimpleNamespace(tensors=tensors, places={}))


def of_file(path):
    """An image of the tensors that torch.save wrote to PATH: a state dict, or
    a checkpoint that has one.  Refused where there is more than one."""
    from . import _find
    given = load(path)
    if not isinstance(given, dict):
        given = {}
    tensors = _tensors_in(given)
    inner = {name: _tensors_in(part) for name, part in given.items()
             if isinstance(part, dict) and _tensors_in(part)}
    if not tensors and len(inner) > 1:
        inner = {name: part for name, part in inner.items()
                 if "state_dict" in str(name) or name == "model"} or inner
    if not tensors and len(inner) == 1:
        tensors, = inner.values()
    if not tensors:
        raise _find.Refused(
            "format", "\"%s\" has %s" % (path, "weights under several names: "
                                         + ", ".join(map(str, inner))
                                         if inner else "no tensors by name"))
    return image(tensors)


def is_same(tensor, saved):
    """Bit for bit: NaN is NaN, and -0.0 is not 0.0."""
    now = plain(tensor)
    return now.shape == saved.shape and not _memcmp(
        now.data_ptr(), saved.data_ptr(),
        now.numel() * now.element_size())


def modules_of(module):
    """MODULE and those in it; of most that are recorded, itself alone."""
    return module.modules() if module._modules else (module,)


def has_any(module, known):
    """Whether a parameter or buffer of MODULE is, by its id, among the KNOWN
    results, as torch.func.functional_call puts one there."""
    _capture.pause(True)
    try:
        return any(id(getattr(each, name, None)) in known
                   for each in modules_of(module)
                   for name in (*each._parameters, *each._buffers))
    finally:
        _capture.pause(False)


def tensors_of(root):
    """What ROOT holds, if it is a module, so that it can be put back."""
    if not isinstance(root, torch.nn.Module):
        root = torch.nn.Module()
    tensors = dict(root.named_parameters(), **dict(root.named_buffers()))
    return Weights(root, types.SimpleNamespace(
        tensors=tensors, places=places(list(tensors.values()))))
