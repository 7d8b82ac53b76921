"""Small models for comparing tracers; each names the rule of torch.fx's
semantics that it tests.

CASES is a list of (rule, factory, options): the factory makes a fresh root,
options may hold concrete_args, `tracer` (what makes a Tracer's subclass),
`lane` (only this torch has the rule) or `wrong_code` (a part of torch.fx's
code that is no Python, and what fxdb writes).
Long because each case is a row.
"""
import collections
import dataclasses
import enum
import math
import operator
import typing

import torch
import torch.fx
import torch.nn as nn
import torch.nn.functional as F
from math import floor
from torch.fx.annotate import annotate
from torch.fx.tensor_type import Dyn, TensorType

CASES = []
Point = collections.namedtuple("Point", "x y")


def case(rule, **options):
    """Register a factory or, with `root`, the decorated function itself."""
    def register(made):
        if isinstance(made, type):
            CASES.append((rule, made, options))
        else:
            CASES.append((rule, lambda: made, options))
        return made
    return register


def cases():
    """Those of CASES whose rule this torch has."""
    return [c for c in CASES
            if torch.__version__.startswith(c[2].get("lane", ""))]


@torch.fx.wrap
def leaf_helper(x, scale=2):
    return x * scale


class Kind(enum.Enum):
    SUM = "sum"
    MEAN = 2


class Count(enum.IntEnum):
    TWO = 2


class Word(str, enum.Enum):
    MEAN = "mean"


@dataclasses.dataclass
class Result:
    value: object
    kind: Kind = Kind.SUM
    notes: typing.ClassVar = {}


torch.fx.wrap("len")


@case("arguments: members of an Enum (2.5)", lane="2")
def members(x):
    return leaf_helper(x, [Kind.SUM, (Count.TWO,)]).m(
        Kind.MEAN, k=Word.MEAN, s=slice(Count.TWO, None)), Kind.SUM


@case("arguments: members in a dict (2.5)", lane="2",
      wrong_code=("<Kind.SUM: 'sum'>: <Count.TWO: 2>", "Kind.SUM: Count.TWO"))
def members_of_dict(x):
    return x.m({Kind.SUM: Count.TWO})


@case("arguments: what else a member is (2.5)")
def plain_members(x):
    return x.m(Count.TWO, Word.MEAN)


@case("arguments: a dataclass (2.5)", lane="2")
def data(x):
    return Result(leaf_helper(x, Result(x + 1)), Kind.MEAN)


@case("paper figure 1: relu then neg")
def figure_1(x):
    return torch.relu(x).neg()


@case("names: a builtin's name gets _1 (1.3)")
def builtin_names(x):
    return torch.abs(x).sum().max() + torch.pow(x, 2).min()


@case("names: a keyword's name gets _1 (1.3)")
def keyword_names(x, y):
    return (x & y) | (x ^ y)


@case("names: numbers at the end, with zeros before or without (1.2)")
def numbered_names(x):
    a = x.foo_01()
    return a.foo_1() + a.foo_2()


@case("names: snake case of methods (1.1)")
def snake_names(x):
    return x.toBFloat16().myReLU6().T


@case("operators: the fourteen binary ones (3)")
def binary(x, y):
    return (x + y) - (x * y) / (x // y) % (x ** y) @ (x << y >> y)


@case("operators: reflected (3)")
def reflected(x):
    return 2 - x, 2 + x, 2 * x, 2 / x, 2 // x, 2 % x, 2 ** x, 2 << x


@case("operators: comparisons are swapped, not reflected (3)")
def comparisons(x, y):
    return x < y, x <= 1, x == y, x != 2, 3 > x, 4 >= x, None == x


@case("operators: unary (3)")
def unary(x):
    return -x, +x, ~x


@case("operators: in-place is the plain operator (3)")
def inplace(x, y):
    x += y
    x -= 1
    x *= 2
    x /= 3
    return operator.iadd(x, 1)


@case("operators: sum() starts at 0 (3)")
def builtin_sum(x, y):
    return sum([x, y])


@case("attributes: lazy, shared by one object (3)")
def lazy_attribute(x):
    shape = x.shape
    return shape[0], shape[1], x.shape[0]


@case("attributes: x.y.z() reads y, calls z (3)")
def nested_attribute(x):
    return x.grad.data.clone(1)


@case("attributes: an unused read leaves no node")
def unused_attribute(x):
    x.shape
    return x


@case("attributes: an f-string makes the node (feasibility 1.4)")
def text_of_attribute(x):
    f"{x.shape}"
    return x


@case("calls: a proxy called is __call__ (3)")
def call_proxy(x):
    return x(1, k=2)


@case("calls: keys() is a method (3)")
def keys_method(x):
    return x.keys()


@case("unpacking: all items, used or not (2.8)")
def unpack(x):
    a, b, c = x.split(2)
    return a, c


@case("unpacking: nested (2.8)")
def unpack_nested(x):
    (a, b), c = x
    return a + b + c


@case("unpacking: late in a long function (0)")
def unpack_late(x):
    y = x
    for _ in range(3):
        y = torch.relu(y) + 1
        y = F.softmax(y, dim=-1).view(-1, 2)
    b, c, h, w = y.size()
    return y.view(b * c, h * w)


@case("indexing: slices, None, Ellipsis, tuples (6.5)")
def indexing(x, i):
    return x[0], x[:, 1:2], x[..., None], x[::2], x["k"], x[i:, 0], x[(1,)]


@case("containers: list, tuple, dict as arguments and output (2.5)")
def containers(x, y):
    z = torch.cat([x, y], dim=1)
    return {"a": [z, (x, 1)], "b": {"c": y}, 3: None}


@case("containers: a one-element tuple (6.5)")
def one_tuple(x):
    return (x,)


@case("arguments: namedtuple calls its class (2.5)")
def named_tuple(x):
    return x.stack(Point(x, 1))


@case("arguments: dtype, device, layout, memory format (2.5)")
def torch_values(x):
    y = x.to(torch.float16)
    y = y.to(device=torch.device("cpu"), non_blocking=True)
    y = y.contiguous(memory_format=torch.channels_last)
    return y.to(torch.device("cuda", 0)), y.new_empty(2, layout=torch.strided)


@case("arguments: floats, complex, infinities (6.5)")
def numbers(x):
    return x * 1e-5, x + 1e20, x - (1 + 2j), x.clamp(-math.inf, math.inf)


@case("arguments: strings with quotes (6.5)")
def strings(x):
    return x.get("a'b"), x.get('a"b'), x.get("line\nline"), x.get("\\")


@case("arguments: torch.Size is a tuple (2.5)")
def sizes(x):
    return x.view(torch.Size([2, 3]))


@case("signature: defaults (2.1)")
def defaults(x, k=2, s="t", n=None, t=(1, [2]), d={"a": 1}, f=1.5):
    return x.m(k, s, n, t, d, f)


@case("signature: annotations (2.1, 6.7)")
def annotated(x: torch.Tensor, n: int = 2) -> torch.Tensor:
    return x + n


@case("a value's node: its type is written with it")
def annotated_value(x):
    return annotate(x * 2, torch.Tensor) + annotate(x.neg(), int)


@case("signature: *args and **kwargs (2.1)")
def varargs(x, *rest, **more):
    return x + rest[0] + more["k"]


@case("signature: with *args the result has no annotation (2.1)")
def annotated_varargs(x: int, *args: float, k: str = "a",
                      **kw: int) -> torch.Tensor:
    return x + args[0] + k


@case("signature: nor with keyword-only parameters (2.1)")
def annotated_keyword(x: int, *, k: str = "a") -> torch.Tensor:
    return x + k


@case("signature: torch.fx's own types (6.7)")
def tensor_types(a: TensorType([1, Dyn, 3]), b: TensorType((2,)) = None):
    return a + 1


@case("signature: annotations of every form (2.1, 6.7)")
def annotations(a: "torch.Tensor", b: list, c: typing.List[torch.Tensor],
                d: typing.Optional[int] = None, e: list[int] = (),
                f: typing.Tuple[int, ...] = (), g: "int" = 3
                ) -> typing.Dict[str, torch.Tensor]:
    return {"a": a + d}


@case("signature: positional-only (2.1)")
def positional_only(x, /, y, z=2):
    return x + y * z


@case("signature: defaults of torch's own types (2.1)")
def default_values(x, d=torch.float32, s=slice(1, 2), e=..., t=(1, None)):
    return x.m(d, s, e, t)


@case("signature: keyword-only (2.1)")
def keyword_only(x, *, k=3):
    return x + k


@case("signature: a parameter named like a builtin (1.4)")
def shadowing(input, type):
    return input + type


@case("concrete arguments: a bool is asserted (2.2)",
      concrete_args={"flag": True})
def concrete_bool(x, flag):
    return torch.relu(x) if flag else x


@case("concrete arguments: a number (2.2)", concrete_args={"n": 3})
def concrete_number(x, n):
    for _ in range(n):
        x = x + 1
    return x


@case("wrap: a decorated function (2.6)")
def wrapped(x):
    return leaf_helper(x, scale=3) + leaf_helper(x)


@case("wrap: len by name (2.6)")
def wrapped_len(x):
    return x.view(len(x), -1)


@case("wrap: without a proxy it runs (2.6)")
def wrapped_constant(x):
    return x + leaf_helper(3)


@case("autowrap: functions of math (2.6)")
def math_functions(x):
    return math.floor(x.shape[0] / 2), math.sqrt(4.0), floor(x.shape[1] / 2)


@case("functions: Python ones materialise defaults (3.1)")
def functionals(x):
    x = F.relu(x, True)
    x = F.softmax(x)
    x = F.dropout(x, 0.1)
    x = F.max_pool2d(x, 2)
    return F.interpolate(x, scale_factor=2.0)


@case("functions: C ones keep what was written (3.1)")
def native_functions(x, w):
    x = torch.flatten(x, 1)
    x = F.linear(x, w)
    x = F.gelu(x)
    return torch.sum(x, dim=1, keepdim=True)


@case("functions: torch.functional (3.1)")
def functional_module(x, y):
    return torch.split(x, 2), torch.einsum("ij,jk->ik", x, y), torch.norm(x)


@case("functions: F.sigmoid is a method (3.1)")
def decomposed(x):
    return F.sigmoid(x), F.tanh(x), torch.sigmoid(x)


@case("functions: overloads of torch.ops (4.1)")
def overloads(x):
    return torch.ops.aten.add.Tensor(x, 1)


@case("constants: a tensor on the right (3)")
def constant_right(x):
    return x + torch.ones(1)


@case("constants: a tensor on the left is a method (3)")
def constant_left(x):
    t = torch.ones(1)
    return t + x, t - x, t / x, t // x, t % x, t ** x, t == x, t < x, t & x


@case("constants: one tensor, a node for each use (2.4)")
def constant_twice(x):
    t = torch.ones(1)
    return x + t + t


@case("silently folded: is None, isinstance, hasattr (2.8)")
def folded(x):
    if x is None or not hasattr(x, "foo"):
        return 0
    return getattr(x, "foo", None)


@case("leaf modules (2.3)")
class Leaves(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 8)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.act(self.fc(x)))


@case("modules: Sequential is traced through, paths with numbers (2.3)")
class Stack(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 4), nn.ReLU(),
                                    nn.Sequential(nn.Linear(4, 4)))

    def forward(self, x):
        return self.layers(x)


@case("modules: a Sequential as root (3.2)")
class RootSequential(nn.Sequential):
    def __init__(self):
        super().__init__(nn.Linear(4, 4), nn.ReLU())


@case("modules: LSTM is a leaf with a tuple result")
class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 4)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return y + h


@case("modules: a shared module prints its first path (2.3)")
class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = self.a

    def forward(self, x):
        return self.b(self.a(x))


@case("modules: .forward bypasses the leaf (2.3)")
class Bypass(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return self.lin.forward(x)


@case("modules: passed as an argument is a get_attr (2.3)")
class ModuleArgument(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        return x.apply(self.lin)


@case("modules: a user's subclass of Linear is no leaf (2.3)")
class OwnLinear(nn.Module):
    class Mine(nn.Linear):
        pass

    def __init__(self):
        super().__init__()
        self.mine = self.Mine(4, 4)

    def forward(self, x):
        return self.mine(x)


@case("parameters: one node at first access (2.4)")
class Parameters(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, x):
        y = x + 1
        return y * self.w + self.w


@case("parameters: tied ones collapse to the first name (2.4)")
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4, bias=False)
        self.w2 = self.a.weight

    def forward(self, x):
        return F.linear(x, self.a.weight) + F.linear(x, self.w2)


@case("parameters: from a list, a node for each use (2.4)")
class FromList(nn.Module):
    def __init__(self):
        super().__init__()
        self.pl = nn.ParameterList([nn.Parameter(torch.ones(2))])

    def forward(self, x):
        return x + self.pl[0] + self.pl[0]


@case("buffers: a node for each use, after other arguments (2.4)")
class Buffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("b", torch.ones(4))

    def forward(self, x):
        return (x + self.b) * self.b


@case("tensors: plain attributes are found by path (2.4)")
class PlainTensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.sub = nn.Module()
        self.sub.t = torch.ones(4)

    def forward(self, x):
        return x + self.sub.t


@case("training is read while tracing (2.1)")
class Training(nn.Module):
    def forward(self, x):
        return F.dropout(x, training=self.training)


@case("hooks of non-leaf modules are traced (2.3)")
class Hooked(nn.Module):
    class Inner(nn.Module):
        def forward(self, x):
            return x + 1

    def __init__(self):
        super().__init__()
        self.inner = self.Inner()
        self.inner.register_forward_hook(lambda m, i, o: o * 2)

    def forward(self, x):
        return self.inner(x)


@case("nested modules and scopes (2.3)")
class Nested(nn.Module):
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 3, 3, padding=1)
            self.bn = nn.BatchNorm2d(3)

        def forward(self, x):
            return torch.relu(self.bn(self.conv(x))) + x

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([self.Block(), self.Block()])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


# Containers among the fixed arguments.

PH = torch.fx.PH


@case("nested inputs: a tuple and a list are taken apart (2.2, 6.9)",
      concrete_args={"pair": (PH, [PH])})
def nested_sequences(x, pair, y):
    return x + pair[0], {"sum": pair[1][0] + y}


@case("nested inputs: a dict of a module, self among them (6.9)",
      concrete_args={"state": {"h": PH, "c": (PH, PH)}})
class NestedDict(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x, state):
        h, (c, d) = state["h"], state["c"]
        return self.fc(x) + h, (c, d)


@case("nested inputs: one leaf, a single result (6.9)",
      concrete_args={"x": [PH]})
def nested_single(x):
    return x[0] * 2


@case("nested inputs: values among the leaves are checked (2.2)",
      concrete_args={"options": {"scale": 2, "flag": True, "none": None,
                                 "word": "a", "x": PH}, "n": 1})
def nested_values(x, options, n):
    if options["flag"] and options["none"] is None and options["word"] == "a":
        x = x * options["scale"]
    return x + options["x"] * n


@case("nested inputs: a named tuple (2.2)",
      concrete_args={"point": Point(PH, PH)})
def nested_named(point, x):
    return point.x + point.y * x


@case("nested inputs: an empty container has no leaf (2.2)",
      concrete_args={"rest": ()})
def nested_empty(x, rest):
    return [x + 1, rest]


@case("nested inputs: a result that is no container (6.9)",
      concrete_args={"pair": (PH, PH)},
      wrong_code=("mask = None, = fx", "mask, = fx"))
class NestedNone(nn.Module):
    def forward(self, pair, mask=None):
        return pair[0] if mask is None else pair[1] + mask


@case("nested inputs: no annotation is left (2.2)",
      concrete_args={"pair": (PH, PH)},
      wrong_code=("x : torch.Tensor, = fx", "x, = fx"))
def nested_annotated(pair: tuple, x: torch.Tensor) -> torch.Tensor:
    return pair[0] + x


@case("nested inputs: keyword-only beside them (2.1, 6.9)",
      concrete_args={"pair": (PH, PH)},
      wrong_code=("k = 3, = fx", "k, = fx"))
def nested_keyword(pair, *, k=3):
    return pair[0] * k + pair[1]


@case("concrete arguments: PH for each is a renamed input (2.2)",
      concrete_args={"x": PH, "y": PH})
def concrete_holes(x: torch.Tensor, y=3):
    return x + y


@case("concrete arguments: a tuple, in order (2.2)",
      concrete_args=(PH, 2, None))
class ConcreteTuple(nn.Module):
    def forward(self, x, n, mask):
        return x * n if mask is None else x


@case("concrete arguments: dtype, device, float, str (2.2)",
      concrete_args={"d": torch.float16, "v": torch.device("cpu"), "f": 1.5,
                     "s": "sum"})
def concrete_kinds(x, d, v, f, s):
    return getattr(x.to(v, d), s)() * f


@case("concrete arguments: what nothing checks (2.2)",
      concrete_args={"f": torch.relu})
def concrete_unchecked(x, f):
    return f(x)


@case("concrete arguments: unknown names count for nothing (2.2)",
      concrete_args={"nosuch": 1})
def concrete_unknown(x):
    return x + 1


@case("concrete arguments: all of *args (2.2)", lane="2.",
      concrete_args=(PH, PH))
class ConcreteStars(nn.Module):
    def forward(self, *args):
        return args[0] + args[1]


# Classes whose instances may be traced.

class Pair(metaclass=torch.fx.ProxyableClassMeta):
    def __init__(self, left, right):
        self.left, self.right = left, right

    def total(self, scale):
        return (self.left + self.right) * scale


@case("proxyable class: made of proxies, it is a call (2.4)")
def proxyable_made(x, y):
    return Pair(x, right=y).total(2)


@case("proxyable class: made of values, it is made (2.4)")
def proxyable_concrete(x):
    return x * Pair(1, 2).total(3)


@case("proxyable class: an instance is an attribute for each use (2.4)")
def proxyable_constant(x):
    pair = Pair(1, 2)
    return x.m(pair, pair), x.k(Pair(3, 4))


# Hooks of a Tracer.

def keeps(*kinds):
    """A Tracer that keeps modules of KINDS whole."""
    def make(base):
        class Keeps(base):
            def is_leaf_module(self, module, path):
                assert path and self.path_of_module(module)
                return isinstance(module, kinds) or \
                    super().is_leaf_module(module, path)
        return Keeps
    return make


def opens(base):
    class Opens(base):
        def is_leaf_module(self, module, path):
            return path == "layers.2.0"
    return Opens


def renames(base):
    class Renames(base):
        def path_of_module(self, module):
            return "model." + super().path_of_module(module)
    return Renames


class Units:
    def __init__(self, value):
        self.value = value


def converts(base):
    class Converts(base):
        def create_arg(self, a):
            if isinstance(a, Units):
                return super().create_arg([a.value, "units"])
            if isinstance(a, float):
                return round(a, 2)
            return super().create_arg(a)
    return Converts


def fixes(base):
    class Fixes(base):
        def trace(self, root, concrete_args=None):
            graph = super().trace(root, {"n": 2})
            assert isinstance(self.root, nn.Module)
            return graph
    return Fixes


CASES.append(("hooks: is_leaf_module keeps a user's module (2.3)", Nested,
              {"tracer": keeps(Nested.Block)}))
CASES.append(("hooks: is_leaf_module keeps a Sequential (2.3)", Stack,
              {"tracer": keeps(nn.Sequential)}))
CASES.append(("hooks: is_leaf_module opens torch's own (3.2)", Stack,
              {"tracer": opens}))
CASES.append(("hooks: path_of_module names call_module nodes (2.3)", Leaves,
              {"tracer": renames}))


@case("hooks: create_arg sees every argument (2.5)", tracer=converts)
def hook_arguments(x):
    return x.m(Units(3), [1.239, {"k": Units(x)}], k=2.005) + 1.555


@case("hooks: trace may fix arguments", tracer=fixes)
def hook_trace(x, n):
    return x * n
