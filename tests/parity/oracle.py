#!/usr/bin/env python3
"""Ask torch.fx itself how it prints graphs, and compare with fxdb.

usage: oracle.py record FILE       write the answers for the cases below
       oracle.py check FILE        fail when torch.fx answers otherwise now
       oracle.py models DUMP       compare torchvision's models with DUMP,
                                   the program tests/parity/dump

The recorded answers are read by test_emit_parity, which needs no Python.  An
answer is {"name", "fxg", "python", "readable", "listing", "table"}.
Long because each case is a row.  Importing this repairs torch.fx 1.13.
"""
import collections
import contextlib
import io
import json
import math
import operator
import os
import re
import subprocess
import sys
import tempfile
import types
import typing
import warnings

warnings.simplefilter("ignore")
try:
    import torch
    import torch.fx
except ImportError:
    print("no torch")
    sys.exit(77)
from torch import nn
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import export_fxg
import zoo

Graph = torch.fx.Graph

# In Python 3.11 torch.fx 1.13 looks at a wrong instruction when a Proxy is
# unpacked or iterated.


def repair():
    import dis
    import inspect
    from torch.fx import proxy

    def find_instruction(frame):
        code = list(dis.get_instructions(frame.f_code))
        return next(i for i in code if i.offset == frame.f_lasti)

    def iterate(self):
        frame = inspect.currentframe().f_back
        calling = find_instruction(frame)
        if calling.opname == "UNPACK_SEQUENCE":
            return (self[i] for i in range(calling.argval))
        return self.tracer.iter(self)

    proxy.Proxy.__iter__ = iterate

    from torch.fx import _symbolic_trace

    def without_varargs(function, count):
        code = function.__code__
        code = code.replace(
            co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0,
            co_flags=code.co_flags & ~(inspect.CO_VARARGS |
                                       inspect.CO_VARKEYWORDS))
        return types.FunctionType(
            code, function.__globals__, function.__name__,
            function.__defaults__, function.__closure__)

    _symbolic_trace._patch_function = without_varargs


repair()

# ---------------------------------------------------------------- cases

CASES = []


def case(f):
    """A function that builds a Graph or GraphModule."""
    CASES.append((f.__name__, f))
    return f


def traced(f):
    """A function or module class whose trace is the case."""
    def build():
        made = f() if isinstance(f, type) else f
        return torch.fx.symbolic_trace(made.eval() if isinstance(made, nn.Module) else made)
    CASES.append((f.__name__, build))
    return f


def leaf(x, scale=1.0):
    return x * scale


def class_(x):
    return x


Pair = collections.namedtuple("Pair", "first second")


# The figures of the paper (arXiv 2112.08429).

@traced
def figure_1_my_func(x):
    return torch.relu(x).neg()


@case
def figure_2_replace_activation():
    def my_func(x):
        return torch.relu(x).neg()
    gm = torch.fx.symbolic_trace(my_func)
    for n in gm.graph.nodes:
        if n.op == "call_function" and n.target is torch.relu:
            with gm.graph.inserting_after(n):
                new = gm.graph.call_function(F.gelu, n.args, n.kwargs)
            n.replace_all_uses_with(new)
            gm.graph.erase_node(n)
    gm.recompile()
    return gm


@traced
class figure_3_resnet_block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(4, 4, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1)

    def forward(self, x):
        y = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.conv2(y) + x)


@traced
class golden_all_opcodes(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.w = nn.Parameter(torch.ones(4))
        self.register_buffer("b", torch.ones(4))

    def forward(self, input, k: int = 2):
        y = self.layers(input) * self.w + self.b
        y = F.relu(y, True)
        y += 1
        p, q = y.chunk(2, dim=-1)
        return {"o": torch.cat([p, q.abs()], 1).view(y.shape[0], -1)[:, k:], "c": torch.tensor([1.]) + y}


def concrete(f, **arguments):
    return torch.fx.Tracer().trace(f, arguments)


PH = torch.fx.PH


# Frames and parameters.

@traced
def nothing_but_input(x):
    return x


@case
def empty_graph():
    return Graph()


@case
def only_placeholders():
    g = Graph()
    g.placeholder("x")
    g.placeholder("y")
    return g


@case
def no_output():
    g = Graph()
    g.call_function(torch.relu, (g.placeholder("x"),))
    return g


@case
def renamed_parameters():
    g = Graph()
    a = [g.placeholder(n) for n in ("input", "sum", "x", "max")]
    g.output(tuple(a))
    return g


@case
def starred_parameters():
    g = Graph()
    x, args, kw = g.placeholder("x"), g.placeholder("*args"), g.placeholder("**kwargs")
    g.output((x, args, kw))
    return g


@case
def unused_parameters():
    g = Graph()
    x = g.placeholder("x")
    g.placeholder("unused")
    g.output(g.call_function(torch.relu, (x,)))
    return g


@case
def parameter_called_self():
    g = Graph()
    g.output(g.call_function(torch.relu, (g.placeholder("self"),)))
    return g


@case
def defaults_of_all_kinds():
    g = Graph()
    made = [g.placeholder(f"p{i}", default_value=v) for i, v in enumerate(
        (None, 3, "s", [1, 2], slice(None, 1, None), torch.device("cpu"), math.inf, 1.5, True, torch.float16, (1,)))]
    g.output(made)
    return g


@case
def annotated_parameters():
    g = Graph()
    x = g.placeholder("x", torch.Tensor)
    k = g.placeholder("k", int, 2)
    d = g.placeholder("d", typing.Dict[str, torch.Tensor])
    o = g.placeholder("o", typing.Optional[torch.Tensor], None)
    g.output((x, k, d, o))
    return g


@case
def types_of_all_kinds():
    g = Graph()
    x = g.placeholder("x")
    for i, t in enumerate((
            torch.Tensor, int, float, str, dict, typing.List[torch.Tensor], typing.Tuple[int, ...],
            typing.Dict[str, torch.Tensor], typing.Optional[int], typing.Union[int, float],
            typing.Any, typing.List, torch.device, torch.dtype, nn.Linear, list,
            typing.List[typing.Tuple[int, typing.List[float]]], "torch.Tensor", typing.Sequence[int],
            typing.Tuple[int, str], typing.Callable, typing.Mapping, typing.Callable[[int, str], float], typing.Type[int],
            typing.Deque[int], typing.Tuple, list[int])):
        g.create_node("call_function", torch.relu, (x,), {}, f"t{i}", t)
    g.output(x)
    return g


@case
def builtin_generics_and_unions():
    g = Graph()
    x = g.placeholder("x")
    for i, t in enumerate((list[int], dict[str, int], tuple[int, str])):
        g.create_node("call_function", torch.relu, (x,), {}, f"t{i}", t)
    g.output(x)
    return g


@case
def return_annotation():
    g = Graph()
    x = g.placeholder("x", torch.Tensor)
    g.output(x, torch.Tensor)
    return g


@traced
def traced_annotations(x: torch.Tensor, y: typing.Optional[torch.Tensor] = None) -> typing.Tuple[torch.Tensor, int]:
    return x + 1, 2


# Frees.

@traced
def value_used_twice_in_a_call(x):
    y = torch.neg(x)
    return torch.add(y, y)


@traced
def free_order_is_argument_order(x, w, b):
    return torch.conv2d(x, b, w) + 1


@traced
def kwargs_after_args_in_frees(x, y, z):
    return torch.where(x, other=z, input=y).abs()


@traced
def nodes_in_slices_are_uses(x, k):
    n = k + 1
    return x[n:k, None].neg()


@traced
def last_use_in_output(x):
    y = x.neg()
    return y, x, {"k": y}


@case
def dead_results():
    g = Graph()
    x = g.placeholder("x")
    g.call_function(torch.relu, (x,))
    y = g.call_function(torch.neg, (x,))
    g.call_function(torch._assert, (y, "message"))
    g.output(y)
    return g


# Statements.

@traced
class getattr_for_numbers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Sequential(nn.Linear(2, 2), nn.ReLU()), nn.ReLU()])
        self.inner = nn.Module()
        self.inner.weight = nn.Parameter(torch.ones(2))
        self.pl = nn.ParameterList([nn.Parameter(torch.ones(2))])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * self.inner.weight + self.pl[0]


@case
def paths_of_all_kinds():
    g = Graph()
    x = g.placeholder("x")
    for path in ("a", "a.b", "a.0", "0.1", "0.a.1.b", "a-b.c", "_x.y1"):
        x = g.call_module(path, (x,), {"k": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        w = g.get_attr("0.weight")
    g.output((x, w))
    return g


@traced
def methods(x):
    return x.view(x.size(0), -1).sum(dim=1, keepdim=True).unsqueeze(-1)


@case
def method_on_constants():
    g = Graph()
    x = g.placeholder("x")
    a = g.call_method("join", ("-", ["a", x]))
    b = g.call_method("format", ("{}", a), {"k": 'a\'b"'})
    g.output(b)
    return g


@case
def getattr_forms():
    g = Graph()
    x = g.placeholder("x")
    a = g.call_function(getattr, (x, "shape"))
    b = g.call_function(getattr, (x, "a b"))
    c = g.call_function(getattr, (x, "f", None))
    d = g.call_function(getattr, (x, "a.b"))
    g.output((a, b, c, d))
    return g


@case
def operators_infix():
    g = Graph()
    x, y = g.placeholder("x"), g.placeholder("y")
    out = []
    for name in ("add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor getitem matmul "
                 "eq ne lt gt le ge").split():
        out.append(g.call_function(getattr(operator, name), (x, y)))
    for name in ("pos", "neg", "invert"):
        out.append(g.call_function(getattr(operator, name), (x,)))
    g.output(out)
    return g


@case
def operators_in_place():
    g = Graph()
    x, y = g.placeholder("x"), g.placeholder("y")
    for name in ("iadd iand ifloordiv ilshift imod imul imatmul ior ipow irshift isub itruediv ixor").split():
        x = g.call_function(getattr(operator, name), (x, y))
    g.call_function(operator.setitem, (x, (0, slice(None, None, None)), y))
    g.output(x)
    return g


@case
def operators_as_functions():
    g = Graph()
    x = g.placeholder("x")
    a = g.call_function(operator.is_, (x, None))
    b = g.call_function(operator.not_, (x,))
    c = g.call_function(operator.contains, (x, 3))
    d = g.call_function(operator.is_not, (x, None))
    g.output((a, b, c, d))
    return g


@traced
def operators_with_constants(x):
    return 2 - x, x + -1, x ** -2, 1e-05 * x, x // 3, -x, x % 2.5, (x << 1) | 3


@traced
def indexing(x):
    return x[0], x[-1], x[:, None, ..., ::2], x[1:, 2], x[...], x[None], x[0][1:]


@traced
def indexing_by_values(x, y):
    return x[y], x[1:y, None], x[(0, slice(None, y, 2))]


@case
def literals():
    g = Graph()
    x = g.placeholder("x")
    for v in (1e-05, 1e20, -math.inf, math.inf, math.nan, 1 + 2j, -1j, True, "a'b\"", 'it\'s', "new\nline\t\\", "",
              torch.device("cuda", 0), torch.device("cpu"), torch.float16, torch.bool, torch.strided, torch.sparse_coo,
              torch.channels_last, torch.preserve_format, torch.contiguous_format, [1, (2, x)], {"k": x, 3: [x]},
              (x,), (), [], {}, ((),), [[]], Ellipsis, None, slice(None, None, None), 2**70, -5, 0.1, 1.0, 1e16, 123456789.123,
              "\u00e9\u20ac", "\x01\x7f", -0.0, (1, 2)):
        g.call_function(torch.relu, (x, v), {"key": v})
    g.output(x)
    return g


@case
def outputs_of_all_kinds():
    g = Graph()
    x = g.placeholder("x")
    g.output({"a": x, "b": [x, (x,), {"c": None}], 3: slice(x, None, 2), "d": "text", "e": torch.device("cpu")})
    return g


@case
def output_none():
    g = Graph()
    g.placeholder("x")
    g.output(None)
    return g


@case
def output_string():
    g = Graph()
    g.placeholder("x")
    g.output("it's")
    return g


@case
def named_tuple():
    g = Graph()
    x = g.placeholder("x")
    p = g.call_function(Pair, (x, 1))
    q = g.call_function(torch.cat, (Pair(x, p),))
    g.output(q)
    return g


# Globals and names.

@case
def globals_of_all_kinds():
    g = Graph()
    x = g.placeholder("x")
    for f in (leaf, math.floor, math.sqrt, len, operator.not_, torch.relu, F.relu, F.linear, F.conv2d, torch._assert,
              F.pad, torch.einsum, F.gelu, print, max, torch.ops.aten.add.Tensor, torch.nn.functional.interpolate,
              os.path.join, collections.OrderedDict):
        x = g.call_function(f, (x,))
    g.output(x)
    return g


@case
def node_named_like_a_global():
    g = Graph()
    x = g.placeholder("x")
    a = g.create_node("call_function", torch.relu, (x,), {}, "math_floor")
    b = g.call_function(math.floor, (a,))
    g.output(b)
    return g


@case
def node_named_like_its_own_global():
    g = Graph()
    x = g.placeholder("x")
    a = g.create_node("call_function", math.floor, (x,), {}, "math_floor")
    b = g.call_function(math.floor, (a,))
    g.output((a, b))
    return g


@case
def parameter_named_like_a_global():
    g = Graph()
    x = g.placeholder("math_floor")
    b = g.call_function(math.floor, (x,))
    g.output(b)
    return g


@case
def names_with_numbers():
    g = Graph()
    x = g.placeholder("x_1")
    for name in ("a", "a", "a_1", "a_01", "a_00", "conv_2", "conv_2", "b1", "b1", "_5", "A", "Relu"):
        x = g.create_node("call_function", torch.relu, (x,), {}, name)
    g.output(x)
    return g


@traced
def names_of_builtins(x):
    y = x.abs().sum().max().pow(2).round().type(torch.float32)
    return y.all(), y.any(), y.float(), y.int(), y.bool(), y.min(), y.set(), y.repeat(2)


@traced
def names_of_keywords(x, y):
    return (x & y) | ~x, x.not_(), x.T, x.toBFloat16()


@case
def wrapped_functions():
    g = Graph()
    x = g.placeholder("x")
    for f in (leaf, math.sqrt, leaf, len):
        x = g.call_function(f, (x,))
        x.meta["is_wrapped"] = True
    g.output(x)
    return g


# What torch.fx gets wrong; only the exact option prints these.

@case
def wrong_code():
    g = Graph()
    x = g.placeholder("x")
    a = g.call_function(operator.pow, (-2, x))
    b = g.call_function(operator.pow, (-1.5, x))
    c = g.call_function(operator.getitem, (-3, x))
    d = g.call_module("a.class.def", (x,))
    e = g.call_function(getattr, (x, "import"))
    f = g.call_function(getattr, (5, "real"))
    h = g.call_method("foo", (5, x))
    i = g.call_method("class", (x,))
    j = g.call_function(leaf, (x,), {"a-b": 1, "class": 2})
    k = g.call_function(operator.add, (x, 1), {"alpha": 2})
    l = g.call_module('a"b', (x,))
    m = g.call_function(operator.iadd, (1, x))
    g.output((a, b, c, d, e, f, h, i, j, k, l, m))
    return g


@case
def wrong_signature():
    return concrete(lambda x, y=3, z=None: x[0] + y, x=(PH, PH), y=PH)


# Signatures of nested inputs.

@case
def pytree_of_a_function():
    return concrete(lambda x, y: x[0] + x[1] + y, x=(PH, PH), y=PH)


@case
def pytree_of_a_module():
    class Nested(nn.Module):
        def forward(self, x, y):
            return {"a": x["u"] + y, "b": (x["v"], [y])}
    return concrete(Nested(), x={"u": PH, "v": PH})


@case
def specialised_scalars():
    return concrete(lambda a, b, c: a + 1, b=False, c=3)


@case
def specialised_none():
    return concrete(lambda a, b: a + 1, b=None)


@case
def pytree_single_output():
    return concrete(lambda x: x[0] * 2, x=[PH])


# Verbose code.

def with_stacks(f):
    tracer = torch.fx.Tracer()
    tracer.record_stack_traces = True
    graph = tracer.trace(f)
    first = type(f).forward.__code__.co_firstlineno
    for n in graph.nodes:
        if n.stack_trace:
            place = re.match(r'\s*File ".*", line (\d+), in (.*)\n(.*)\n', n.stack_trace)
            n.meta["stack_trace"] = '  File "m.py", line %d, in %s\n%s\n' % (
                int(place[1]) - first, place[2], place[3])
    root = f if isinstance(f, nn.Module) else nn.Module()
    return torch.fx.GraphModule(root, graph, "Stacked")


@case
def readable_without_sources():
    return torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)


@case
def readable_with_sources():
    class Sourced(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(2, 2)

        def forward(self, x):
            y = self.lin(x) + x * 2
            return y.relu()
    return with_stacks(Sourced())


@case
def readable_with_gaps():
    g = Graph()
    x = g.placeholder("input")
    a = g.call_function(torch.relu, (x,))
    b = g.call_function(torch.relu, (a,))
    c = g.call_function(torch.relu, (b,))
    d = g.call_function(torch.relu, (c,))
    for n, line in ((b, 3), (c, 3), (d, 4)):
        n.meta["stack_trace"] = f'  File "m.py", line {line}, in forward\n    y = f(x)\n'
    g.output(d)
    return g


# Layers and functions, as tracing leaves them.

@traced
def functionals(x, w):
    x = F.conv2d(x, w, stride=2)
    x = F.batch_norm(x, None, None, training=True)
    x = F.max_pool2d(x, 2)
    x = F.adaptive_avg_pool2d(x, (1, 1))
    x = F.dropout(x, 0.1)
    x = F.softmax(x.flatten(1), dim=1)
    return F.cross_entropy(x, w), F.interpolate(x, scale_factor=2.0), F.gelu(x)


@traced
def factories(x):
    y = torch.zeros(2, 3, dtype=torch.float16, device="cpu")
    return x + torch.ones_like(x, memory_format=torch.preserve_format), x.to(torch.device("cpu"), torch.float64)


@traced
class shared_and_tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)
        self.b = self.a
        self.w2 = self.a.weight
        self.register_buffer("t", torch.arange(6.).view(2, 3).t())

    def forward(self, x):
        return self.b(self.a(x)) @ self.w2 + self.t.sum()


@traced
class attention_block(nn.Module):
    def __init__(self, width=8, heads=2):
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width, bias=False)

    def forward(self, x):
        b, t, w = x.size(0), x.size(1), x.size(2)
        q, k, v = self.qkv(self.norm(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        score = (q @ k.transpose(-2, -1) / (w // self.heads) ** 0.5).softmax(-1)
        return x + self.out((score @ v).transpose(1, 2).reshape(b, t, w))


@case
def nested_graph_module():
    inner = torch.fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            return self.inner(x) + 1

    class Keep(torch.fx.Tracer):
        def is_leaf_module(self, m, name):
            return isinstance(m, torch.fx.GraphModule)
    root = Outer()
    return torch.fx.GraphModule(root, Keep().trace(root), "Outer")


# ---------------------------------------------------------------- answers

def table_of(graph):
    """What print_tabular prints, with names of functions for their repr, in
    the layout of the package tabulate."""
    rows = [[n.op, n.name, n._pretty_print_target(n.target) if n.op == "call_function" else str(n.target),
             str(n.args), str(n.kwargs)] for n in graph.nodes]
    head = ["opcode", "name", "target", "args", "kwargs"]
    widths = [max([len(h) + 2] + [len(r[i]) for r in rows]) for i, h in enumerate(head)]
    lines = [head, ["-" * w for w in widths]] + rows
    return "".join("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip() + "\n" for r in lines)


def readable_of(gm):
    if gm is None or any(isinstance(m, torch.fx.GraphModule) for m in gm.children()):
        return None
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        gm.print_readable()
    return out.getvalue()


def graph_of(made):
    return made.graph if isinstance(made, torch.fx.GraphModule) else made


def answer(name, build):
    made = build()
    graph = graph_of(made)
    gm = made if isinstance(made, torch.fx.GraphModule) else None
    # A table shows fields of named tuples, whose names fxdb does not keep.
    table = None if name == "named_tuple" else table_of(graph)
    return {"name": name, "fxg": export_fxg.dumps(graph, gm), "python": graph.python_code("self").src,
            "readable": readable_of(gm), "listing": str(graph), "table": table}


def record(path):
    torch.manual_seed(0)
    answers = [answer(name, build) for name, build in CASES]
    text = "[\n" + ",\n".join(json.dumps(a, indent=0) for a in answers) + "\n]\n"
    with open(path, "w") as f:
        f.write(text)
    print(f"{len(answers)} answers")


def check(path):
    torch.manual_seed(0)
    with open(path) as f:
        old = {a["name"]: a for a in json.load(f)}
    wrong = [name for name, build in CASES if old.get(name) != json.loads(json.dumps(answer(name, build)))]
    for name in wrong:
        print(f"torch.fx answers otherwise now: {name}")
    print(f"{len(CASES) - len(wrong)} answers as recorded, {len(wrong)} not")
    return bool(wrong)


# ---------------------------------------------------------------- models

MODELS = ("alexnet vgg11 resnet18 resnet50 densenet121 googlenet inception_v3 squeezenet1_0 mobilenet_v2 "
          "mobilenet_v3_small shufflenet_v2_x0_5 mnasnet0_5 efficientnet_b0 efficientnet_v2_s regnet_y_400mf "
          "convnext_tiny swin_t swin_v2_t").split()


def models(dump):
    wrong = 0
    for name in MODELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gm = torch.fx.symbolic_trace(zoo.build(name))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name + ".fxg")
            with open(path, "w") as f:
                f.write(export_fxg.dumps(gm.graph, gm))
            for kind, expected in (("python", gm.code), ("listing", str(gm.graph)), ("table", table_of(gm.graph))):
                r = subprocess.run([dump, kind, path], capture_output=True, text=True)
                if r.returncode or r.stdout != expected:
                    wrong += 1
                    print(f"{name}: {kind} differs: {r.stderr}")
        print(f"{name}: {len(gm.graph.nodes)} nodes", flush=True)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit({"record": record, "check": check, "models": models}[sys.argv[1]](sys.argv[2]))
