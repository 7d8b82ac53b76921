"""What Python sees of fxdb: Tracer and its hooks, symbolic_trace, wrap, and
the nodes of a graph; and that torch is left as it was.
"""
import functools
import gc
import inspect
import math
import os
import signal
import sys
import threading
import warnings
import weakref

sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx
from torch import nn
from torch.fx.annotate import annotate

import fxdb
from session import check, raises

ORIGINALS = (nn.Module.__call__, nn.Module.__getattr__, math.floor, math.sqrt)


def untouched():
    """Whether nothing of a trace is left in torch and here."""
    return ORIGINALS == (nn.Module.__call__, nn.Module.__getattr__,
                         math.floor, math.sqrt) and \
        inspect.isfunction(helper) and "len" not in globals() and \
        not torch.fx._symbolic_trace._is_fx_tracing_flag


@fxdb.wrap
def helper(x, by=2):
    return x * by


fxdb.wrap("len")


def names(graph):
    return [node.name for node in graph.nodes]


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.fc(x)) + 1


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(), Block())

    def forward(self, x, k=2):
        return self.blocks(x) * k


def nodes_can_be_read():
    graph = fxdb.symbolic_trace(Net())
    nodes = graph.nodes
    assert names(graph) == ["x", "k", "blocks_0_fc", "relu", "add",
                            "blocks_1_fc", "relu_1", "add_1", "mul",
                            "output"], names(graph)
    fc, relu, add = nodes[2:5]
    assert (fc.op, fc.target, fc.args, fc.kwargs) == (
        "call_module", "blocks.0.fc", (nodes[0],), {})
    assert relu.op == "call_function" and relu.target is torch.relu
    assert add.args == (relu, 1) and relu.users == [add]
    assert nodes[1].args == (2,) and nodes[1].type is None
    assert fc.scope == "blocks.0.fc" and relu.scope == "blocks.0"
    file, line, function = relu.source[0]
    assert file == __file__ and function == "forward", relu.source
    assert "torch.relu(self.fc(x)) + 1" in open(file).readlines()[line - 1]
    assert repr(fc) == "blocks_0_fc" and fc == graph.nodes[2] != relu
    assert len({fc, graph.nodes[2], relu}) == 2
    assert graph.class_name == "Net"
    assert graph.code.startswith("\n\n\ndef forward(self, x, k = 2):")
    assert str(graph).startswith("graph():\n")
    assert set(graph.tensors) == {
        "blocks.%d.fc.%s" % (i, n) for i in (0, 1) for n in ("weight", "bias")}
    del graph
    gc.collect()
    assert fc.name == "blocks_0_fc"  # a node keeps its graph


def values_of_every_kind_come_back():
    wanted = (1, 2.5, "a'b", None, True, [1, (2,)], {"k": slice(1, None, 2)},
              torch.float16, torch.device("cpu"), 1j, ..., 10 ** 30)

    def root(x):
        return x.m(*wanted)
    given = fxdb.symbolic_trace(root).nodes[1].args[1:]
    assert given == wanted, given


def leaves_are_the_tracers_choice():
    asked = []

    class Mine(fxdb.Tracer):
        def is_leaf_module(self, module, path):
            asked.append((type(module).__name__, path))
            return isinstance(module, Block) or \
                super().is_leaf_module(module, path)

    graph = Mine().trace(Net())
    assert names(graph) == ["x", "k", "blocks_0", "blocks_1", "mul", "output"]
    assert asked == [("Sequential", "blocks"), ("Block", "blocks.0"),
                     ("Block", "blocks.1")], asked


def paths_are_the_tracers_choice():
    class Mine(fxdb.Tracer):
        def path_of_module(self, module):
            return "model." + super().path_of_module(module)

    graph = Mine().trace(Net())
    assert graph.nodes[2].target == "model.blocks.0.fc"

    class Wrong(fxdb.Tracer):
        def path_of_module(self, module):
            return 3
    raises(TypeError, lambda: Wrong().trace(Net()))
    assert untouched()


def arguments_are_the_tracers_choice():
    class Config:
        def __init__(self, value):
            self.value = value

    def choose(base):
        class Mine(base):
            def create_arg(self, a):
                if isinstance(a, Config):
                    return super().create_arg(a.value)
                if isinstance(a, int) and not isinstance(a, bool):
                    return super().create_arg(a + 100)
                return super().create_arg(a)
        return Mine()

    def root(x):
        return x.m(1, [2, (3, {"k": 4})], Config("seen"), torch.ones(1),
                   k=slice(5, x))
    ours, theirs = choose(fxdb.Tracer).trace(root), \
        choose(torch.fx.Tracer).trace(root)
    assert str(ours) == str(theirs), (str(ours), str(theirs))
    assert ours.nodes[2].args[1:4] == (101, [102, (103, {"k": 104})], "seen")

    class Wrong(fxdb.Tracer):
        def create_arg(self, a):
            return object()
    raises(NotImplementedError, lambda: Wrong().trace(root), "object")
    kept = []

    class Keeps(fxdb.Tracer):
        def create_arg(self, a):
            kept.append(super().create_arg(a))
            return kept[0]
    def simple(x):
        return x.m(1, [2], k=3)
    Keeps().trace(simple)
    raises(RuntimeError, lambda: Keeps().trace(simple), "an earlier trace")
    assert untouched()


def trace_can_be_overridden():
    class Mine(fxdb.Tracer):
        def trace(self, root, concrete_args=None):
            self.seen = root
            return super().trace(root, {"k": 3})

    tracer, net = Mine(), Net()
    graph = tracer.trace(net)
    assert tracer.seen is net and tracer.root is net
    assert "k_1" in names(graph)


def torch_is_left_as_it_was():
    assert untouched()
    fxdb.symbolic_trace(Net())
    assert untouched()

    class Fails(Net):
        def forward(self, x):
            assert torch.fx._symbolic_trace._is_fx_tracing_flag
            math.floor(x)
            len(x)
            raise KeyboardInterrupt
    tracer = fxdb.Tracer()
    raises(KeyboardInterrupt, lambda: tracer.trace(Fails()))
    assert untouched()
    assert names(tracer.partial) == ["x", "floor", "len_1"]
    before = tracer.partial
    tracer.trace(Net())
    assert tracer.partial is None and len(before.nodes) == 3


def ctrl_c_at_any_moment_leaves_torch_as_it_was():
    net, caught, armed = Net(), 0, False

    def on_alarm(number, frame):
        nonlocal armed
        if armed:
            armed = False
            raise KeyboardInterrupt
    signal.signal(signal.SIGALRM, on_alarm)
    for i in range(400):
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, 1e-6 * (1 + 7 * i))
            fxdb.symbolic_trace(net)
            armed = False
        except KeyboardInterrupt:
            caught += 1
        assert untouched()
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert caught, "it was never interrupted"
    assert names(fxdb.symbolic_trace(net))[-1] == "output"


def the_model_is_left_as_it_was():
    class Constant(nn.Module):
        def forward(self, x):
            return x + torch.ones(1)
    root = Constant()
    before = dict(vars(root))
    for _ in range(2):
        graph = fxdb.symbolic_trace(root)
        assert names(graph)[1] == "_tensor_constant0"
    assert vars(root) == before


def traces_do_not_nest():
    def outer(x):
        raises(RuntimeError, lambda: fxdb.symbolic_trace(Net()),
               "do not nest")
        return x + 1
    assert names(fxdb.symbolic_trace(outer)) == ["x", "add", "output"]
    assert untouched()


def values_of_an_earlier_trace_are_refused():
    class Caches(nn.Module):
        cache = None

        def forward(self, x):
            if self.cache is None:
                self.cache = x + 1
            return self.cache * x
    root = Caches()
    fxdb.symbolic_trace(root)
    raises(RuntimeError, lambda: fxdb.symbolic_trace(root), "earlier trace")
    for use in (lambda: root.cache + 1, lambda: bool(root.cache),
                lambda: root.cache.shape[0], lambda: repr(root.cache),
                lambda: torch.relu(root.cache), lambda: list(root.cache)):
        raises(RuntimeError, use, "earlier trace")
    raises(TypeError, fxdb.Proxy)


def wrap_records_calls():
    def root(x):
        return helper(x, by=3) + len(x) + helper(2)
    graph = fxdb.symbolic_trace(root)
    assert names(graph) == ["x", "helper", "len_1", "add", "add_1", "output"]
    assert graph.nodes[1].target is helper
    assert graph.nodes[4].args[1] == 4
    raises(NotImplementedError, lambda: fxdb.wrap("helper"), "module level")
    raises(RuntimeError, lambda: fxdb.wrap(3))
    assert untouched() and helper(2) == 4


def around(forward):
    @functools.wraps(forward)
    def wrapper(self, *args, **kwargs):
        kwargs.setdefault("scale", 5)
        return forward(self, *args, **kwargs) + 100
    return wrapper


def twice(forward):
    @functools.wraps(forward)
    def wrapper(self, *args, **kwargs):
        return forward(self, *args, **kwargs) * 2
    return wrapper


def decorated_forwards_do_what_they_do():
    class Plain(nn.Module):
        @twice
        def forward(self, x, scale=1):
            return x * scale

    class Keyword(nn.Module):
        @around
        def forward(self, x, mask=None, *, scale=1):
            return x.masked_fill(mask, 0) * scale

    class Stars(nn.Module):
        @around
        def forward(self, x, **options):
            options["more"] = 1
            return x * options["scale"]
    assert names(fxdb.symbolic_trace(Plain())) == [
        "x", "scale", "mul", "mul_1", "output"]
    keyword = fxdb.symbolic_trace(Keyword())
    assert names(keyword) == ["x", "mask", "scale", "masked_fill", "mul",
                              "add", "output"], names(keyword)
    assert str(keyword.nodes[4].args) == "(masked_fill, scale)"
    stars = fxdb.symbolic_trace(Stars())
    assert names(stars) == ["x", "_options", "mul", "add", "output"]
    assert stars.nodes[2].args[1] == 5


def fixed_arguments_are_torch_fxs():
    def root(x, flag, n=3, t=None, word="a"):
        return x + n if flag and t is None else x
    cases = [{"flag": True}, {"flag": True, "t": None}, {"n": 2, "flag": 1},
             {"word": "b", "flag": False}, (torch.fx.PH, True, 2, None, "c"),
             {"x": torch.fx.PH, "flag": True}, {"flag": (1, [2])},
             {"flag": {"a": torch.fx.PH}, "t": None}]
    for given in cases:
        ours = fxdb.Tracer().trace(root, given)
        theirs = torch.fx.Tracer().trace(root, given)
        assert str(ours) == str(theirs), (given, str(ours), str(theirs))
    raises(RuntimeError, lambda: fxdb.symbolic_trace(root, (1, 2)),
           "2 values", "5 inputs")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        fxdb.symbolic_trace(root, {"flag": object()})
    assert any("flag" in str(w.message) for w in said)


def create_proxy_records_calls():
    class Mine(fxdb.Tracer):
        def trace(self, root, concrete_args=None):
            def calls(x):
                y = self.create_proxy("call_function", helper, (x,),
                                      {"by": 3})
                return self.create_proxy("call_method", "view", (y, -1), {})
            raises(RuntimeError, lambda: self.create_proxy(
                "call_function", helper, (1,), {}), "no trace")
            return super().trace(calls)
    graph = Mine().trace(None)
    assert names(graph) == ["x", "helper", "view", "output"], graph.code
    assert graph.nodes[1].kwargs == {"by": 3}
    raises(NotImplementedError, lambda: fxdb.Tracer().create_proxy(
        "output", "x", (), {}), "not output")


def roots_that_are_no_functions_are_named():
    class Helper:
        def method(self, x):
            return x
    for root in (functools.partial(helper, by=2), Helper().method, len, 3,
                 Helper):
        raises(TypeError, lambda: fxdb.symbolic_trace(root),
               "a module or a Python function is traced")
    assert names(fxdb.symbolic_trace(lambda x: Helper().method(x) + 1)) == [
        "x", "add", "output"]

    class Stars(nn.Module):
        def forward(*args):
            return args[1]
    raises(RuntimeError, lambda: fxdb.symbolic_trace(Stars()), "self")


def a_lazy_graph_module_is_compiled_first():
    """As Dynamo leaves them, in torch 2.x."""
    try:
        from torch.fx import _lazy_graph_module as lazy
    except ImportError:
        return
    graph = torch.fx.symbolic_trace(nn.Sequential(nn.ReLU(), nn.Tanh())).graph
    with lazy._use_lazy_graph_module(True):
        model = lazy._make_graph_module(
            nn.Sequential(nn.ReLU(), nn.Tanh()), graph)
    traced = fxdb.symbolic_trace(model)
    assert [node.op for node in traced.nodes] == \
        [node.op for node in graph.nodes], traced


def inputs_are_named():
    def root(x, *rest, k=1, **more):
        return x
    assert fxdb.inputs(root) == ["x", "k", "*rest", "**more"]
    assert fxdb.inputs(Net()) == ["x", "k"]


def a_proxy_looks_like_torch_fxs():
    seen = []

    def root(x):
        seen.append((isinstance(x, torch.fx.Proxy), callable(x),
                     torch.fx._symbolic_trace.is_fx_tracing()
                     if hasattr(torch.fx._symbolic_trace, "is_fx_tracing")
                     else True))
        return x
    fxdb.symbolic_trace(root)
    assert seen == [(True, True, True)], seen


def graphs_and_models_are_freed():
    net = Net()
    graph = fxdb.symbolic_trace(net)
    gone = weakref.ref(net)
    del net, graph
    gc.collect()
    assert gone() is None
    net = Net()

    def size():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1])

    def many(count):
        for _ in range(count):
            graph = fxdb.symbolic_trace(net)
            str(graph.nodes[2].args), graph.code
            try:
                fxdb.symbolic_trace(lambda x: x if x > 0 else -x)
            except ValueError:
                pass
    many(300)
    before = size()
    many(600)
    grown = size() - before
    assert grown < 256 or "asan" in os.environ.get("LD_PRELOAD", ""), \
        "%d pages more" % grown


def other_threads_do_not_disturb():
    stop = threading.Event()
    fc = nn.Linear(4, 4)

    def work():
        while not stop.is_set():
            torch.relu(torch.ones(4))
    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(20):
            assert len(fxdb.symbolic_trace(Net()).nodes) == 10
    finally:
        stop.set()
        thread.join()
    assert fc(torch.ones(4)).shape == (4,)


def values_have_nodes():
    kept = []

    def model(x, y):
        z = x + y
        kept.append(z.node)
        z.node.meta["mark"] = [3]
        assert (z.node.op, z.node.name) == ("call_function", "add")
        assert z.node.args == (x.node, y.node) and z.node.type is None
        assert x.node.users == [z.node] and x.node is not z.node
        return annotate(z.neg().node and z.relu(), torch.Tensor)
    graph = fxdb.symbolic_trace(model)
    nodes = {node.name: node for node in graph.nodes}
    assert nodes["add"].meta == {"mark": [3]} and nodes["relu"].meta == {}
    assert nodes["relu"].type == "torch.Tensor"
    assert list(graph.to_torch().graph.nodes)[4].type is torch.Tensor
    del graph, nodes
    gc.collect()
    assert kept[0].name == "add" and kept[0].users[0].name == "neg"
    # A type that is there already; a value of a trace that is over.
    raises(RuntimeError, lambda: fxdb.symbolic_trace(
        lambda x: annotate(annotate(x + 1, int), int)), "already had a type")
    fxdb.symbolic_trace(lambda x: kept.append(x) or x)
    raises(RuntimeError, lambda: kept[1].node, "earlier trace")
    assert untouched()


def everything_is_documented():
    for name in fxdb.__all__:
        value = getattr(fxdb, name)
        assert name == "PH" or value.__doc__, name
    for owner in (fxdb.Tracer, fxdb.Graph, fxdb.Node):
        for name, value in vars(owner).items():
            if not name.startswith("_") and (
                    callable(value) or inspect.isdatadescriptor(value)):
                assert value.__doc__, name


def main():
    tests = [value for name, value in globals().items()
             if inspect.isfunction(value) and
             value.__module__ == "__main__" and
             not inspect.signature(value).parameters and
             name not in ("main", "untouched")]
    only = sys.argv[1:]
    return 1 if check([t for t in tests
                       if not only or t.__name__ in only]) else 0


sys.exit(main())
