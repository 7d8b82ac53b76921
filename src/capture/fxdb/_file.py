"""Graphs in files: what fxdb's `save` writes (doc/fxg.md), both ways.

The text and the weights are written by the core; lines are read here, as what
they name is made here: modules of torch.nn by their class and configuration,
functions by their names.  What is no class or function of torch's has to be
given, else something that says so stands for it.
"""
import ast
import builtins
import inspect
import json
import math
import operator
import os
import struct
import typing

import torch

from . import _capture, _weights

_ROOTS = "torch", "torchvision", "torchaudio", "math", "operator", "builtins"
# What safetensors has no word for is written as bytes.
_DTYPES = {getattr(torch, name) for name in _capture.WORDS
           if hasattr(torch, name)}
_PLACES = {"typing": typing, "torch": torch, "math": math,
           "operator": operator, "builtins": builtins}


def save(graph, path):
    """Write GRAPH to PATH, an .fxg file that fxdb and fxdb.load open, and the
    values of its tensors, if it has any, to a file beside it; both whole or not
    at all.  The paths of the tensors that have no values there (on meta,
    sparse, of other kinds) are returned.
    """
    written, kept, skipped = [], [], []
    for name, tensor in sorted(graph.tensors.items()):
        owner = graph.places.get(id(tensor), (tensor,))[0]
        if not _weights.can_be_written(tensor, _DTYPES):
            skipped.append(name)
            continue
        plain = _weights.plain(owner)
        kept.append(plain)
        written.append((name, plain.data_ptr(),
                        plain.numel() * plain.element_size()))
    _capture.save(graph, os.fspath(path), written)
    return skipped


class Missing(torch.nn.Module):
    """Stands for a module that only holds others, or could not be made."""


def refuse(graph, holder):
    """ValueError where GRAPH names what its file could not bring; HOLDER has
    what its nodes name by path.
    """
    for path, found in holder.items():
        if isinstance(found, Missing):
            kind = type(found)
            raise ValueError(
                "\"%s\" is a %s.%s, which no file brings: fxdb.load(FILE, "
                "known={\"%s\": MODULE}) takes yours" % (
                    path, kind.__module__, kind.__qualname__, path))
    for name in graph._kept.get("missing", ()):
        raise ValueError("the graph names %s, which is not torch's: fxdb.load("
                         "FILE, known={\"%s\": OBJECT}) takes yours" % (name,
                                                                        name))


def _stand_in(name, config):
    """A module of a class called NAME, which is not there."""
    module, _, kind = name.rpartition(".")
    made = type(kind, (Missing,), {"__module__": module})()
    vars(made).update((key, value) for key, value in config.items()
                      if not hasattr(made, key))
    return made


def _where(name, known):
    """The class or function NAME; None when it is none of torch's or KNOWN."""
    if name in known:
        return known[name]
    first, *rest = name.split(".")
    found = _PLACES.get(first)
    if first not in _ROOTS or not rest:
        return None
    try:
        found = found or __import__(first)
        for part in rest:
            found = getattr(found, part)
    except (AttributeError, ImportError, RuntimeError):
        return None
    return found


def _value(text):
    """A plain value that the core printed."""
    return _capture.value(text)


def _annotation(text, known):
    """What TEXT, an annotation, says; TEXT when that is not known."""
    def of(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return getattr(builtins, node.id, None) or \
                known[node.id]
        if isinstance(node, ast.Attribute):
            found = _where(ast.unparse(node), dict(
                known, **{"typing." + node.attr: getattr(typing, node.attr,
                                                         None)}))
            if found is None:
                raise KeyError(node.attr)
            return found
        if isinstance(node, ast.Subscript):
            return of(node.value)[of(node.slice)]
        if isinstance(node, (ast.Tuple, ast.List)):
            return (tuple if isinstance(node, ast.Tuple) else list)(
                map(of, node.elts))
        raise KeyError(text)
    try:
        return of(ast.parse(text, mode="eval").body)
    except (SyntaxError, KeyError, TypeError):
        return text


class _Tensors:
    """The tensors of a file, laid in their storages as they were."""

    def __init__(self, header, path):
        self.entries, self.begin, self.path = {}, 0, None
        self.made, self.alike = {}, {}
        if not header.get("weights"):
            return
        self.path = os.path.join(os.path.dirname(path), header["weights"])
        if os.sep in header["weights"] or not os.path.exists(self.path):
            raise FileNotFoundError(
                "%s keeps its weights in \"%s\", which is not beside it" % (
                    path, header["weights"]))
        with open(self.path, "rb") as file:
            size, = struct.unpack("<Q", file.read(8))
            if size > os.path.getsize(self.path):
                raise ValueError("%s is cut short" % self.path)
            self.entries = json.loads(file.read(size))
        self.begin = 8 + size

    def _storage(self, record):
        """All bytes of it, one for all tensors in it; None without."""
        key = record.get("storage")
        if key not in self.entries or "bytes" not in record and \
                key not in self.made:
            return None
        if key not in self.made:
            first, last = self.entries[key]["data_offsets"]
            data = torch.empty(last - first, dtype=torch.uint8)
            with open(self.path, "rb") as file:
                file.seek(self.begin + first)
                got = file.readinto(_weights.memory(data)) if len(data) else 0
            if got != last - first or got != record["bytes"]:
                raise ValueError("%s is cut short" % self.path)
            self.made[key] = data
        return self.made[key]

    def tensor(self, record):
        """What RECORD describes, one for all that lie alike."""
        key = json.dumps([record.get(word) for word in (
            "kind", "storage", "dtype", "shape", "strides", "offset", "grad")])
        if "storage" not in record:
            return self._tensor(record)
        if key not in self.alike:
            self.alike[key] = self._tensor(record)
        return self.alike[key]

    def _tensor(self, record):
        """(On meta where the file has no values.)"""
        dtype, shape = getattr(torch, record["dtype"], None), record["shape"]
        if not isinstance(dtype, torch.dtype):
            raise ValueError("this torch has no dtype %s" % record["dtype"])
        flat = self._storage(record)
        if flat is None:
            made = torch.empty(shape, dtype=dtype, device="meta")
        elif "strides" in record:
            made = torch.as_strided(flat.view(dtype), shape, record["strides"],
                                    record.get("offset", 0))
        else:
            offset = record.get("offset", 0)
            made = flat.view(dtype)[offset:][:math.prod(shape)].view(shape)
        if record["kind"] == "parameter":
            return torch.nn.Parameter(made, record.get("grad", False))
        return made


def _parameters(kind):
    """What the constructor of KIND takes, by its bases' too where it passes on
    what it is given (but for what RNN, LSTM and GRU say themselves)."""
    found = {}
    for each in kind.__mro__:
        if "__init__" not in vars(each):
            continue
        takes = list(inspect.signature(each.__init__).parameters.values())[1:]
        for parameter in takes:
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD,
                                  parameter.KEYWORD_ONLY) and \
                    parameter.name != "mode":
                found.setdefault(parameter.name, parameter)
        if takes[-1:] and takes[-1].kind is not takes[-1].VAR_KEYWORD:
            break
    return found.values()


def _construct(kind, config, tensors, children):
    """A module of the class KIND of torch.nn with CONFIG, which has members as
    TENSORS (name -> record) and CHILDREN (name -> class); None when its
    constructor makes none.
    """
    given, switches = {}, []
    for each in _parameters(kind):
        if each.name == "device":
            given["device"] = "meta"  # all of it is replaced
        elif each.name in config:
            given[each.name] = config[each.name]
        elif each.name != "dtype" and isinstance(each.default, bool):
            switches.append(each)
    for which in range(1 << min(len(switches), 4)):
        for at, each in enumerate(switches[:4]):
            given[each.name] = each.default != bool(which >> at & 1)
        try:
            made = kind(**given)
        except Exception:
            continue
        own = {**made._parameters, **made._buffers}
        if own.keys() == tensors.keys() and \
                made._modules.keys() == children and all(
                    (own[name] is None) == ("none" in record) and
                    (own[name] is None or
                     list(own[name].shape) == record["shape"])
                    for name, record in tensors.items()) and all(
                    getattr(made, name, value) == value
                    for name, value in config.items()):
            return made
    return None


class _Modules:
    """The module tree of one graph."""

    def __init__(self, known, tensors):
        self.known, self.tensors = known, tensors
        self.records = []  # in the order of the file
        self.below = {}    # path -> name -> record, of tensors
        self.graphs = {}   # path -> the Graph that is a module's
        self.made = {}

    def add(self, record):
        self.records.append(record)
        if "tensor" in record:
            owner, _, name = record["tensor"].rpartition(".")
            self.below.setdefault(owner, {})[name] = record

    def _children(self, path):
        return {record["module"].rpartition(".")[2]
                for record in self.records if record.get("module") and
                record["module"].rpartition(".")[0] == path}

    def _module(self, record, parent, name):
        path = record["module"]
        if path in self.known:
            return self.known[path]
        if path in self.graphs:
            return self.graphs[path].to_torch()
        kind = _where(record.get("class", ""), self.known)
        config = _value(record["config"]) if "config" in record else {}
        before = parent is not None and parent._modules.get(name)
        if before and type(before) is kind:
            return before  # its parent's constructor made it
        is_torch = isinstance(kind, type) and \
            issubclass(kind, torch.nn.Module) and \
            kind.__module__.startswith("torch.nn")
        if is_torch and kind.__module__ == "torch.nn.modules.container":
            return kind()
        if kind is torch.nn.Module or path == "":
            return torch.nn.Module()
        made = None
        if is_torch and "own_code" not in record:
            made = _construct(kind, config, self.below.get(path, {}),
                              self._children(path))
        return made or _stand_in(record.get("class", "torch.nn.Module"), config)

    def _owner(self, path):
        before, _, name = path.rpartition(".")
        return self.made[before], name

    def _is_within(self, path):
        """Whether PATH lies in a graph within, which has made what is there."""
        while path:
            path = path.rpartition(".")[0]
            if path in self.graphs:
                return True
        return False

    def _put(self, record):
        """A tensor of RECORD, where it belongs."""
        path = record["tensor"]
        owner, name = self._owner(path)
        if self._is_within(path) and hasattr(owner, name):
            self.made[path] = getattr(owner, name)
            return
        if "none" in record:
            value = None
        elif "same" in record:
            value = self.made[record["same"]]
        else:
            value = self.tensors.tensor(record)
        self.made[path] = value
        if path.rpartition(".")[0] in self.known:
            return
        if hasattr(owner, name):  # as a model would: LSTM keeps a list of them
            setattr(owner, name, value)
        elif record["kind"] == "parameter":
            owner.register_parameter(name, value)
        else:
            owner.register_buffer(name, value,
                                  record.get("persistent", True))

    def root(self):
        for record in self.records:
            path = record.get("module")
            if path is None:
                if record["tensor"].rpartition(".")[0] in self.made:
                    self._put(record)
                continue
            parent, name = self._owner(path) if path else (None, "")
            if self._is_within(path) and name in parent._modules:
                self.made[path] = parent._modules[name]
                continue
            if "none" in record:
                parent.register_module(name, None)
                continue
            made = self.made[record["same"]] if "same" in record \
                else self._module(record, parent, name)
            self.made[path] = made
            if "same" not in record and path not in self.known:
                made.training = record.get("training", False)
            if parent is not None:
                parent._modules[name] = made
        return self.made.setdefault("", torch.nn.Module())


def _records(path):
    """The records of the file at PATH."""
    with open(path, "rb") as file:
        data = file.read()
    lines = data.splitlines(keepends=True)
    if not data.startswith(b'{"fxg":'):
        raise ValueError("%s is no .fxg file, which save writes; fxdb's own "
                         "load opens other kinds" % path)
    try:
        end = json.loads(lines[-1])
        records = [json.loads(line) for line in lines[:-1]]
    except ValueError:
        end = {}
    if "end" not in end:
        raise ValueError("%s is cut short: its last line does not end the "
                         "graph" % path)
    if records[0]["fxg"] > 2:
        raise ValueError("%s was written by a newer fxdb" % path)
    if records[0]["fxg"] == 2 and \
            _capture.digest(b"".join(lines[:-1])) != end["hash"]:
        raise ValueError("%s was changed or damaged: its hash does not fit" %
                         path)
    return records


class _Section:
    """What stands in a file of one graph, the outermost or a module's."""

    def __init__(self, header, known, tensors):
        self.header, self.known = header, known
        self.modules = _Modules(known, tensors)
        self.sources, self.scopes, self.nodes, self.pytree = [], [], [], None

    def add(self, record):
        if "module" in record or "tensor" in record:
            self.modules.add(record)
        elif "frames" in record:
            self.sources.append([
                (frame["file"], frame.get("line", 0),
                 frame.get("function") or "", frame.get("text"))
                for frame in record["frames"]])
        elif "node" in record:
            self.nodes.append(record)
        elif "scope" in record:
            outer = self.scopes[record["parent"]] if "parent" in record else []
            self.scopes.append(outer + [(record["path"],
                                         record.get("class") or "")])
        elif "pytree" in record:
            self.pytree = record

    def _add_node(self, node, texts):
        source, scope = node.get("source"), node.get("scope")
        texts += _capture.add_text(
            node["op"], node["target"], node["args"], node.get("kwargs", "{}"),
            node["node"], node.get("type"), node.get("wrapped", False),
            node.get("meta"), None if source is None else self.sources[source],
            None if scope is None else self.scopes[scope])

    def graph(self):
        import fxdb
        texts = []

        def body():
            for node in self.nodes:
                self._add_node(node, texts)
            if self.pytree:
                _capture.nested(tuple(["self"] * self.pytree["self"] +
                                      self.pytree["pytree"]))
            return None, None, self.header.get("class") or "Module"
        made = _capture.run(
            fxdb.Tracer(), fxdb.Tracer, self.modules.root(), None, body,
            self.header.get("dialect") or torch.__version__.split("+")[0],
            False)
        self._resolve(made, texts)
        made._kept["graphs"] = self.modules.graphs
        made._kept["types"] = {
            node["node"]: _annotation(node["type"], self.known)
            for node in self.nodes if "type" in node}
        return made

    def _resolve(self, graph, texts):
        """Have what is named by TEXTS among the targets of GRAPH."""
        missing = graph._kept["missing"] = []
        for text in dict.fromkeys(texts):
            # Of a member of an Enum the third part says where it is.
            name = (text.split("\x1f") + ["", ""])[2].replace(":", ".") \
                if "\x1f" in text else text
            found = _where(name, self.known)
            if found is None:
                missing.append(name)
            else:
                graph.targets[text] = found


def load(path, known=None):
    """The Graph of the .fxg file at PATH, which save or fxdb wrote.

    Modules of torch.nn are made anew by class and configuration, parameters and
    buffers hold what the file has, on meta where it has nothing.  KNOWN says
    what else the graph names: functions by their qualified names ("net.helper"),
    modules by their paths in the model.  to_torch() says what is missing.
    Raises ValueError for a file that is none or was damaged, OSError for one
    that cannot be read.
    """
    path = os.fspath(path)
    header, *records = _records(path)
    tensors = _Tensors(header, path)
    open_ = [_Section(header, known or {}, tensors)]
    for record in records:
        if "graph" in record:
            open_.append(_Section(record, {}, tensors))
            open_[-1].known.update(
                (name[len(record["graph"]) + 1:], value)
                for name, value in open_[-2].known.items()
                if name.startswith(record["graph"] + "."))
            open_[-1].known.update(
                (name, value) for name, value in open_[-2].known.items()
                if not isinstance(value, torch.nn.Module))
        elif "end_graph" in record:
            inner = open_.pop()
            open_[-1].modules.graphs[record["end_graph"]] = inner.graph()
        else:
            open_[-1].add(record)
    return open_[0].graph()
