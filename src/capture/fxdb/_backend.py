"""fxdb.backend: the graphs that torch.compile makes, at their first calls."""
import collections
import copy
import itertools
import re
import sys

import torch

import fxdb
from fxdb import _debug, _torch

# "L['self']._modules['fc']._parameters['weight']", as Dynamo says of an input
# where it is from: the names in it.
_SOURCE = re.compile(r"\['([^']+)'\]|\.(?!_modules|_parameters|_buffers)(\w+)")
_OF_MODEL = "._parameters", "._buffers"


# "primals_3", as torches before 2.8 call an input of AOTAutograd.
_PRIMAL = re.compile(r"primals_(\d+)$")


def _path(node):
    """The path in its model of what the input NODE of a Dynamo graph is; None
    for what is no parameter or buffer."""
    name = getattr(getattr(node, "_dynamo_source", None), "name", None)
    text = str(name() if callable(name) else name or "")
    if not any(word in text for word in _OF_MODEL):
        return None
    return ".".join(a or b for a, b in _SOURCE.findall(text)[1:])


def _origins(gm, of=None):
    """What the inputs of GM are, a Dynamo graph or one that AOTAutograd made of
    the Dynamo graph that has the origins OF: (path in the model or None, name).
    """
    inputs = [node for node in gm.graph.nodes if node.op == "placeholder"]
    if of is None:
        return [(_path(node), node.target) for node in inputs]

    def origin(node):
        described = node.meta.get("desc")
        number = _PRIMAL.match(node.target)
        at = getattr(described, "idx", None) if described else \
            number and int(number[1]) - 1
        is_input = number and at is not None and at < len(of)
        return of[at] if is_input else (None, node.target)
    return [origin(node) for node in inputs]


def _put(module, path, tensor):
    """Have the parameter or buffer TENSOR at PATH in MODULE; false when
    something is there."""
    *owners, name = path.split(".")
    for owner in owners:
        if not hasattr(module, owner):
            module.add_module(owner, torch.nn.Module())
        module = getattr(module, owner)
    if not isinstance(module, torch.nn.Module) or hasattr(module, name):
        return False
    if isinstance(tensor, torch.nn.Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)
    return True


def _with_parameters(gm, args, name, origins):
    """A GraphModule NAME in which those of ARGS that are parameters and buffers of a
    model are its own again, and all inputs have their own names, as ORIGINS
    says; and the numbers of the others."""
    made = torch.fx.GraphModule(gm, copy.deepcopy(gm.graph), name)
    inputs = [node for node in made.graph.nodes if node.op == "placeholder"]
    left = []
    for i, (node, (path, target)) in enumerate(zip(inputs, origins)):
        is_own = path and _put(made, path, args[i])
        if not is_own:
            left.append(i)
        if not is_own and target == node.target:
            continue
        with made.graph.inserting_before(node):
            new = made.graph.get_attr(path) if is_own else \
                made.graph.placeholder(target)
        new.meta = dict(node.meta)
        node.replace_all_uses_with(new)
        made.graph.erase_node(node)
    made.recompile()
    return made, left


def _stops_in(gm):
    """The names of the nodes of GM before which the model asked to stop."""
    nodes = list(gm.graph.nodes)
    return " ".join(after.name for node, after in zip(nodes, nodes[1:])
                    if fxdb.STOP in node.meta)


def _made_of(node):
    """The names of the nodes that AOTAutograd says its NODE is made of."""
    queue = list(node.meta.get("from_node") or ())
    for source in queue:
        queue += getattr(source, "from_node", None) or ()
        yield getattr(source, "name", source[0] if isinstance(source, tuple)
                      else None)


def _stop_too(gm, of):
    """Have the forward graph GM of AOTAutograd stop where OF, the Dynamo graph
    that it is made of, does: before the first node that is of a later one."""
    order = {node.name: i for i, node in enumerate(of.graph.nodes)}
    stops = [order[node.name] for node in of.graph.nodes
             if fxdb.STOP in node.meta]
    nodes = list(gm.graph.nodes)
    places = [max((order[name] for name in _made_of(node) if name in order),
                  default=-1) for node in nodes]
    if stops and max(places) < 0:
        print("fxdb.breakpoint: this torch does not say what the graphs of "
              "aot=True are made of; without aot it stops", file=sys.stderr)
        return
    for stop in stops:
        at = next((i for i, place in enumerate(places) if place > stop), -1)
        nodes[at - 1].meta[fxdb.STOP] = True


_number = collections.defaultdict(itertools.count)


class _Compiled:
    """What a graph of Dynamo is compiled to: fxdb opens at its first call."""

    def __init__(self, gm, script, name, of=None):
        self.gm, self.script = gm, script
        self.origins = _origins(gm, of)
        self.name = "%s_%d" % (name, next(_number[name]))
        self.is_opened = False
        self.edited = None  # once it is: called instead
        self.left = ()      # numbers of the inputs that are none of the model's

    def _given(self, args):
        return {name: args[i] for name, i in zip(self.names, self.left)}

    def _look(self, args):
        module, self.left = _with_parameters(self.gm, args, self.name,
                                             self.origins)
        graph = _torch.from_torch(module)
        stops = _stops_in(module)
        self.names = [node.target for node in graph.nodes
                      if node.op == "placeholder"]
        return _debug.look(module, self._given(args), self.script, graph,
                           stops=stops)

    def __call__(self, *args):
        if not self.is_opened:
            self.is_opened = True
            self.edited = _debug.opened("backend", self.script,
                                  lambda: self._look(args))
        return self.edited(self._given(args)) if self.edited \
            else self.gm.forward(*args)


def backend(gm, example_inputs, script, aot):
    """fxdb.backend."""
    if not aot:
        return _Compiled(gm, script, "graph")
    from functorch.compile import make_boxed_func
    from torch._dynamo.backends.common import aot_autograd

    of = _origins(gm)

    dynamo = gm

    def compiler(name):
        def compiled(gm, _):
            if name == "forward":
                _stop_too(gm, dynamo)
            return make_boxed_func(_Compiled(gm, script, name, of))
        return compiled
    return aot_autograd(fw_compiler=compiler("forward"),
                        bw_compiler=compiler("backward"))(gm, example_inputs)
