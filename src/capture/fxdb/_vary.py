"""A recording that holds for other sizes: the model runs once more, on inputs
of other sizes, and integers in which the two runs differ become expressions of
the sizes of inputs.  More runs, of sizes that neither had, decide between
expressions and check them.
"""
import itertools
import linecache
import os

import torch

from fxdb import _check, _example, _find, _inputs, _report, _weights

_LETTERS = {4: "NCHW", 5: "NCDHW"}
_MOST = 64  # divisors that are tried


class Varied:
    """What record gives.

    graph, recorder: as those of _example.record, for all sizes as far as
    possible.  sizes: [["x[0]", "N"], ...], those that may vary.  problem: why
    the graph holds for the first sizes only, a sentence, or None.  others: the
    inputs of other sizes to check it on.
    """

    def __init__(self, graph, recorder):
        self.graph = graph
        self.recorder = recorder
        self.sizes = []
        self.problem = None
        self.others = []


def record(tracer, root, given, other, state):
    """Record ROOT on GIVEN and on OTHER, inputs by name, as a Varied."""
    def run(values, plan=None):
        return _example.record(tracer, root, _check.copy(values), state, plan)

    varied = Varied(*run(given))
    first = varied.recorder
    try:
        graph, second = run(other)
    except Exception as error:
        varied.problem = "with %s the model stops at %s: %s" % (
            _check.sizes_text(other), _place_of(error),
            ": ".join(filter(None, (type(error).__name__, str(error)))))
        return varied
    sizes = _sizes(first, second)
    if not sizes:
        raise _find.Refused("usage", "--vary gives the sizes that -i gives",
                            "an input of other sizes, as --vary x=f32[2,5]")
    varied.problem = _parting(varied.graph, graph)
    if varied.problem:
        return varied
    more = _more(run, given, sizes, varied.graph)
    varied.others = [other] + [values for _, values in more]
    runs = [first, second] + [recorder for recorder, _ in more]
    plan, unknown = _plan(runs, sizes)
    if unknown is not None:
        varied.problem = "no expression of the sizes gives %s%s" % (
            ", ".join(map(str, unknown)) or "what is computed",
            _where(varied.graph, graph, unknown))
    if plan and not varied.problem:
        graph, again = run(given, plan)
        if again.integers != first.integers:
            varied.problem = "run again, the model makes other calls"
        else:
            varied.graph, varied.recorder = graph, again
    if varied.problem:
        return varied
    varied.sizes = _named(given, sizes)
    for run in runs[1:]:
        varied.recorder.notes = {
            place: what for place, what in varied.recorder.notes.items()
            if place in run.notes}
    return varied


def _sizes(first, second):
    """The sizes of inputs that differ: {"x[0]": (first, second)}."""
    return {name: (size.value, second.sizes[name].value)
            for name, size in first.sizes.items()
            if name in second.sizes and
            size.value != second.sizes[name].value}


# -- where two recordings part -----------------------------------------------

def _form(graph, node):
    """NODE without the integers among its arguments, and without names."""
    def part(item):
        if isinstance(item, torch.Tensor):
            return tuple(item.shape), item.dtype
        return "integer" if type(item) is int else str(item)
    constant = graph.tensors.get(node.target) if node.op == "get_attr" else None
    return (node.op, str(node.target), str(_check.map_items(part, node.args)),
            str(_check.map_items(part, node.kwargs)), constant)


def _is_same(form, other):
    return form[:-1] == other[:-1] and (
        form[-1] is other[-1] or
        form[-1] is not None and other[-1] is not None and
        form[-1].shape == other[-1].shape and torch.equal(form[-1], other[-1]))


def _line(file, line):
    """'net.py:9 "y = y + i"'."""
    near = os.path.relpath(file)
    return "%s:%d \"%s\"" % (file if near.startswith("..") else near, line,
                             linecache.getline(file, line).strip())


def _place(node):
    """Where the model has NODE."""
    if node.op == "output":
        return "its end"
    return _line(*node.source[0][:2]) if node.source else "a constant"


def _place_of(error):
    """Where the model raised ERROR."""
    entries = _report.own_frames(error.__traceback__)
    return _line(entries[-1].tb_frame.f_code.co_filename,
                 entries[-1].tb_lineno) if entries else "once"


def parting(tracer, root, graph, values, state):
    """Where a run of ROOT on VALUES, by name, parts from the one that GRAPH is
    of, a sentence; None: nowhere, as far as calls, constants and what they give
    say."""
    kept, given = {}, _check.copy(values)
    state = state or _weights.tensors_of(root)
    try:
        with _check.silence():
            other, _ = _check.run(state, lambda: _example.record(
                tracer, root, _check.copy(values), state, kept=kept))
            return _parting(graph, other, "on other values") or _check.run(
                state, lambda: _numbers_part(tracer.root, graph, given, kept))
    except Exception:
        return None


class _Parted(Exception):
    pass


def _numbers_part(root, graph, given, kept):
    """The first node of GRAPH, of the module ROOT, that on GIVEN has another
    value than that in KEPT, a sentence, or None."""
    def see(node, value):
        if node.name not in kept:
            return
        off, unlike = _check.compare(kept[node.name], value)
        if off > _check.SMALL:
            raise _Parted("the values part at %s, %s: %s" % (
                node.name, _place(node), unlike or "off by %.2g" % off))
    try:
        _check.interpret(root, graph, _inputs.flat(given), see)
    except _Parted as parted:
        return str(parted)
    return None


def _parting(graph, other, where="of the other sizes"):
    """Where GRAPH and OTHER, which is of a run WHERE, part, a sentence; None:
    they do not."""
    for a, b in zip(graph.nodes, other.nodes):
        form, another = _form(graph, a), _form(other, b)
        if _is_same(form, another):
            continue
        if _place(a) != _place(b) or form[:2] != another[:2]:
            return "the recordings part at %s: %s, and %s %s" % (
                a.name, _place(a), where, _place(b))
        if a.op == "get_attr" and not a.source:
            return "%s has another value in each run%s; what makes it, as " \
                "numpy or a thread, is one node in a function of its own" % (
                    a.name, "".join(", " + _place(user)
                                    for user in list(a.users)[:1]))
        one, another = _unequal(a, b)
        return "the recordings part at %s, %s: %s, and %s %s" % (
            a.name, _place(a), one, where, another)
    return None


def _unequal(node, other):
    """What of the arguments of NODE and of OTHER differs first, as texts."""
    leaves = [_check.leaves([list(each.args), each.kwargs])
              for each in (node, other)]
    if node.op == "get_attr":
        return "of one run", "another"
    for a, b in zip(*leaves):
        if str(a) != str(b):
            return str(a), str(b)
    return "%d arguments" % len(leaves[0]), "%d" % len(leaves[1])


# -- more runs ---------------------------------------------------------------

def _resized(given, sizes, change):
    """GIVEN with other sizes: change(name, first, second) for each."""
    def other(name, size):
        return change(name, *sizes[name]) if name in sizes else size

    def resized(name, item):
        if not isinstance(item, torch.Tensor):
            return other(name, item)
        shape = [other("%s[%d]" % (name, i), size)
                 for i, size in enumerate(item.shape)]
        return _find.filled(shape, item.dtype, 0)
    return {name: _check.map_named(resized, name, item)
            for name, item in given.items()}


def _onwards(sizes, more):
    """What chooses sizes beyond those in SIZES, each by another number of the
    steps between them, and MORE."""
    order = {pair: i for i, pair in enumerate(dict.fromkeys(sizes.values()))}
    return lambda name, first, second: max(first, second) + more + \
        abs(first - second) * (1 + order[first, second])


def _between(sizes):
    """Where the model takes no sizes between the steps: one step on, one back,
    and mixtures of the sizes given."""
    yield lambda name, first, second: max(first, second) + abs(first - second)
    yield lambda name, first, second: \
        max(1, min(first, second) - abs(first - second))
    for chosen in set(sizes.values()):
        yield lambda name, first, second, chosen=chosen: \
            second if (first, second) == chosen else first


def _more(run, given, sizes, graph):
    """Runs of still other sizes whose graphs are as GRAPH, each its Recorder
    and inputs.  A run for each rest of a division by four, since // and round
    differ in little; where the model takes none, one of _between.
    """
    def tried(change):
        values = _resized(given, sizes, change)
        try:
            other, recorder = run(values)
        except Exception:
            return []
        return [] if _parting(graph, other) else [(recorder, values)]
    found = [pair for more in (0, 1, 2, 3)
             for pair in tried(_onwards(sizes, more))]
    if not found:
        found = [pair for change in _between(sizes) for pair in tried(change)]
    return found


# -- integers as expressions of sizes ------------------------------------------

def _linear(take, factor, offset):
    def value(sizes):
        number = take(sizes)
        number = number * factor if factor != 1 else number
        return number + offset if offset else number
    return value


def _bases(names):
    """Sizes and what is made of them: (cost, function of sizes)."""
    for name in names:
        yield 0, lambda sizes, name=name: sizes[name]
        for divisor in range(2, _MOST):
            yield 1, lambda sizes, name=name, by=divisor: sizes[name] // by
            yield 2, lambda sizes, name=name, by=divisor: \
                (sizes[name] + (by - 1)) // by
    for a, b in itertools.combinations_with_replacement(names, 2):
        yield 1, lambda sizes, a=a, b=b: sizes[a] * sizes[b]
        for divisor in range(2, _MOST):
            yield 2, lambda sizes, a=a, b=b, by=divisor: \
                sizes[a] * sizes[b] // by


def _expression(values, points, names):
    """The simplest function of sizes that gives VALUES at POINTS; None."""
    best = None
    for cost, take in _bases(names):
        base = [take(sizes) for sizes in points]
        if base[0] == base[1] or \
                (values[1] - values[0]) % (base[1] - base[0]):
            continue
        factor = (values[1] - values[0]) // (base[1] - base[0])
        offset = values[0] - base[0] * factor
        if any(at * factor + offset != value
               for at, value in zip(base, values)):
            continue
        cost = cost + (factor != 1) + (offset != 0), abs(factor), abs(offset)
        if best is None or cost < best[0]:
            best = cost, _linear(take, factor, offset)
    return best and best[1]


def _plan(runs, sizes):
    """{place: function of sizes} of the integers in which RUNS differ, and
    those that no function gives, or None."""
    firsts = {}  # of sizes that vary together
    for name, pair in sizes.items():
        firsts.setdefault(pair, name)
    names = list(firsts.values())
    points = [{name: size.value for name, size in run.sizes.items()}
              for run in runs]
    plan, found = {}, {}  # the same numbers come in every layer
    if len({len(run.integers) for run in runs}) != 1:
        return {}, ()
    for i, values in enumerate(zip(*(run.integers for run in runs))):
        if len(set(values)) == 1:
            continue
        if values not in found:
            found[values] = _expression(values, points, names) \
                if values[0] != values[1] else None
        if not found[values]:
            return {}, values
        plan[i] = found[values]
    return plan, None


def _where(graph, other, values):
    """" at add, net.py:9 "..."", where GRAPH and OTHER have the first two of
    VALUES; "" where that is not seen.
    """
    for a, b in zip(graph.nodes, other.nodes):
        if _unequal(a, b) == tuple(map(str, values[:2])):
            return " at %s, %s" % (a.name, _place(a))
    return ""


def _named(given, sizes):
    """[["x[0]", "N"], ...]: one letter for sizes that vary together."""
    letters = {}
    for name, pair in sizes.items():
        if pair in letters:
            continue
        head, _, dim = name.rpartition("[")
        tensor = given.get(head)
        if not isinstance(tensor, torch.Tensor):
            letter = name if name.isidentifier() else "K"
        else:
            words = _LETTERS.get(tensor.dim(), "NSTUVW")
            letter = words[min(int(dim[:-1]), len(words) - 1)]
        taken = set(letters.values())
        letters[pair] = next(
            word for word in itertools.chain(
                [letter], ("%s%d" % (letter, i) for i in itertools.count(2)))
            if word not in taken)
    return [[name, letters[pair]] for name, pair in sizes.items()]
