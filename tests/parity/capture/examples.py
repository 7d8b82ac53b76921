"""Recorded runs (fxdb's _example.py) beside eager PyTorch: functions that use
sizes in every way, in-place writes, results of all forms, and what a recording
cannot see through.
"""
import linecache
import os
import sys
import threading
import weakref

sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))
sys.path.insert(0, os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace"))

import torch
from torch import nn

import fxdb
import sizes
from fxdb import _check, _example, _vary, _weights

failures = []


def expect(truth, *what):
    if not truth:
        failures.append(" ".join(map(str, what)))


def record(root, **given):
    tracer = fxdb.Tracer()
    graph, recorder = _example.record(tracer, root, given)
    checked = _check.check(root, tracer, graph, given, 1)
    return tracer.root, graph, recorder.notes, checked


def leaves(value):
    return _check.leaves(_example.taken_apart(value))


def is_same(want, got):
    want, got = leaves(want), leaves(got)
    return len(want) == len(got) and all(
        torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b
        for a, b in zip(want, got))


# None of these may be silently wrong at another size.
NODES = {"a_sqrt", "a_floor", "a_log", "a_ceil", "a_sum", "product", "unpacked",
         "power", "whole_view", "a_bit", "shifted", "enumerated"}


def is_right(function, root, graph, shapes):
    """Whether GRAPH does what FUNCTION does at SHAPES."""
    for shape in shapes:
        x = torch.randn(shape)
        try:
            want = function(x.clone())
        except Exception:
            continue  # TABLE and the like end
        try:
            if not is_same(want, _check.interpret(root, graph,
                                                  {"x": x.clone()})):
                return False
        except Exception:
            return False
    return True


def check_sizes(name, function):
    torch.manual_seed(0)
    root, graph, notes, checked = record(function, x=torch.randn(3, 4))
    right = is_right(function, root, graph,
                     [(2, 4), (5, 4), (4, 4), (3, 5), (5, 7)])
    expect(right or notes or checked["sizes"] or checked["difference"],
           name, "is wrong at another size and nothing says so")
    expect(right and not notes or name not in NODES, name, "is no node:", notes)


# What only a second run of other sizes makes right at all sizes.
VARIED = {"a_format", "a_len", "zeros_list", "list_times", "a_ceil",
          "int_of_size", "rounded_up"}


def check_varied(name, function):
    """Two recordings of other sizes, by the same measure."""
    torch.manual_seed(0)
    tracer = fxdb.Tracer()
    varied = _vary.record(tracer, function, {"x": torch.randn(3, 4)},
                          {"x": torch.randn(5, 9)},
                          _weights.tensors_of(function))
    right = is_right(function, tracer.root, varied.graph,
                     [(2, 4), (4, 6), (7, 5), (8, 7), (6, 11)])
    expect(right or varied.problem or varied.recorder.notes,
           name, "varied, is wrong at another size and nothing says so")
    expect(name not in VARIED or right and not varied.problem, name,
           "does not vary:", varied.problem)


class Everything(nn.Module):
    """In place, items, buffers, kwargs, a leaf in place, a dict of results."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(8, 8)
        self.bn = nn.BatchNorm1d(8)
        self.act = nn.ReLU(inplace=True)
        self.weight = nn.Parameter(torch.randn(8, 8))
        self.register_buffer("pos", torch.randn(16, 8))
        self.register_buffer("count", torch.zeros(()))

    def forward(self, x, *, mask=None, scale=2):
        b, n = x.shape[0], x.shape[1]
        self.count += 1
        h = self.fc(x) + self.pos[:n]
        h = 3 - h * scale
        q, k = (h @ self.weight).chunk(2, -1)
        h = self.act(self.bn(torch.cat([q, k], dim=-1).view(b * n, -1)))
        h = h.reshape(b, n, -1)
        h[:, 0] = 0
        h += torch.arange(n).view(1, n, 1)
        view = h[0]
        view.mul_(2)
        best = h.max(-1)
        return {"h": h, "best": best.values, "where": [best.indices, view],
                "n": torch.full((b,), n / b), "count": self.count}


TARGETS = ["fc", "getitem", "add", "mul", "sub", "matmul", "chunk", "cat",
           "view", "bn", "act", "reshape", "setitem", "arange", "iadd", "mul_",
           "max", "full"]


def check_everything(train):
    torch.manual_seed(0)
    model = Everything().train(train)
    before = {name: tensor.clone() for name, tensor in
              model.state_dict().items()}
    root, graph, notes, checked = record(model, x=torch.randn(2, 3, 8))
    expect(checked == {"difference": 0.0, "sizes": ""}, "everything:", checked)
    expect(not notes, "everything notes", notes)
    expect(all(torch.equal(before[name], tensor) for name, tensor in
               model.state_dict().items()), "the recording changed the model")
    names = [getattr(node.target, "__name__", str(node.target))
             for node in graph.nodes]
    at = -1
    for target in TARGETS:
        expect(target in names[at + 1:], target, "is not after", names[:at])
        at = names.index(target, at + 1) if target in names[at + 1:] else at
    scopes = {node.name: node.scope for node in graph.nodes}
    expect(scopes["fc"] == "fc" and scopes["add"] == "", scopes)
    lines = [node.source[0][2] for node in graph.nodes if node.source]
    expect(set(lines) == {"forward"}, "sources", set(lines))


def functions(x):
    return x


def written(index, value):
    """What sets VALUE, or what it gives, at INDEX, or what that gives."""
    def write(x):
        y = torch.zeros(4, 4)
        y[index(x) if callable(index) else index] = \
            value(x) if callable(value) else value
        return y
    return write


def check_items():
    """Items that are set: each form of an index with each of a value."""
    torch.manual_seed(0)
    for i, index in enumerate([
            0, slice(0, 4, 2), (slice(None), 1), [0, 2], None, ...,
            torch.tensor([0, 2]), lambda x: x > 0, lambda x: x[:, 0] > 0,
            lambda x: torch.where(x[:, 0] > -9)[0]]):
        for j, value in enumerate([1.5, torch.tensor(2.0), lambda x: x[0, 0],
                                   lambda x: x.sum() * 2]):
            _, _, _, checked = record(written(index, value),
                                      x=torch.randn(4, 4))
            expect(checked["difference"] == 0.0, "item", i, "set to", j,
                   checked)


class Late(nn.Module):
    def forward(self, x):
        return nn.ReLU()(x) + nn.Sequential(nn.Tanh())(x)


class Fails(nn.Module):
    def forward(self, x):
        y = x + 1
        raise ValueError("no " + str(y.dim()))


class Cast(nn.Module):
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x.t()


class CastsLayer(nn.Module):
    """Another dtype comes of it, but for the layer alone."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.l(x)


def other_default(x):
    torch.set_default_dtype(torch.float64)
    y = torch.zeros(4) + x
    torch.set_default_dtype(torch.float32)
    return y


class NoGradients(nn.Module):
    """Parts without gradients: of parameters, and of what has none anyhow."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.l = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            y = x * 2
        if self.kind == "nothing":
            return self.l(y)
        if self.kind == "layer":
            with torch.no_grad():
                return self.l(x) + y
        if self.kind == "inference":
            z = self.l(x)
            with torch.inference_mode():
                return z * 2
        return self.decorated(self.l(x))

    @torch.no_grad()
    def decorated(self, x):
        return x + 1


def check_gradients():
    """Where gradients are left out that the graph has is listed, with its
    line; torch is as before."""
    before = torch.no_grad.__enter__, torch.inference_mode.__exit__
    for kind, line in ("nothing", None), ("layer", "return self.l(x) + y"), (
            "inference", "return z * 2"), ("decorated", "return x + 1"):
        _, _, notes, checked = record(NoGradients(kind), x=torch.randn(4, 4))
        lines = {linecache.getline(*place[:2]).strip() for place, what in
                 notes.items() if what.startswith("gradients, ")}
        expect(lines == ({line} if line else set()), kind, notes)
        expect(checked["difference"] == 0.0, kind, checked)
    expect(before == (torch.no_grad.__enter__, torch.inference_mode.__exit__),
           "torch was not put back")


def elsewhere(x):
    return torch.from_numpy(x.numpy() * 2) + x


class Keeps(nn.Module):
    """Makes a constant of its first values."""

    def __init__(self):
        super().__init__()
        self.first = None

    def forward(self, x):
        y = x + torch.tensor(float(x[0, 0])) if x[0, 0] > 1000 else x * 2
        return torch.tensor(y.tolist()) + 1


def check_differences():
    """What has another dtype differs, and what is not kept is listed; what
    autocast casts is cast in the graph."""
    x = torch.randn(4, 4)
    for root in Cast(), CastsLayer():
        _, _, notes, checked = record(root, x=x)
        expect(checked["difference"] == 0.0 and not notes, checked, notes)
    _, _, notes, checked = record(other_default, x=x)
    expect(checked["differs"] == "float32[4, 4], not float64[4, 4]" and
           checked["difference"] is None and
           "the default dtype, which the graph does not keep"
           in notes.values(), checked, notes)
    # Where it parts from the model: the constant, or the line.
    for root, words in (Keeps(), "on other values"), \
            (elsewhere, "a function of its own"):
        tracer = fxdb.Tracer()
        graph, _ = _example.record(tracer, root, {"x": x})
        checked = _check.check(root, tracer, graph, {"x": x}, 1)
        expect(checked["difference"] > 1e-3, checked)
        parting = _vary.parting(tracer, root, graph, checked["other"],
                                None) or ""
        expect("examples.py:" in parting and words in parting, parting)


class Threads(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def forward(self, x):
        found = []
        thread = threading.Thread(
            target=lambda: found.append(self.act(x) * 2))
        thread.start()
        thread.join()
        return found[0] + 1


class Counting(torch.overrides.TorchFunctionMode):
    """A mode of the model's own, above the recorder's."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


class OwnMode(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8)

    def forward(self, x):
        with Counting():
            return self.layer(x).relu()


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


def twice(x):
    return Doubled.apply(x) + 1


def scripted(x):
    return torch.jit.script(twice_scripted)(x) + 1


def twice_scripted(x):
    return x * 2


def mapped(x):
    return torch.vmap(lambda row: row * 2)(x)


def leaf(x):
    return nn.functional.multi_head_attention_forward(
        x, x, x, 4, 2, torch.ones(12, 4), None, None, None, False, 0.0,
        torch.eye(4), None, training=False)[0]


def check_forgotten():
    """What the model lets go of goes, but for the last call's arguments."""
    held = []

    def function(x):
        for _ in range(9):
            x = x + 1
            held.append(weakref.ref(x))
        return x, sum(one() is not None for one in held)
    graph = record(function, x=torch.ones(2))[1]
    expect([*graph.nodes][-1].args[0][1] <= 2, "values that are held")


def is_told(name, root, **given):
    """What the graph cannot hold is refused, noted, or found by the check."""
    try:
        _, _, notes, checked = record(root, **given)
    except Exception as error:
        expect(not isinstance(error, (SystemError, AttributeError)), name,
               repr(error))
        return
    expect(notes or checked["difference"] != 0.0, name, "is silent")


class Hooked(nn.Module):
    """Its own hooks run too, as does what it is called by."""

    def __init__(self):
        super().__init__()
        self.l = nn.Linear(4, 4)
        self.seen = []
        self.register_forward_pre_hook(self.before)
        self.register_forward_hook(lambda module, given, y: {
            "y": y + 100, "sum": given[0].sum(), "n": y.shape[0] * 2})

    def before(self, module, given):
        self.seen.append(len(given))
        for i in range(given[0].shape[0]):
            pass
        return given[0] * 2,

    def __call__(self, x, *rest, **more):
        given = super().__call__(x, *rest, **more)
        given["y"] = given["y"] - 3
        return given

    def forward(self, x, scale=2):
        return self.l(x) * scale


def check_root_hooks():
    """What module(*args) does is recorded, and what the check is against."""
    x = torch.randn(3, 4)
    expect_root(Hooked(), x=x)
    expect_root(nn.utils.weight_norm(nn.Linear(4, 4)), input=x)
    root = Hooked()
    graph, recorder = _example.record(fxdb.Tracer(), root, {"x": x, "scale": 3})
    files = {node.source[0][2] for node in graph.nodes if node.source}
    expect(files == {"before", "forward", "<lambda>", "__call__"}, files)
    expect(len(recorder.notes) == 1 and root.seen == [1], recorder.notes,
           root.seen)
    # The check calls the model with its hooks.
    tracer = fxdb.Tracer()
    graph, _ = _example.record(tracer, root, {"x": x})
    root._forward_pre_hooks.clear()
    checked = _check.check(root, tracer, graph, {"x": x}, 1)
    expect(checked["difference"] != 0.0, "a hook that is gone:", checked)


def expect_root(root, **given):
    held, graph, _, checked = record(root, **given)
    with torch.no_grad():
        want = root(*given.values())
    got = _check.interpret(held, graph, given)
    expect(is_same(want, got), root, "differs from what it gives:", graph.code)
    expect(checked == {"difference": 0.0, "sizes": ""}, root, checked)


class Asks(nn.Module):
    """Decides by gradients that a recording does not compute."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        y = y * 2 if torch.is_grad_enabled() else y
        return y + 1 if y.requires_grad else y


def check_asked():
    """It hears what its own call would, the check is against that, and each
    answer is listed."""
    for mode, names in ((torch.enable_grad, ["mul", "add"]),
                        (torch.no_grad, [])):
        with mode():
            _, graph, notes, checked = record(Asks(), x=torch.randn(3, 4))
        expect([node.name for node in graph.nodes][2:-1] == names, graph)
        expect(checked == {"difference": 0.0, "sizes": ""}, checked)
        expect([line for (_, _, value), line in notes.items()
                if value == str(bool(names))] == [
            "y = y * 2 if torch.is_grad_enabled() else y",
            "return y + 1 if y.requires_grad else y"], notes)


def check_reversed():
    """Python's order from the end is a flip."""
    _, graph, _, checked = record(lambda x: torch.stack(list(reversed(x))),
                                  x=torch.randn(3, 4))
    expect(graph.nodes[1].name == "flip" and checked["difference"] == 0.0,
           graph, checked)


def main():
    check_root_hooks()
    check_reversed()
    check_asked()
    check_differences()
    check_gradients()
    for name, function in vars(sizes).items():
        if getattr(function, "__module__", "") == "sizes":
            check_sizes(name, function)
            check_varied(name, function)
    check_everything(False)
    check_everything(True)
    check_items()
    check_forgotten()
    for root in Late(), OwnMode().eval(), twice, leaf:
        _, _, _, checked = record(root, x=torch.randn(3, 1, 4)[:, 0]
                                  if root is twice else torch.randn(3, 1, 4))
        # A layer under a mode leaves its fast path, in eager too.
        expect(checked["difference"] < 1e-5, root, checked)
    x = torch.randn(4, 4)
    is_told("a thread", Threads(), x=x)
    for root in [scripted] + [mapped] * hasattr(torch, "vmap"):
        _, _, notes, checked = record(root, x=x)
        expect(checked == {"difference": 0.0, "sizes": ""} and not notes,
               root, checked, notes)
    tracer = fxdb.Tracer()
    try:
        _example.record(tracer, Fails(), {"x": x})
        expect(False, "a model that raises gave a graph")
    except ValueError as error:
        expect(str(error) == "no 2" and len(tracer.partial.nodes) == 3,
               "a model that raises:", error)
        last = tracer.partial.nodes[-1]
        expect(last.name == "raised" and last.source[0][2] == "forward",
               last)
    # All is as before: a trace after it, and torch itself.
    expect(len(fxdb.symbolic_trace(nn.Sequential(nn.ReLU())).nodes) == 3,
           "no trace after a recording")
    expect(torch.equal(nn.ReLU()(x), x.relu()), "torch was not put back")
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
