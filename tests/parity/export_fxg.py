#!/usr/bin/env python3
"""Write a torch.fx GraphModule or Graph as .fxg, with its weights beside it.

This follows doc/fxg.md and shares no code with fxdb's own writer, so that the
reader is tested with files somebody else wrote.

usage: as a module: text = dumps(graph), save(gm, "a.fxg")
"""
import ctypes
import hashlib
import json
import math
import os
import struct

import torch
import torch.fx
from torch.fx.node import _type_repr

# ---------------------------------------------------------------- digests

_xxhash = ctypes.CDLL("libxxhash.so.0")


class _Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


_xxhash.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
_xxhash.XXH3_128bits.restype = _Hash


def digest(data):
    """XXH3 of 128 bits of bytes, as 32 hexadecimal digits."""
    hash = _xxhash.XXH3_128bits(data, len(data))
    return "%016x%016x" % (hash.high, hash.low)


# ---------------------------------------------------------------- values

SHORT = {"float32": "f32", "float64": "f64", "float16": "f16",
         "bfloat16": "bf16", "int64": "i64", "int32": "i32", "int16": "i16",
         "int8": "i8", "uint8": "u8", "bool": "b8", "complex64": "c64",
         "complex128": "c128"}
SHORT_OF = {getattr(torch, name): short for name, short in SHORT.items()}
SAFE = {"float32": "F32", "float64": "F64", "float16": "F16",
        "bfloat16": "BF16", "int64": "I64", "int32": "I32", "int16": "I16",
        "int8": "I8", "uint8": "U8", "bool": "BOOL"}


def dtype_name(dtype):
    return str(dtype)[len("torch."):]


# Private attributes that say what a layer does.
TELLING = {"_flat_weights_names"}


def text_of(x):
    """X as the exact text of an argument."""
    if isinstance(x, torch.fx.Node):
        return "%" + x.name
    if isinstance(x, bool) or x is None or type(x) in (int, str, bytes):
        return repr(x)
    if x is Ellipsis:
        return "Ellipsis"
    if type(x) is float:
        return repr(x)
    if type(x) is complex:
        return f"complex({x.real!r}, {x.imag!r})"
    if isinstance(x, torch.Size):
        return "torch.Size([" + ", ".join(map(text_of, x)) + "])"
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        name = type(x).__module__ + "." + type(x).__name__
        return ", ".join(["namedtuple(" + repr(name)] + [text_of(y) for y in x]) + ")"
    if isinstance(x, tuple):
        return "(" + ", ".join(map(text_of, x)) + (",)" if len(x) == 1 else ")")
    if isinstance(x, list):
        return "[" + ", ".join(map(text_of, x)) + "]"
    first = next(iter(x), None) if isinstance(x, dict) else None
    if not isinstance(first, (str, bytes, int, type(None))) or type(first) is int and first < 0:
        return "dict([" + ", ".join(f"({text_of(k)}, {text_of(v)})" for k, v in x.items()) + "])"
    if isinstance(x, dict):
        return "{" + ", ".join(f"{text_of(k)}: {text_of(v)}" for k, v in x.items()) + "}"
    if isinstance(x, slice):
        return f"slice({text_of(x.start)}, {text_of(x.stop)}, {text_of(x.step)})"
    if isinstance(x, range):
        return f"range({x.start}, {x.stop}, {x.step})"
    if isinstance(x, (torch.dtype, torch.layout, torch.memory_format)):
        return str(x)
    if isinstance(x, torch.device):
        return f"torch.device({str(x)!r})"
    return f"opaque({repr(x)!r})"


def meta_text(node):
    """The shape of NODE's result, when ShapeProp or we noted it."""
    def one(meta):
        if hasattr(meta, "shape") and hasattr(meta, "dtype"):
            sizes = ", ".join(str(int(n)) for n in meta.shape)
            text = f"{SHORT[dtype_name(meta.dtype)]}[{sizes}]"
            return f"tensor({text!r})"
        if isinstance(meta, (tuple, list)):
            return text_of(type(meta)()) if not meta else (
                "(" + ", ".join(map(one, meta)) + (",)" if len(meta) == 1 else ")"))
        return text_of(meta)
    meta = node.meta.get("tensor_meta")
    return None if meta is None else one(meta)


def frames_of(node):
    """Frames of the stack trace, innermost first."""
    lines = (node.stack_trace or "").strip().split("\n")
    frames = []
    for head, code in zip(lines, lines[1:]):
        head = head.strip()
        if head.startswith('File "'):
            file, line, function = head[len('File "'):].split('", line ')[0], None, None
            rest = head[len('File "') + len(file) + len('", line '):]
            line, function = rest.split(", in ", 1)
            frames.append({"file": file, "line": int(line), "function": function, "text": code.strip()})
    return frames


# ---------------------------------------------------------------- modules

def is_leaf(module):
    home = type(module).__module__
    return (home.startswith("torch.nn") or home.startswith("torch.ao.nn")) and not isinstance(module, torch.nn.Sequential)


def class_name(module):
    if isinstance(module, torch.fx.GraphModule):
        return "torch.fx.graph_module.GraphModule"
    return type(module).__module__ + "." + type(module).__qualname__


def config_of(module):
    """The plain attributes of MODULE."""
    def is_plain(x):
        if isinstance(x, (tuple, list)):
            return all(map(is_plain, x))
        return x is None or isinstance(x, (bool, int, float, str, torch.dtype))
    return {k: v for k, v in vars(module).items()
            if (not k.startswith("_") or k in TELLING)
            and k not in ("training", "graph") and is_plain(v)}


class Writer:
    """The lines of one file."""

    def __init__(self, with_weights):
        self.lines, self.with_weights = [], with_weights
        self.storages, self.entries = {}, {}

    def put(this, /, **fields):
        this.lines.append(json.dumps({k: v for k, v in fields.items() if v is not None},
                                     separators=(",", ":"), ensure_ascii=False))

    def tensor(self, path, t, kind, persistent, seen):
        if t is None:
            return self.put(tensor=path, kind=kind, none=True)
        if id(t) in seen:
            return self.put(tensor=path, kind=kind, same=seen[id(t)])
        seen[id(t)] = path
        fields = dict(tensor=path, kind=kind, dtype=dtype_name(t.dtype), shape=list(t.shape))
        if not t.is_contiguous():
            fields["strides"] = list(t.stride())
        if t.storage_offset():
            fields["offset"] = t.storage_offset()
        if t.requires_grad:
            fields["grad"] = True
        if kind == "buffer" and not persistent:
            fields["persistent"] = False
        self.storage(path, t.detach(), fields)
        self.put(**fields)

    def storage(self, path, t, fields):
        where = t.storage().data_ptr()
        if where not in self.storages:
            size = t.storage().nbytes() if hasattr(t.storage(), "nbytes") else len(t.storage()) * t.element_size()
            data = b""
            if size:
                flat = torch.as_strided(t, (size // t.element_size(),), (1,), 0)
                data = flat.contiguous().view(torch.uint8).numpy().tobytes()
            self.storages[where] = (path, size, digest(data) if self.with_weights else None)
            whole = t.is_contiguous() and t.numel() * t.element_size() == size and dtype_name(t.dtype) in SAFE
            self.entries[path] = (SAFE[dtype_name(t.dtype)] if whole else "U8",
                                  list(t.shape) if whole else [size], data)
        key, size, hash = self.storages[where]
        fields["storage"] = key
        if self.with_weights:
            fields["bytes"] = size
            if hash:
                fields["digest"] = hash

    def module(self, path, module, seen, tensors):
        if module is None:
            return self.put(module=path, none=True)
        if id(module) in seen:
            return self.put(module=path, same=seen[id(module)])
        seen[id(module)] = path
        config = config_of(module)
        self.put(module=path, **{"class": class_name(module)}, leaf=is_leaf(module),
                 training=module.training, config=text_of(config) if config else None)
        inside = path + "." if path else ""
        for name, p in module._parameters.items():
            self.tensor(inside + name, p, "parameter", True, tensors)
        for name, b in module._buffers.items():
            self.tensor(inside + name, b, "buffer", name not in module._non_persistent_buffers_set, tensors)
        for name, child in module._modules.items():
            self.module(inside + name, child, seen, tensors)
        if path and isinstance(module, torch.fx.GraphModule):
            self.put(graph=path, **{"class": type(module).__name__}, dialect="1.13")
            self.graph(module.graph, module)
            self.put(end_graph=path)

    def graph(self, graph, gm):
        if gm is None:
            self.put(module="", **{"class": "torch.nn.Module"}, leaf=False, training=True)
        else:
            self.module("", gm, {}, {})
        info = getattr(graph._codegen, "pytree_info", None)
        if info is not None:
            names = [a for a in info.orig_args if a != "self"]
            self.put(pytree=names, **{"self": "self" in info.orig_args}, kwargs=False,
                     **{"in": "[" + ", ".join(info.orig_args) + "]"}, outputs=True)
        sources, scopes = {}, {}
        for node in graph.nodes:
            self.node(node, sources, scopes)

    def node(self, node, sources, scopes):
        frames, source, scope = frames_of(node), None, None
        if frames:
            key = json.dumps(frames)
            if key not in sources:
                sources[key] = len(sources)
                self.put(source=sources[key], frames=frames)
            source = sources[key]
        for path, name in node.meta.get("fxdb_scopes", ()):
            if (scope, path) not in scopes:
                scopes[scope, path] = len(scopes)
                self.put(scope=scopes[scope, path], parent=scope, path=path, **{"class": name})
            scope = scopes[scope, path]
        target = node._pretty_print_target(node.target) if node.op == "call_function" else node.target
        self.put(node=node.name, op=node.op, target=target, args=text_of(tuple(node.args)),
                 kwargs=text_of(dict(node.kwargs)) if node.kwargs else None,
                 type=None if node.type is None else _type_repr(node.type),
                 wrapped=True if node.meta.get("is_wrapped") else None,
                 meta=meta_text(node), source=source, scope=scope)


def write(graph, gm, with_weights, name=None, weights=None):
    w = Writer(with_weights)
    head = {"fxg": 2, "minor": 0, "class": type(gm).__name__ if gm is not None else "GraphModule",
            "dialect": "1.13", "nodes": len(graph.nodes)}
    if name:
        head["name"] = name
    w.graph(graph, gm)
    if weights:
        data = safetensors(w.entries)
        file = f"{weights}-{hashlib.sha256(data).hexdigest()[:12]}.safetensors"
        head["weights"], head["weights_size"] = file, len(data)
        w.data, w.file = data, file
    body = "\n".join([json.dumps(head, separators=(",", ":"))] + w.lines) + "\n"
    end = {"end": len(w.lines) + 1, "hash": digest(body.encode())}
    w.text = body + json.dumps(end, separators=(",", ":")) + "\n"
    return w


def safetensors(entries):
    """Entries name -> (dtype, shape, bytes) as a file's bytes."""
    header, data = {}, b""
    order = sorted(entries, key=lambda k: (-{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2,
                                             "I16": 2}.get(entries[k][0], 1)))
    for name in order:
        dtype, shape, part = entries[name]
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % 64)
    return struct.pack("<Q", len(text)) + text + data


def dumps(graph, gm=None):
    """GRAPH as text, tensors described without their bytes."""
    return write(graph, gm, False).text


def save(gm, path):
    """GM to PATH with its weights in a file beside it."""
    base = os.path.basename(path).removesuffix(".fxg")
    has = any(True for _ in gm.parameters()) or any(True for _ in gm.buffers())
    w = write(gm.graph, gm, has, name=base, weights=base if has else None)
    if has:
        with open(os.path.join(os.path.dirname(path) or ".", w.file), "wb") as f:
            f.write(w.data)
    with open(path, "w") as f:
        f.write(w.text)
