"""A model's tensors as one safetensors image in memory."""
import json
import os
import struct

import torch

from . import _capture

# torch's dtype -> the format's name; some are of newer torches only.
_NAMES = {getattr(torch, name): word
          for name, word in _capture.SAFETENSORS.items()
          if hasattr(torch, name)}


def _can_be_written(tensor):
    """Whether TENSOR has bytes of its own that safetensors can name."""
    try:
        return isinstance(tensor, torch.Tensor) and not tensor.is_meta and \
            tensor.layout is torch.strided and tensor.dtype in _NAMES and \
            not hasattr(tensor, "__tensor_flatten__") and \
            tensor.shape is not None
    except RuntimeError:  # an UninitializedParameter has no shape
        return False


def _bytes(tensor):
    plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    return memoryview(plain.reshape(-1).view(torch.uint8).numpy()) \
        if plain.numel() else b""


def image(tensors):
    """A memory file with TENSORS (path -> tensor) and the paths of those that
    have no such form.  Tied tensors, which ext_modules.c gives one storage, are
    written for the first."""
    header, blocks, skipped, seen, offset = {}, [], [], set(), 0
    able = {}
    for path, tensor in tensors.items():
        if _can_be_written(tensor):
            able[path] = tensor
        else:
            skipped.append(path)
    # The widest first, so that all are aligned without gaps.
    for path in sorted(able, key=lambda p: (-able[p].element_size(), p)):
        tensor = able[path]
        key = (tensor.data_ptr(), tensor.dtype, tuple(tensor.shape),
               tensor.stride(), tensor.is_conj(), tensor.is_neg())
        if tensor.numel() and key in seen:
            continue
        seen.add(key)
        size = tensor.numel() * tensor.element_size()
        header[path] = {"dtype": _NAMES[tensor.dtype],
                        "shape": list(tensor.shape),
                        "data_offsets": [offset, offset + size]}
        blocks.append(tensor)
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    memory = os.memfd_create("fxdb-weights")
    with os.fdopen(memory, "wb", closefd=False) as out:
        out.write(struct.pack("<Q", len(text)))
        out.write(text)
        for tensor in blocks:
            out.write(_bytes(tensor))
    return memory, skipped
