"""The hooks of a Tracer's subclass beside torch.fx's: asked for the same things,
in the same order, with the same graph after.
"""
import collections
import copy
import math
import operator
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx
from torch import nn

import oracle  # noqa: F401  which repairs torch.fx
import fxdb  # noqa: E402  after the oracle
from fxdb import _partial  # noqa: E402
from session import DATA, raises

sys.path.insert(0, DATA)
import remedies  # noqa: E402


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.inner = nn.Sequential(nn.ReLU(), nn.Linear(2, 2))

    def forward(self, x, d):
        y = self.inner(self.fc(x)) + torch.sin(x).neg()
        if y.sum() > 0:
            y = y * 2
        a = [item + 1 for item in y]
        return a, [k for k in d.keys()], dict(**d)

    def other(self, x):
        return self.fc(x) - 1


def hooked(base, told):
    """A Tracer that answers every hook, as torch.fx asks it."""
    class Mine(base):
        def call_module(self, m, forward, args, kwargs):
            told.append(("module", type(m).__name__, len(args)))
            if isinstance(m, nn.ReLU):
                return args[0].tanh()
            return super().call_module(m, forward, args, kwargs)

        def to_bool(self, obj):
            told.append(("bool", obj.node.name))
            return True

        def iter(self, obj):
            told.append(("iter", obj.node.name))
            if obj.node.name.startswith("keys"):
                return iter(["p", "q"])
            return iter([obj[0], obj[1]])

        def keys(self, obj):
            told.append(("keys", obj.node.name))
            return super().keys(obj) if len(told) % 2 else ["a", "b"]

        def create_proxy(self, kind, target, args, kwargs, name=None,
                         type_expr=None, proxy_factory_fn=None):
            told.append((kind, str(getattr(target, "__name__", target))))
            return super().create_proxy(kind, target, args, kwargs, name,
                                        type_expr, proxy_factory_fn)
    return Mine


Point = collections.namedtuple("Point", "x y")


@fxdb.wrap
@torch.fx.wrap
def kept_whole(x):
    return x + 1


def check_create_proxy():
    """What create_proxy is told besides the call: names that torch.fx chooses,
    and that a function is wrapped stays known."""
    told = {fxdb: [], torch.fx: []}

    def traced(package):
        class Names(package.Tracer):
            def create_proxy(self, kind, target, args, kwargs, name=None,
                             type_expr=None, proxy_factory_fn=None):
                told[package].append((kind, name, type_expr))
                if kind.startswith("call"):
                    name = name or "mine"
                return super().create_proxy(kind, target, args, kwargs, name,
                                            type_expr)
        return Names().trace(lambda x: kept_whole(
            torch.add(torch.relu(x.neg()), x) + 2))
    mine, other = traced(fxdb), traced(torch.fx)
    assert told[fxdb] == told[torch.fx], told
    assert str(mine) == str(other).strip(), "\n%s\n%s" % (mine, other)
    code = torch.fx.GraphModule({}, other).code
    assert "wrap(" in code and \
        mine.to_torch().code == code, mine.to_torch().code


def check_partial():
    """What cannot be traced is kept whole: torch.fx's graph with those leaves."""
    torch.manual_seed(0)
    root = remedies.Hides()
    graph, kept = _partial.trace(fxdb.Tracer(), root, None)
    assert [note[2] for note in kept] == ["first.0", "last"], kept
    assert all(note[0].endswith("remedies.py") and "truth" in note[3]
               for note in kept), kept

    class Leaves(torch.fx.Tracer):
        def is_leaf_module(self, module, path):
            return path in ("first.0", "last") or \
                super().is_leaf_module(module, path)
    other = Leaves().trace(root)
    assert str(graph) == str(other).strip(), graph
    x = torch.randn(3, 2)
    assert torch.equal(graph.to_torch()(x), root(x))
    # What its own code decides nobody can keep whole.
    raises(torch.fx.proxy.TraceError, lambda: _partial.trace(
        fxdb.Tracer(), remedies.causes.Decides(), None), "the truth")


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.w = nn.Parameter(torch.ones(2, 3))
        self.register_buffer("b", torch.ones(2))
        self.plain = torch.ones(1)
        self.listed = [self.w]

    def forward(self, x: torch.Tensor, k: int = 3, *rest) -> torch.Tensor:
        y = self.fc(x) + self.b + self.b + torch.ones(1) + self.plain
        return Point(torch.relu(y) @ self.w @ self.w.t(), [k]), self.listed[0]


def same(make, traced=Parts, **options):
    """What both tracers are told and make with the subclass that MAKE gives."""
    told, graphs = [], []
    for base in fxdb.Tracer, torch.fx.Tracer:
        told.append([])
        graphs.append(make(base, told[-1])().trace(traced(), **options))
    assert told[0] == told[1], "\n%s\n%s" % tuple(told)
    assert str(graphs[0]) == str(graphs[1]).strip(), "%s\n%s" % tuple(graphs)
    assert graphs[0].code == graphs[1].python_code("self").src, graphs[0].code
    return told[0], graphs[0]


def plain(value):
    """VALUE with Nodes as text, of either package."""
    return torch.fx.node.map_aggregate(value, lambda leaf: "%" + leaf.name
                                       if hasattr(leaf, "op") else leaf)


def check_nodes():
    """create_node, proxy and getattr: asked for the same, and what they change
    is in the graph."""
    def make(base, told):
        class Mine(base):
            def create_arg(self, a):
                return super().create_arg(
                    9 if type(a) is int and a == 3 else a)

            def create_node(self, kind, target, args, kwargs, name=None,
                            type_expr=None):
                told.append((kind, str(getattr(target, "__name__", target)),
                             str(plain(args)), str(plain(kwargs)), name,
                             type_expr))
                if target is torch.relu:
                    name, type_expr = "mine", torch.Tensor
                if target == "fc":
                    args = (args[0],) + args[1:]
                node = super().create_node(kind, target, args, kwargs, name,
                                           type_expr)
                assert node.name
                return node

            def proxy(self, node):
                told.append(("proxy", node.name))
                made = super().proxy(node)
                assert made.node.name == node.name
                return made

            def getattr(self, attr, attr_val, parameter_proxy_cache):
                told.append(("getattr", attr, sorted(parameter_proxy_cache)))
                return super().getattr(attr, attr_val, parameter_proxy_cache)
        return Mine
    told, graph = same(make)
    assert {row[0] for row in told} == {
        "proxy", "getattr", "placeholder", "call_module", "call_function",
        "call_method", "get_attr", "output"}, told
    assert "mine" in [node.name for node in graph.nodes]

    def refuses(base, told):
        class Mine(base):
            def create_node(self, kind, *args, **kwargs):
                if kind == "call_method":
                    raise ValueError("no methods")
                return super().create_node(kind, *args, **kwargs)
        return Mine
    raises(ValueError, lambda: refuses(fxdb.Tracer, [])().trace(Parts()),
           "no methods")
    for name, word in ("create_node", "no Node"), ("proxy", "no Proxy"):
        made = type("Made", (fxdb.Tracer,), {name: lambda *args: 3})
        raises(TypeError, lambda: made().trace(Parts()), word)

    def factory(base, told):
        class Mine(base):
            def create_proxy(self, kind, target, args, kwargs, name=None,
                             type_expr=None, proxy_factory_fn=None):
                return super().create_proxy(
                    kind, target, args, kwargs, name, type_expr,
                    lambda node: told.append(node.name) or self.proxy(node))
        return Mine
    assert same(factory)[0]


class Sizes(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2, 3))
        self.register_buffer("b", torch.ones(2, 3))

    def forward(self, x):
        y = x.view(self.w.size()[0], self.w.shape[1] * self.w.ndim)
        if self.w.numel() + self.w.nelement() > 3 and self.w.dim() == 2:
            y = y + self.w
        return y * self.b + self.b


def check_switches():
    """The switches of torch.fx's Tracer."""
    for model, switches in (
            (Sizes, {"param_shapes_constant": True}),
            (Parts, {"proxy_buffer_attributes": True}),
            (Parts, {"record_stack_traces": True})):
        def make(base, told):
            class Mine(base):
                def __init__(self):
                    super().__init__()
                    vars(self).update(switches)
            return Mine
        same(make, model)

    for base in fxdb.Tracer, torch.fx.Tracer:
        class Writes(base):
            check_mutable_operations = True
        raises(RuntimeError, lambda: Writes().trace(
            lambda x: torch.relu_(x)), "mutable operation")
        assert len(Writes().trace(lambda x: torch.relu(x)).nodes) == 3


def check_asserts():
    """Of trace_asserts only what it is for: torch.fx 1.13 and 2.13 look at
    wrong instructions of Python 3.11."""
    class Asserts(fxdb.Tracer):
        trace_asserts = True

    def asserts(x):
        assert x.sum() > 0, "positive"
        assert x.shape[0] == 2
        return x + 1
    graph = Asserts().trace(asserts)
    assert [node.target.__name__ for node in graph.nodes
            if node.op == "call_function"] == [
        "gt", "assert_fn", "getattr", "getitem", "eq", "assert_fn", "add"]
    raises(torch.fx.proxy.TraceError, lambda: Asserts().trace(
        lambda x: 1 if x else 2), "control flow")


def check_inputs():
    """create_args_for_root: what it gives is what is called."""
    def make(base, told):
        class Mine(base):
            def create_args_for_root(self, root_fn, is_module,
                                     concrete_args=None):
                function, values = super().create_args_for_root(
                    root_fn, is_module, concrete_args)
                told.append((root_fn.__name__, is_module, len(values),
                             concrete_args))
                values[1] = values[1] + 1
                return function, values
        return Mine
    assert same(make)[0]
    same(make, lambda: nested, concrete_args={
        "pair": (torch.fx.PH, [torch.fx.PH])})


class NamesInputs(nn.Module):
    def forward(self, x, parts):
        return {"sum": x + parts["a"][0], "rest": [parts["b"], parts["a"][1]]}


def check_containers():
    """Inputs and results that are containers, of what to_torch gives: called
    as the model is, traced again, taken back."""
    one, two, three = torch.arange(3.), torch.ones(3), torch.zeros(3)
    ph = torch.fx.PH
    for make, given, fixed in (
            (lambda: nested, (one, (two, [three])), {"pair": (ph, [ph])}),
            (NamesInputs, (one, {"a": [two, three], "b": 5}),
             {"parts": {"a": [ph, ph], "b": 5}})):
        model = make()
        graph = fxdb.symbolic_trace(model, fixed)
        module = graph.to_torch()
        theirs = torch.fx.symbolic_trace(model, fixed)
        assert module.code == theirs.code, (module.code, theirs.code)
        expected = model(*given)
        for each in module, fxdb.from_torch(module).to_torch(), \
                fxdb.symbolic_trace(module, fixed).to_torch():
            result = each(*given)
            assert str(result) == str(expected), (result, expected)


def check_copies():
    """A Tracer is copied, with the graph it may have kept."""
    class Keeps(fxdb.Tracer):
        def trace(self, root, concrete_args=None):
            self.kept = super().trace(root, concrete_args).to_torch()
            return self.kept
    tracer = Keeps((math, operator), (whole,))
    before = copy.deepcopy(tracer)
    tracer.trace(lambda x: x.relu() + whole(x))
    after = copy.deepcopy(tracer)
    assert after.kept.code == tracer.kept.code and after.kept != tracer.kept
    assert before.trace(lambda x: whole(x) + 1)(2) == 3
    tracer.traced_func_name = "missing"
    raises(AssertionError, lambda: tracer.trace(Hooked()),
           "traced_func_name=missing doesn't exist in Hooked")


def nested(x, pair):
    return {"a": x + pair[0], "b": pair[1][0] * 2}


def whole(number):
    return int(number)


def check_autowrap():
    """Functions that a Tracer is told to record, where they are called by
    name; what math has is recorded all the same."""
    def calls(x):
        return whole(x.shape[0] / 2) + math.floor(x.size(1)) + \
            operator.index(x.size(0)) + whole(2.5)

    same(lambda base, told: lambda: base((math, operator), (whole,)),
         lambda: calls)
    graph = fxdb.Tracer(autowrap_functions=(whole,)).trace(
        lambda x: whole(x.size(0)))
    assert graph.to_torch()(torch.ones(3)) == 3
    assert whole(2.5) == 2  # and no other trace
    raises(TypeError, lambda: fxdb.symbolic_trace(
        lambda x: whole(x.size(0))))


class Pair(metaclass=torch.fx.ProxyableClassMeta):
    def __init__(self, left, right):
        self.left, self.right = left, right


def check_objects():
    """Objects that are attributes: of TorchScript, by the path of what has
    them; of a class that traced values can make, by a name that is made."""
    held = nn.Sequential(nn.ReLU())
    held.part = torch.jit.script(nn.Linear(2, 2))
    pair = Pair(1, 2)

    class Uses(nn.Module):
        def __init__(self):
            super().__init__()
            self.held = held

        def forward(self, x):
            return self.held.part(x).f(pair, Pair(x, 3))
    same(lambda base, told: base, Uses)
    module = fxdb.symbolic_trace(Uses()).to_torch()
    assert [node.target for node in module.graph.nodes
            if node.op == "get_attr"] == ["held.part._c", "_Pair_constant_0"]
    assert module._Pair_constant_0 is pair


def check_no_dtype():
    """torch.finfo takes what it is given for a dtype without asking, and what
    it finds there must be none, in whichever trace: a traced dtype has no
    numbers."""
    for _ in range(60):
        for function in torch.finfo, torch.iinfo:
            raises(TypeError, lambda: fxdb.symbolic_trace(
                lambda x: x + function(x.dtype).max))


def main():
    check_no_dtype()
    check_autowrap()
    check_objects()
    check_create_proxy()
    check_partial()
    ours, theirs = [], []
    mine = hooked(fxdb.Tracer, ours)().trace(Hooked())
    other = hooked(torch.fx.Tracer, theirs)().trace(Hooked())
    assert ours == theirs, "\n%s\n%s" % (ours, theirs)
    assert str(mine) == str(other).strip(), "\n%s\n%s" % (mine, other)
    assert {kind for kind, *_ in ours} == {
        "module", "bool", "iter", "keys", "call_module", "call_function",
        "call_method", "placeholder"}, ours

    class Method(fxdb.Tracer):
        traced_func_name = "other"
    assert [node.name for node in Method().trace(Hooked()).nodes] == [
        "x", "fc", "sub", "output"]
    # The defaults refuse, as without a subclass.
    for base in (fxdb.Tracer, torch.fx.Tracer):
        class Asks(base):
            def to_bool(self, obj):
                return super().to_bool(obj)

            def iter(self, obj):
                return super().iter(obj)
        raises(torch.fx.proxy.TraceError, lambda: Asks().trace(
            lambda x: 1 if x else 2), "control flow")
        raises(torch.fx.proxy.TraceError,
               lambda: Asks().trace(lambda x: [i for i in x]))

    class Nothing(fxdb.Tracer):
        def create_proxy(self, kind, *args, **kwargs):
            return 3 if kind == "call_function" else \
                super().create_proxy(kind, *args, **kwargs)
    raises(TypeError, lambda: Nothing().trace(lambda x: x.y + 1), "no Proxy")
    check_nodes()
    check_switches()
    check_asserts()
    check_inputs()
    check_containers()
    check_copies()


main()
