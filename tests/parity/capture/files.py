"""graph.save and fxdb.load: what Python wrote, Python and fxdb read, and what
fxdb wrote, Python reads; code, annotations, places and every bit of what runs
are the model's.
"""
import collections
import copy
import enum
import os
import subprocess
import sys
import tempfile
import typing

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx
from torch import nn

import oracle  # noqa: F401  which repairs torch.fx
import fxdb  # noqa: E402  after the oracle
from torch_graphs import Attention, Block, MODELS, Recurrent, same

IS_2 = not torch.__version__.startswith("1.")
FXDB = os.path.join(os.environ["FXDB_BUILDDIR"], "fxdb")
Pair = collections.namedtuple("Pair", "first second")


class Dim(enum.IntEnum):
    FIRST = 0
    LAST = 1


# (Torch 1.13 prints no Python of a member.)
LAST = Dim.LAST if IS_2 else 1
KNOWN = {"__main__.Pair": Pair, "__main__.Dim.LAST": Dim.LAST}


@fxdb.wrap
def helper(x, by):
    return x * by


class Odd(nn.Module):
    """Tensors that are more than a dense one of f32."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4, bias=False)
        self.tied = nn.Linear(4, 4)
        self.tied.weight = self.fc.weight
        self.across = nn.Parameter(torch.randn(6, 4)[1:5])
        self.register_buffer("mask", torch.tensor([True, False, True, True]),
                             persistent=False)
        self.register_buffer("bits", torch.randn(4).to(torch.bfloat16))
        self.register_buffer("turn", torch.randn(4, dtype=torch.complex64))
        self.register_buffer("view", self.bits[1:3])
        self.register_buffer("none", None)
        self.frozen = nn.Parameter(torch.zeros(1), requires_grad=False)
        self.attend = nn.MultiheadAttention(2, 1, batch_first=True)
        self.norm = nn.GroupNorm(2, 4, affine=False)

    def forward(self, x: torch.Tensor, scale: typing.Optional[float] = 2.0):
        y = torch.where(self.mask, self.tied(self.fc(x)) @ self.across, x)
        y = y + self.bits + torch.view_as_real(self.turn).sum() + self.frozen
        y = self.norm(y)[:, 1:3] * self.view
        z, _ = self.attend(y[None], y[None], y[None])
        return z, Pair(y, torch.float32), y.sum(dim=LAST)


def again(graph, path):
    """GRAPH as it comes back from a file at PATH."""
    assert graph.save(path) == []
    return fxdb.load(path, known=KNOWN)


def agree(name, graph, loaded, *inputs):
    """LOADED has all that GRAPH has, and runs as it does, bit for bit."""
    assert str(loaded) == str(graph), (name, str(loaded))
    assert loaded.code == graph.code, (name, loaded.code)
    for mine, theirs in zip(loaded.nodes, graph.nodes):
        assert (mine.type, mine.scope, mine.source) == \
            (theirs.type, theirs.scope, theirs.source), (name, mine)
    first, second = graph.to_torch(), loaded.to_torch()
    assert second.code == first.code, (name, second.code)
    for mine, theirs in zip(second.graph.nodes, first.graph.nodes):
        assert mine.type == theirs.type, (name, mine, mine.type, theirs.type)
    ours, theirs = ({**dict(module.named_parameters()),
                     **dict(module.named_buffers())}
                    for module in (second, first))
    assert ours.keys() == theirs.keys(), (name, ours.keys() ^ theirs.keys())
    for path in ours:
        a, b = ours[path], theirs[path]
        assert torch.equal(a, b) and a.dtype == b.dtype and \
            a.stride() == b.stride() and \
            a.requires_grad == b.requires_grad and type(a) is type(b), \
            (name, path)
    assert first.state_dict().keys() == second.state_dict().keys(), name
    results = []
    for module in first, second:
        torch.manual_seed(3)
        # (A run may change buffers, and they are the model's.)
        results.append(copy.deepcopy(module)(*[x.clone() for x in inputs]))
    assert same(*results), (name, results)


def through_fxdb(path):
    """What fxdb reads at PATH, and what it writes of it."""
    to = path[:-4] + "-2.fxg"
    done = subprocess.run(
        [FXDB, "-batch", path, "-ex", "lint", "-ex", "dump fx",
         "-ex", "save " + to], capture_output=True, text=True)
    assert done.returncode == 0, (path, done.stdout, done.stderr)
    return done.stdout, fxdb.load(to, known=KNOWN)


def models(folder):
    count = 0
    given = [(make, inputs) for make, inputs in MODELS] + \
        [(Odd, (torch.randn(3, 4),))]
    for at, (make, inputs) in enumerate(given):
        for training in False, True:
            model = make().train(training)
            graph = fxdb.symbolic_trace(model)
            path = os.path.join(folder, "m%d%d.fxg" % (at, training))
            name = "%s %d" % (type(model).__name__, training)
            agree(name, graph, again(graph, path), *inputs)
            shown, back = through_fxdb(path)
            assert str(graph).strip() in shown, (name, shown)
            agree("fxdb's " + name, graph, back, *inputs)
            print("ok  ", name)
            count += 1
    odd = fxdb.load(os.path.join(folder, "m%d0.fxg" % (len(given) - 1))).root
    assert odd.fc.weight is odd.tied.weight
    assert odd.view.data_ptr() == odd.bits.data_ptr() + 2
    return count


class Own(nn.Module):
    def forward(self, x):
        return x.sin() if x.sum() > 0 else x.cos()


class Leaf(nn.Module):
    def __init__(self):
        super().__init__()
        self.own = Own()

    def forward(self, x):
        return helper(self.own(x), 3)


class Keeps(fxdb.Tracer):
    def is_leaf_module(self, module, path):
        return isinstance(module, Own) or super().is_leaf_module(module, path)


def refuses(kind, word, call):
    try:
        call()
    except kind as error:
        assert word in str(error) and "\n" not in str(error), error
        return
    raise AssertionError("accepted: " + word)


def what_is_not_torchs(folder):
    path = os.path.join(folder, "leaf.fxg")
    model = Leaf()
    graph = Keeps().trace(model)
    loaded = again(graph, path)
    assert str(loaded) == str(graph) and loaded.code == graph.code
    refuses(ValueError, 'known={"own": MODULE}', loaded.to_torch)
    loaded = fxdb.load(path, known={"own": model.own})
    refuses(ValueError, 'known={"__main__.helper": OBJECT}', loaded.to_torch)
    known = {"own": model.own, "__main__.helper": helper}
    module = fxdb.load(path, known=known).to_torch()
    x = torch.randn(4)
    assert torch.equal(module(x), model(x))
    # What was not made is written again as it was.
    refuses(ValueError, 'known={"own": MODULE}',
            again(fxdb.load(path), path).to_torch)
    assert "__main__.Own" in open(path).read()


def without_values(folder):
    path = os.path.join(folder, "meta.fxg")
    graph = fxdb.symbolic_trace(nn.Sequential(nn.Linear(4, 3, device="meta")))
    assert graph.save(path) == ["0.bias", "0.weight"]
    assert fxdb.load(path).root.get_submodule("0").weight.is_meta
    # Values that changed since are those that are written.
    model = nn.Sequential(nn.Linear(4, 3))
    loaded = again(fxdb.symbolic_trace(model), path)
    with torch.no_grad():
        loaded.root.get_parameter("0.weight").fill_(7)
    assert again(loaded, path).root.get_parameter("0.weight").eq(7).all()
    assert not model[0].weight.eq(7).any()


def damaged(folder):
    path = os.path.join(folder, "damaged.fxg")
    fxdb.symbolic_trace(nn.Sequential(nn.Linear(4, 3))).save(path)
    text = open(path).read()
    beside, = [name for name in os.listdir(folder)
               if name.startswith("damaged-")]
    for changed, word in ((text[:-20], "cut short"),
                          (text.replace("linear", "lineal"), "hash"),
                          ("x = 1\n", "no .fxg file"), ("", "no .fxg file"),
                          (text.replace('"fxg":2', '"fxg":9'), "newer")):
        with open(path, "w") as file:
            file.write(changed)
        refuses(ValueError, word, lambda: fxdb.load(path))
    with open(path, "w") as file:
        file.write(text)
    beside = os.path.join(folder, beside)
    data = open(beside, "rb").read()
    with open(beside, "wb") as file:
        file.write(data[:-3])
    refuses(ValueError, "cut short", lambda: fxdb.load(path))
    os.remove(beside)
    refuses(OSError, "not beside it", lambda: fxdb.load(path))
    refuses(OSError, "nowhere", lambda: fxdb.load(folder + "/nowhere/x.fxg"))
    refuses(OSError, "nowhere", lambda: fxdb.symbolic_trace(
        nn.ReLU()).save(folder + "/nowhere/x.fxg"))


def of_export(folder):
    """A graph of ATen operators, its inputs a container."""
    model = Attention().eval()
    program = torch.export.export(model, (torch.randn(2, 5, 8),))
    graph = fxdb.from_torch(program)
    path = os.path.join(folder, "export.fxg")
    graph.save(path)
    # What checks the inputs is a class of torch.export's own.
    loaded = fxdb.load(path, known={"_guards_fn": graph.root._guards_fn})
    assert str(loaded) == str(graph)
    x = torch.randn(2, 5, 8)
    got = torch.fx.Interpreter(loaded.to_torch()).run(x)
    assert torch.equal(got[0] if isinstance(got, (tuple, list)) else got,
                       model(x)), got


with tempfile.TemporaryDirectory() as folder:
    count = models(folder)
    assert count == 2 * (len(MODELS) + 1)
    assert any(make is Block for make, _ in MODELS) and \
        any(make is Recurrent for make, _ in MODELS)
    what_is_not_torchs(folder)
    without_values(folder)
    damaged(folder)
    if IS_2:
        of_export(folder)
print("%d graphs to files and back" % count)
