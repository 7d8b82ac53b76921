"""The code of an edited graph as a function, in whose calls gradients and
autocast are as the recorded model had them there.
"""
import ast
import builtins
import contextlib
import inspect
import linecache
import math

import torch

from fxdb import _weights

_STATE = "_fxdb_state"  # what gives the state of torch in the code


class _Root:
    """What `self` is in the code of a graph: the module, the constants that the
    graph has besides, and what was MADE of modules that are edited graphs."""

    def __init__(self, root, graph, made):
        self._root, self._tensors, self._made = root, graph.tensors, made

    def __getattr__(self, name):
        return _instead(_weights.find(self._root, self._tensors, name),
                        self._made)


class _Part:
    """A module with edited graphs in it."""

    def __init__(self, module, made):
        self._module, self._made = module, made

    def __getattr__(self, name):
        return _instead(getattr(self._module, name), self._made)

    def __call__(self, *args, **kwargs):
        return self._module(*args, **kwargs)


def _instead(value, made):
    if not made or not isinstance(value, torch.nn.Module):
        return value
    if value in made:
        return made[value]
    return _Part(value, made) if any(each in made for each in value.modules()) \
        else value


def within(graph, codes):
    """The graphs in GRAPH whose code is another in CODES, and those that these
    are in: [(path, graph, its code)]."""
    found = []
    for path, inner in graph.graphs.items():
        below = {at[len(path) + 1:]: code for at, code in codes.items()
                 if at.startswith(path + ".")}
        parts = within(inner, below)
        code = codes.get(path, inner.code)
        if parts or code != inner.code:
            found += [(path, inner, code)] + [
                (path + "." + at, *part) for at, *part in parts]
    return found


def _one_call(called, graph, was):
    """A torch.fx.GraphModule in the place of WAS, a module with GRAPH, as
    operators want one: it has a node that is CALLED with its inputs by name.
    """
    inputs = [node for node in graph.nodes if node.op == "placeholder"]

    class Edited(torch.nn.Module):
        def forward(self, *args):
            return called({node.target: value
                           for node, value in zip(inputs, args)})
    one = torch.fx.Graph()
    given = [one.create_node("placeholder", node.target, node.args)
             for node in inputs]
    one.output(one.call_module("edited", tuple(given)))
    made = torch.fx.GraphModule({"edited": Edited()}, one)
    made.meta = dict(getattr(was, "meta", {}))
    return made


def function(code, imports, root, graph, states, within=()):
    """CODE, generated as torch.fx does of GRAPH, edited, of the module ROOT, as a
    function of the inputs by name; STATES as Gradients.states_of gives them,
    WITHIN is what within() gives.
    """
    made = {}
    for path, inner, text in within:
        was = root.get_submodule(path)
        made[was] = _one_call(_function(text, imports, was, inner, ({}, None),
                                        made), inner, was)
    return _function(code, imports, root, graph, states, made)


def _function(code, imports, root, graph, states, made):
    names = dict(vars(builtins), torch=torch, device=torch.device,
                 inf=math.inf, nan=math.nan, NoneType=type(None))
    names.update((target.replace(".", "_"), function)
                 for target, function in graph.targets.items())
    for line in imports.splitlines():
        with contextlib.suppress(Exception):
            exec(line, names)
    text = "".join(line for line in code.splitlines(True)
                   if not line.startswith("torch.fx."))
    tree = ast.parse(text)
    names[_STATE] = _with_states(tree, *states)
    file = "<fxdb: the graph of %s>" % graph.class_name
    exec(compile(tree, file, "exec"), names)
    # A traceback shows its lines.
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    takes = list(inspect.signature(names["forward"]).parameters.values())[1:]
    # Those before *args, where there are any, go by place.
    count = next((i for i, each in enumerate(takes)
                  if each.kind == each.VAR_POSITIONAL), 0)

    def called(given):
        args = [given[each.name] for each in takes[:count]]
        if takes:
            args += given.get("*" + takes[count].name, ())
        return names["forward"](_Root(root, graph, made), *args, **{
            each.name: given[each.name] for each in takes[count:]
            if each.name in given})
    return called


def _with_states(tree, states, start):
    """TREE with a `with` around the calls that the model made in another state
    than that at the START; and what gives the state NUMBER there."""
    known = [state for state in dict.fromkeys(states.values())
             if state != start]
    body = next(part for part in tree.body
                if isinstance(part, ast.FunctionDef)).body
    now, changed = None, []
    for part, state in zip(body, _states_of(body, states)):
        number = None if isinstance(part, ast.Return) or \
            state not in known else known.index(state)
        if number is None:
            changed.append(part)
        elif number == now:
            changed[-1].body.append(part)
        else:
            call = ast.parse("%s(%d)" % (_STATE, number), mode="eval").body
            item = ast.withitem(context_expr=call)
            changed.append(ast.With(items=[item], body=[part]))
            ast.fix_missing_locations(ast.copy_location(changed[-1], part))
        now = number
    body[:] = changed
    return lambda number: _state(known[number], start)


def _states_of(body, states):
    """The state of each statement in BODY: that of the call it is.  One that the
    model did not make has the state of a call that is gone from there, else of
    the one before.
    """
    names, order = [_name(part) for part in body], list(states)
    place = {name: i for i, name in enumerate(order)}
    there, at, found = set(names), -1, []
    for name in names:
        if name in place:
            at = place[name]
        elif name and order[at + 1:] and order[at + 1] not in there:
            at += 1
        found.append(states[order[at]] if at >= 0 else None)
    return found


def _name(part):
    """The node that the statement PART is the call of, or None."""
    target = part.targets[0] if isinstance(part, ast.Assign) else \
        part.target if isinstance(part, ast.AnnAssign) else None
    is_call = isinstance(target, ast.Name) and not (
        isinstance(part.value, ast.Constant) and part.value.value is None)
    return target.id if is_call else None


@contextlib.contextmanager
def _state(state, start):
    """Gradients and autocast are as STATE says; START is how they are."""
    mode, *casts = state
    with contextlib.ExitStack() as stack:
        if mode != start[0]:
            stack.enter_context(
                torch.inference_mode() if mode == "inference" else
                torch.set_grad_enabled(mode))
        for kind, cast, was in zip(("cpu", "cuda"), casts, start[1:]):
            if cast != was:
                stack.enter_context(torch.autocast(
                    kind, enabled=cast[0], dtype=cast[1]))
        yield
