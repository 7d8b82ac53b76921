"""Graphs of torch.fx, torch.export and Dynamo through from_torch and back:
everything that torch.fx prints and keeps of them is equal, and torch.fx's
Interpreter gives what eager PyTorch gives.
"""
import collections
import os
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx
from torch import nn
from torch.fx.experimental import optimization
from torch.fx.passes.shape_prop import ShapeProp

import oracle  # noqa: F401  which repairs torch.fx
import small_models
import fxdb  # noqa: E402  after the oracle
from compare import describe

IS_2 = not torch.__version__.startswith("1.")
Pair = collections.namedtuple("Pair", "first second")


def differs(module, wrong_code=None):
    """None, or what is not as in MODULE, a GraphModule, there and back."""
    graph = module.graph
    ours = fxdb.from_torch(module)
    nodes = list(graph.nodes)
    for mine, node in zip(ours.nodes, nodes):
        if describe(mine) != describe(node):
            return "%s\n%s" % (describe(mine), describe(node))
        if mine.meta.keys() != node.meta.keys() or \
                any(mine.meta[key] is not node.meta[key] for key in node.meta):
            return "metadata of " + node.name
    if str(ours).strip() != str(graph).strip():
        return "the listing\n%s\n%s" % (ours, graph)
    if type(graph._codegen) is torch.fx.graph.CodeGen:
        code = graph.python_code("self").src
        if ours.code != code.replace(*wrong_code or ("", "")):
            return "the code\n%s\n%s" % (ours.code, code)
    back = ours.to_torch()
    for mine, node in zip(back.graph.nodes, nodes):
        if describe(mine) != describe(node) or mine.type is not node.type or \
                mine.meta.keys() != node.meta.keys():
            return "back: " + node.name
    if len(ours.nodes) != len(nodes) or len(back.graph.nodes) != len(nodes):
        return "another number of nodes"
    if back.code != module.code or type(back).__name__ != \
            type(module).__name__ or back.training != module.training:
        return "back: the code\n%s\n%s" % (back.code, module.code)
    return None


def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def runs(name, module, *inputs, eager=None):
    """MODULE goes through whole, and gives what EAGER does."""
    problem = differs(module)
    assert not problem, (name, problem)
    # Drawn alike, and where a run writes, on what nobody wrote.
    want, got = [], []
    for model, results in (eager or module, want), (
            torch.fx.Interpreter(fxdb.from_torch(module).to_torch()).run, got):
        torch.manual_seed(1)
        with torch.no_grad():
            results.append(model(*[x.clone() if isinstance(x, torch.Tensor)
                                   else x for x in inputs]))
    assert same(want, got), (name, want, got)
    print("ok  ", name)
    return 1


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.register_buffer("scale", torch.full((4, 1, 1), 2.0))
        self.twin = self.conv

    def forward(self, x, flag: bool = False, *, bias: torch.Tensor = None):
        x = torch.relu(self.norm(self.twin(self.conv(x)[:, :3]))) * self.scale
        return {"sum": x.sum(), "all": [x, (x + 1, torch.tensor([1.0, 2.0]))]}


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(8, 24)
        self.drop = nn.Dropout(0.3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        q, k, v = self.project(x).chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(-2, -1) / 8 ** 0.5, -1)
        return self.drop(weights) @ v


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, batch_first=True)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return out[:, -1], h + c


class Writes(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(4))

    def forward(self, x):
        y = x.clone()
        torch.relu_(y)
        y.add_(self.seen)
        return y.view(-1), y.shape[0]


MODELS = [(Block, (torch.randn(2, 3, 9, 9),)),
          (Attention, (torch.randn(2, 5, 8),)),
          (Recurrent, (torch.randn(2, 3, 4),)),
          (Writes, (torch.randn(2, 4),)),
          (lambda: nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.LayerNorm(4)),
           (torch.randn(3, 4),)),
          (lambda: nn.Sequential(nn.Embedding(10, 4), nn.Flatten()),
           (torch.arange(6).view(2, 3),))]


def traced():
    """What torch.fx traces, with shapes and without."""
    count = 0
    for at, (make, inputs) in enumerate(MODELS):
        for training in False, True:
            model = make().train(training)
            module = torch.fx.symbolic_trace(model)
            name = "%d %s" % (at, "train" if training else "eval")
            count += runs("traced " + name, module, *inputs)
        ShapeProp(module).propagate(*inputs)
        count += runs("shapes " + name, module, *inputs)
    return count


def of_torchvision():
    try:
        from torchvision import models
    except (ImportError, RuntimeError):
        return 0
    count = 0
    for name in "resnet18", "mobilenet_v3_small", "vit_b_16", "swin_t":
        model = getattr(models, name)().eval()
        image = torch.randn(1, 3, 224, 224)
        count += runs(name, torch.fx.symbolic_trace(model), image,
                      eager=model)
    return count


def written_by_hand():
    """What no tracer makes: names, functions and objects as arguments."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x", torch.Tensor, default_value=None)
    x.meta["anything"] = object()
    call = graph.call_function(
        torch.add, (x,), {"other": Pair(1, torch.float32)})
    call.name = "relu_00"
    graph.call_method("neg", (x,)).name = "input"  # as torch.export has it
    last = graph.output((call, {"a": x, "b": ...}), torch.Tensor)
    problem = differs(torch.fx.GraphModule(nn.Module(), graph, "ByHand"))
    assert not problem, problem
    with graph.inserting_before(last):
        # No Python can be written of these, so no module be made.
        graph.call_function(isinstance, (x, (int, torch.Tensor)))
        graph.call_function(map, (torch.nn.functional.relu, [x]))
    nodes = fxdb.from_torch(graph).nodes
    assert [n.name for n in nodes][:3] == ["x", "relu_00", "input"], nodes
    assert nodes[3].args[1] == (int, torch.Tensor), nodes[3].args
    assert nodes[4].args[0] is torch.nn.functional.relu
    assert type(nodes[1].kwargs["other"]) is Pair, nodes[1].kwargs
    assert nodes[0].type == "torch.Tensor"


def refused():
    empty = torch.fx.Graph()
    empty.placeholder("x")
    for given, kind, word in (nn.ReLU(), TypeError, "symbolic_trace"), \
            (3, TypeError, "int"), (empty, ValueError, "output"):
        try:
            fxdb.from_torch(given)
        except kind as error:
            assert word in str(error), error
        else:
            raise AssertionError("taken: %r" % (given,))
    try:
        # One that ends half-way leaves the next one alone.
        fxdb.from_torch(None)
    except TypeError:
        pass
    fxdb.symbolic_trace(nn.ReLU())


def of_our_own():
    """What fxdb traces becomes torch's: its code, its results, its passes."""
    model = Block().eval()
    x = torch.randn(2, 3, 9, 9)
    module = fxdb.symbolic_trace(model).to_torch()
    theirs = torch.fx.symbolic_trace(model)
    assert module.code == theirs.code, (module.code, theirs.code)
    assert same(module(x), model(x))
    assert [n.type for n in module.graph.nodes] == \
        [n.type for n in theirs.graph.nodes]
    assert module.conv.weight is model.conv.weight
    assert "torch_graphs.py" in list(module.graph.nodes)[4].meta["stack_trace"]
    pair = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).eval()
    fused = optimization.fuse(fxdb.symbolic_trace(pair).to_torch())
    assert len(list(fused.graph.nodes)) == 3
    assert torch.allclose(fused(x), pair(x), atol=1e-6)
    # A transformer of torch.fx's, and what it made back again.

    class Swap(torch.fx.Transformer):
        def call_function(self, target, args, kwargs):
            return super().call_function(
                torch.sigmoid if target is torch.relu else target, args,
                kwargs)
    swapped = Swap(module).transform()
    assert torch.sigmoid in fxdb.from_torch(swapped).targets.values()
    try:
        graph = fxdb.symbolic_trace(lambda x: x + small_models.leaf_helper(x))
        graph.to_torch()
    except ValueError as error:
        raise AssertionError(error)


def exported():
    """Programs of torch.export: names, symbols and lines as they are."""
    count = 0
    for make, inputs in MODELS[1:]:
        model = make().eval()
        program = torch.export.export(model, inputs)
        module = program.module(check_guards=False)
        count += runs("export of " + type(model).__name__, module, *inputs,
                      eager=model)
        problem = differs(program.graph_module)
        assert not problem, problem
        count += 1
    program = torch.export.export(
        Attention().eval(), (torch.randn(3, 5, 8),), dynamic_shapes={
            "x": {0: torch.export.Dim("N"), 1: torch.export.Dim("S")}})
    text = fxdb.from_torch(program.module()).fxg().decode()
    assert "tensor('f32[s" in text, text
    assert '"scope"' in text and '"source"' in text
    return count


def dynamo():
    """Graphs that Dynamo gives a backend, graph breaks and lifted parameters
    among them: the backend runs what went through."""
    count = 0

    def backend(module, inputs):
        nonlocal count
        problem = differs(module)
        assert not problem, problem
        count += 1
        return fxdb.from_torch(module).to_torch().forward

    def breaks(x):
        y = torch.relu(x) + 1
        print("ok   a break")
        return y * y.shape[0] if y.sum() > 0 else -y
    for make, inputs in MODELS + [(lambda: breaks, (torch.randn(3),))]:
        torch._dynamo.reset()
        model = make()
        if isinstance(model, nn.Module):
            model.eval()
        want = model(*[x.clone() for x in inputs])
        got = torch.compile(model, backend=backend)(*inputs)
        assert same(want, got), (make, want, got)
    return count


def documented():
    """What doc/python.md says works as it says."""
    path = os.path.join(os.environ["FXDB_SRCDIR"], "doc/python.md")
    with open(path) as file:
        parts = file.read().split("```python\n")[1:]
    code = "".join(part.partition("```")[0] for part in parts)
    assert code.count("assert") > 4, code
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # it writes a file
        exec(compile(code, path, "exec"), {"__name__": "documented"})
        os.chdir(before)


def main():
    warnings.simplefilter("ignore")
    torch.manual_seed(0)
    failed = count = 0
    for rule, make, options in small_models.cases():
        tracer = options.get("tracer", lambda base: base)(torch.fx.Tracer)()
        graph = tracer.trace(make(), options.get("concrete_args"))
        try:
            module = torch.fx.GraphModule(tracer.root, graph, "Case")
        except (SyntaxError, AttributeError):
            continue  # no Python, or paths that no module has
        problem = differs(module, options.get("wrong_code"))
        count += 1
        if problem:
            print("FAIL", rule, problem)
            failed = 1
    written_by_hand()
    refused()
    of_our_own()
    documented()
    count += traced() + of_torchvision()
    if IS_2:
        count += exported() + dynamo()
    print("%d graphs there and back" % count)
    return failed or count < 40


if __name__ == "__main__":
    sys.exit(main())
