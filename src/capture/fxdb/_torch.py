"""Graphs from torch.fx as they stand, and back: node by node, never retraced.

What Dynamo, torch.export and passes of torch.fx give comes this way, and goes
back to them: torch.fx's Interpreter, Transformer and passes run on what
to_torch gives.
"""
import re
import sys

import torch
import torch.fx

from . import _capture, _file, _report, _weights

_FRAME = re.compile(r'File "([^"\n]*)", line (\d+), in ([^\n]*)'
                    r'(?:\n[ \t]+(?!File ")([^\n]*))?')
# How Dynamo calls the module that it was given.
_SELF = re.compile(r"^[LG]\[.\w+.\]\.?")
# What says of a node what its result is, the best first.
_RESULTS = "val", "example_value", "tensor_meta"
_PLAIN = bool, int, float, complex, type(None)


def module_of(given):
    """What runs of GIVEN, which torch.export may have given; else GIVEN."""
    program = getattr(sys.modules.get("torch.export"), "ExportedProgram", ())
    return given.module() if isinstance(given, program) else given


def _parts(given):
    """The module that holds what nodes name, and the torch.fx.Graph."""
    given = module_of(given)
    if isinstance(given, torch.fx.GraphModule):
        return given, given.graph
    if isinstance(given, torch.fx.Graph):
        owner = given.owning_module
        return (torch.nn.Module() if owner is None else owner), given
    raise TypeError("from_torch takes a torch.fx.GraphModule, a torch.fx.Graph "
                    "or an ExportedProgram, not a %s; symbolic_trace takes a "
                    "module or a function" % type(given).__name__)


def _words(value):
    """What a result is, as type comments have it: "f32[1, 4][4, 1]cpu"."""
    if isinstance(value, torch.Tensor) or hasattr(value, "dtype") and \
            hasattr(value, "shape"):
        dtype = str(value.dtype).rpartition(".")[2]
        text = "%s[%s]" % (_capture.WORDS.get(dtype, "?"),
                           ", ".join(map(str, value.shape)))
        stride = getattr(value, "stride", None)
        try:
            stride = stride() if callable(stride) else stride
        except RuntimeError:
            stride = None  # of a sparse one
        if stride is not None:
            text += "[%s]" % ", ".join(map(str, stride))
        return text + str(getattr(value, "device", ""))
    if isinstance(value, (tuple, list)):
        kind = list if isinstance(value, list) else tuple
        return kind(_words(item) for item in value)
    if isinstance(value, _PLAIN):
        return value
    if type(value).__name__ in ("SymInt", "SymFloat", "SymBool"):
        return "Sym(%s)" % value
    return "?"


def _result(node):
    """What is known of what NODE gives; None when nothing is."""
    for key in _RESULTS:
        if node.meta.get(key) is not None:
            try:
                return _words(node.meta[key])
            except Exception:
                return None  # a tensor that has no shape to ask for
    return None


def _source(node):
    """The frames of the user's code that made NODE, innermost first."""
    trace = node.meta.get("stack_trace")
    if not isinstance(trace, str):
        return None
    frames = [(file, int(line), function, text.strip() or None)
              for file, line, function, text in _FRAME.findall(trace)
              if not _report.is_torch(file)]
    return frames[::-1] or None


def class_text(kind):
    return kind if isinstance(kind, str) else "%s.%s" % (kind.__module__,
                                                         kind.__qualname__)


def _scopes(node):
    """The modules that NODE was called in, outermost first: (path, class)."""
    stack = node.meta.get("nn_module_stack")
    if not isinstance(stack, dict):
        return None
    scopes = []
    for key, entry in stack.items():
        # Of torch 1.13 a class for a path; later (path, class).
        path, kind = entry if isinstance(entry, tuple) and len(entry) == 2 \
            else (key, entry)
        path = _SELF.sub("", str(path))
        if path and not path.startswith("_empty_nn_module_stack"):
            scopes.append((path, class_text(kind)))
    return scopes or None


def _nested(graph):
    """Names of the inputs that GRAPH takes apart, or None."""
    info = getattr(graph._codegen, "pytree_info", None)
    return None if info is None else tuple(map(str, info.orig_args))


def _graphs_in(root, nodes):
    """The modules of ROOT that NODES call, or name for a branch or a loop, and
    that are graphs: path -> GraphModule."""
    found = {}
    for node in nodes:
        if node.op in ("call_module", "get_attr"):
            try:
                inner = _weights.find(root, {}, node.target)
            except KeyError:
                continue
            if isinstance(inner, torch.fx.GraphModule) and \
                    any(each.op == "output" for each in inner.graph.nodes):
                found[node.target] = inner
    return found


def is_guard(node):
    """Whether NODE only checks inputs, as torch.export's module() does: a call
    of a module whose result nobody has."""
    return node.op == "call_module" and node.target == "_guards_fn" and \
        not node.users


def from_torch(given, leaves_out=None):
    """The Graph of GIVEN, a torch.fx.GraphModule, a torch.fx.Graph or an
    ExportedProgram, node by node: nothing is traced, so that names, targets,
    arguments, annotations and metadata are those that it has.

    The metadata of a node is in Node.meta, the values themselves; shapes,
    lines and module paths among them are also what `shapes` and `list` of the
    debugger show.  GraphModules that nodes call or name are graphs within it.
    What is no plain value among arguments is kept as it is.  leaves_out(node)
    says which nodes, without users, are not taken.  Raises TypeError for anything
    else, ValueError for a graph that has no output.
    """
    import fxdb
    root, graph = _parts(given)
    nodes = [node for node in graph.nodes
             if not (leaves_out and leaves_out(node))]
    if not nodes or nodes[-1].op != "output":
        raise ValueError("the graph does not end with an output")
    proxies = {}

    def add(node):
        args, kwargs = torch.fx.node.map_arg(
            (tuple(node.args), dict(node.kwargs)), proxies.__getitem__)
        proxies[node] = _capture.add(
            node.op, node.target, args, dict(kwargs), node.name,
            fxdb._type_text(node.type), bool(node.meta.get("is_wrapped")),
            (_source(node), _scopes(node), _result(node)))

    def body():
        for node in nodes:
            add(node)
        names = _nested(graph)
        if names is not None:
            _capture.nested(names)
        return None, None, type(given).__name__ if given is root \
            else type(root).__name__
    made = _capture.run(fxdb.Tracer(), fxdb.Tracer, root, None, body,
                        torch.__version__.split("+")[0], False)
    made._kept["types"] = {node.name: node.type for node in nodes}
    if type(graph._codegen) is not torch.fx.graph.CodeGen:
        made._kept["codegen"] = graph._codegen
    for mine, node in zip(made.nodes, nodes):
        mine.meta.update(node.meta)
    made._kept["graphs"] = {
        path: from_torch(module, leaves_out)
        for path, module in _graphs_in(root, nodes).items()}
    return made


def _holder(graph):
    """What to_torch's module takes its parts from: path -> object."""
    # Objects that are no tensors are among the targets.
    known = {**graph.targets, **graph.tensors}
    try:
        held = {path: _weights.find(graph.root, known, path)
                for path in [node.target for node in graph.nodes
                             if node.op in ("call_module", "get_attr")]}
    except KeyError as error:
        raise ValueError("the graph names %s, and neither the module nor the "
                         "trace has it" % error.args[0]) from None
    _file.refuse(graph, held)
    return held


def _add_metadata(mine, theirs):
    """What fxdb knows of a node that it traced, as torch.fx writes it."""
    theirs.meta.update(mine.meta)
    if mine.source and "stack_trace" not in theirs.meta:
        theirs.meta["stack_trace"] = "".join(
            '  File "%s", line %d, in %s\n' % frame
            for frame in reversed(mine.source))


def to_torch(graph):
    """A torch.fx.GraphModule of GRAPH: the same nodes by the same names, with
    their metadata; its parameters and submodules are those of the module that
    GRAPH was made of, as torch.fx.GraphModule shares them.

    torch.fx's Interpreter, Transformer and passes run on it.  Inputs that
    concrete_args took apart are given whole, as to torch.fx's.  Raises
    ValueError when a node names what is nowhere to be had.
    """
    held = _holder(graph)
    made = torch.fx.Graph()
    types = graph._kept.get("types", {})
    annotations = graph._kept.get("annotations", {})
    nodes = {}

    def mapped(value):
        return torch.fx.node.map_aggregate(
            value, lambda leaf: nodes[leaf.name]
            if isinstance(leaf, _capture.Node) else leaf)
    for node in graph.nodes:
        new = made.create_node(
            node.op, node.target, mapped(node.args), mapped(node.kwargs),
            node.name,
            None if node.type is None else types.get(
                node.name, annotations.get(node.target, node.type)))
        if new.name != node.name:
            new.name = node.name  # one that torch.fx would number anew
        _add_metadata(node, new)
        nodes[node.name] = new
    if "codegen" in graph._kept:
        made.set_codegen(graph._kept["codegen"])
    module = torch.fx.GraphModule(held, made, graph.class_name)
    module.training = graph.root.training
    if hasattr(module, "meta"):
        module.meta = dict(getattr(graph.root, "meta", {}))
    return module


_capture.Graph.to_torch = to_torch
_capture.Graph.save = _file.save
_capture.Graph.graphs = property(
    lambda graph: dict(graph._kept.get("graphs", {})),
    doc="The graphs within, by the paths of their modules.")
