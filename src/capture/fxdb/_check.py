"""Whether a recorded graph does what its model does: both are run on other
values than those recorded, and on inputs of other sizes.
"""
import contextlib
import math
import operator
import os

import torch

import fxdb
from fxdb import _autocast, _example, _inputs, _weights


def check(root, tracer, graph, given, seed, state=None, others=None):
    """Run GRAPH beside ROOT on other values: {"difference": the largest of an
    element on the same shapes, 0.0 when all bits are equal, None where the
    results cannot be compared or the model refuses the values; "sizes": the
    inputs of other sizes on which they differ, "" when there are none, None
    when the model takes no others}; where more than rounding differs "differs"
    too, what else the graph gives than another number, or None, and "other",
    the values.  STATE as in _example.record; OTHERS are
    the inputs of other sizes to try, or None for sizes one larger.
    """
    state = state or _weights.tensors_of(root)

    def compared(given):
        """The difference, inf where the graph gives something of another kind,
        with what that is; the values; and what rounding may make of them."""
        for high in 1000, 100, 10, 2:
            other = {name: _other(value, seed + i, high)
                     for i, (name, value) in enumerate(given.items())}
            try:
                want = run(state, lambda: _as_asked(
                    graph, lambda: _inputs.call(root, copy(other))))
                break
            except Exception:
                continue
        else:
            return None, None, None, SMALL
        try:
            got = run(state, lambda: interpret(tracer.root, graph,
                                                _inputs.flat(copy(other))))
        except Exception as error:
            return math.inf, "it raises %s: %s" % (
                type(error).__name__, error), other, SMALL
        want, got = map(_example.taken_apart, (want, got))
        return (*compare(want, got), other, _rounding(leaves(want)))

    sizes = None
    # What the model prints was said when it was recorded.
    with silence():
        for other in others or _other_sizes(given):
            found, _, _, small = compared(other)
            if found is not None:
                sizes = sizes or ("" if found < small else sizes_text(other))
        found, differs, other, small = compared(given)
    result = {"difference": found if found != math.inf else None,
              "sizes": sizes}
    if found is not None and found > small:
        result.update(differs=differs, other=other)
    return result


@contextlib.contextmanager
def silence():
    """What Python prints here is not heard."""
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null), \
            contextlib.redirect_stderr(null):
        yield


SMALL = 1e-3  # what kernels may round otherwise


def _other_sizes(given):
    """GIVEN with the first size of every tensor one larger, and with the
    second."""
    for dim in 0, 1:
        def larger(item):
            if not isinstance(item, torch.Tensor) or item.dim() <= dim:
                return item
            sizes = list(item.shape)
            sizes[dim] += 1
            return item.new_zeros(sizes)
        other = map_items(larger, given)
        if sizes_text(other) != sizes_text(given):
            yield other


def sizes_text(given):
    """The shapes of the tensors in GIVEN: "x [2, 3], y [4]"."""
    return ", ".join("%s %s" % (name, list(item.shape))
                     for name, value in _inputs.flat(given).items()
                     for item in leaves(value)
                     if isinstance(item, torch.Tensor))


def run(state, call):
    try:
        torch.manual_seed(0)
        with torch.no_grad():
            return call()
    finally:
        state.restore()


def _as_asked(graph, call):
    """What CALL of the model of GRAPH gives; with gradients where it asked for
    them while it was recorded."""
    mode = graph._kept.get("gradients")
    if mode is not True:
        return call()
    with torch.enable_grad():
        return map_items(lambda item: item.detach() if isinstance(
            item, torch.Tensor) else item, _example.taken_apart(call()))


def map_named(function, name, value):
    """VALUE, called NAME, with FUNCTION of the name and value of everything in
    it that is no container: "x[0]", "x['mask']".
    """
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        items = [map_named(function, "%s[%d]" % (name, i), item)
                 for i, item in enumerate(value)]
        return type(value)._make(items) if hasattr(value, "_fields") \
            else type(value)(items)
    if isinstance(value, dict):
        return {key: map_named(function, "%s[%r]" % (name, key), item)
                for key, item in value.items()}
    if isinstance(value, _inputs.Object):
        return value.map(function)
    if isinstance(value, slice):
        return slice(*(map_named(function, name, item) for item in
                       (value.start, value.stop, value.step)))
    return function(name, value)


def map_items(function, value):
    """VALUE with FUNCTION of everything in it that is no container."""
    return map_named(lambda _, item: function(item), "", value)


def copy(values):
    """VALUES with tensors of their own."""
    return map_items(lambda item: item.clone()
                     if isinstance(item, torch.Tensor) else item, values)


def is_lazy(root):
    """Whether parameters of ROOT get their sizes at its first call, as those of
    torch.nn.LazyLinear."""
    return isinstance(root, torch.nn.Module) and any(map(
        torch.nn.parameter.is_lazy, [*root.parameters(), *root.buffers()]))


def settle(root, given, fixed=None):
    """Parameters of ROOT that have no sizes get them, by a call on copies of
    GIVEN."""
    if is_lazy(root):
        with torch.no_grad(), silence():
            _inputs.call(root, copy(given), fixed)


def _other(value, seed, high):
    """Other numbers like those of VALUE: integers below HIGH."""
    made = torch.Generator().manual_seed(seed)

    def draw(item):
        if not isinstance(item, torch.Tensor):
            return item
        if item.dtype.is_floating_point or item.dtype.is_complex:
            return torch.randn(item.shape, generator=made,
                               dtype=item.dtype if item.dtype.is_complex
                               else torch.float64).to(item)
        top = 2 if item.dtype == torch.bool else max(2, min(high, 100)
                                                     if item.element_size() < 2
                                                     else high)
        return torch.randint(0, top, item.shape, generator=made).to(item)
    return map_items(draw, value)


def interpret(root, graph, given, see=None):
    """What GRAPH, of the module ROOT, gives for GIVEN (inputs by name).  SEE is
    called with each node that has a value and with that."""
    values = {}

    def fill(value):
        return map_items(lambda item: values[item.name]
                    if isinstance(item, fxdb.Node) else item, value)
    for node in graph.nodes:
        args, kwargs = fill(node.args), fill(node.kwargs)
        if node.op == "placeholder":
            values[node.name] = given[node.target]
        elif node.op == "get_attr":
            found = graph.tensors.get(node.target)
            values[node.name] = operator.attrgetter(node.target)(root) \
                if found is None else found
        elif node.op == "output":
            return args[0]
        elif node.op == "call_method":
            values[node.name] = getattr(args[0], node.target)(*args[1:],
                                                              **kwargs)
        else:
            is_module = node.op == "call_module"
            function = root.get_submodule(node.target) if is_module \
                else node.target
            with _autocast.module_under(graph, is_module and node.target):
                values[node.name] = function(*args, **kwargs)
        if see:
            see(node, values[node.name])


def leaves(value):
    """The tensors and numbers of a result, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if value is None else [value]


def compare(want, got):
    """(the largest difference of an element of GOT from WANT, None), or (inf,
    how GOT is of another kind)."""
    want, got = leaves(want), leaves(got)
    found = _difference(want, got)
    return (math.inf, _unlike(want, got)) if found is None else (found, None)


def _unlike(want, got):
    """How GOT is of another kind than WANT, in words."""
    def kind(leaf):
        return "%s%s" % (str(leaf.dtype)[6:], list(leaf.shape)) \
            if isinstance(leaf, torch.Tensor) else repr(leaf)[:60]
    if len(want) != len(got):
        return "%d tensors and numbers, not %d" % (len(got), len(want))
    return next(("%s, not %s" % (kind(b), kind(a))
                 for a, b in zip(want, got) if kind(a) != kind(b)), None)


def _rounding(values):
    """What kernels may round otherwise in VALUES: of half precision four times
    the last place of the largest."""
    return max([SMALL] + [
        4 * torch.finfo(each.dtype).eps * float(each.abs().max())
        for each in values if isinstance(each, torch.Tensor) and
        each.dtype in (torch.bfloat16, torch.float16) and each.numel() and
        not each.is_meta and each.isfinite().all()])


def _difference(want, got):
    if len(want) != len(got):
        return None
    largest = 0.0
    for a, b in zip(want, got):
        if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
            if a != b:
                return None
            continue
        if a.shape != b.shape or a.dtype != b.dtype:
            return None
        # On meta there are shapes only.
        if a.numel() and not a.is_meta and not torch.equal(a, b):
            wide = torch.complex128 if a.dtype.is_complex else torch.float64
            both = (a.to(wide) - b.to(wide)).abs()
            same_nan = a.isnan() & b.isnan() if a.is_floating_point() \
                else torch.zeros_like(both, dtype=torch.bool)
            both = both.masked_fill(same_nan, 0.0)
            if both.isnan().any():
                return float("inf")
            largest = max(largest, float(both.max()))
    return largest
