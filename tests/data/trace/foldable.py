"""Models with parts that depend on no input, and functions of ATen."""
import operator

import torch
from torch.fx.experimental.proxy_tensor import make_fx


class Fold(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.w = torch.nn.Parameter(torch.randn(4, 4))
        self.register_buffer("b", torch.randn(4))
        self.fc = torch.nn.Linear(4, 4)


class Chain(Fold):
    def forward(self, x):
        return x @ (self.w.t() * 2 + self.b) + x


class TwoUses(Fold):
    def forward(self, x):
        c = torch.relu(self.w - 0.1)
        return x @ c + (c + 1).sum(0)


class Several(Fold):
    def forward(self, x):
        a, b = self.w.chunk(2)[0], self.w.chunk(2)[1]
        return x @ torch.cat([b, a]) * torch.exp(self.b)


class Layer(Fold):
    def forward(self, x):
        return x + self.fc(self.w)


class Integers(Fold):
    def forward(self, x):
        last = (self.w > 0).sum(0) % 4
        return x[:, last] + torch.softmax(self.w, -1)[0]


class Nothing(Fold):
    def forward(self, x):
        return x @ self.w + self.b


class Names(Fold):
    """Parameters are called as the folded one would be."""
    def __init__(self):
        super().__init__()
        self.folded_add = torch.nn.Parameter(torch.randn(4))
        self.folded_add_1 = torch.nn.Parameter(torch.randn(4))

    def forward(self, x):
        a = self.folded_add + self.folded_add
        return (x - a) * self.folded_add_1


class Inputs(Fold):
    """Several inputs, one of them read by nobody."""
    def forward(self, x, y, z):
        a = self.b - self.w.mean(0)
        return (x - a) * y


class Two(Fold):
    """Two results that others read, one of them through a view."""
    def forward(self, x, y):
        a = self.w + self.w.permute(1, 0)
        c = torch.sum(self.w, dim=1)
        return torch.tanh(self.fc((x - a) + (y + c)))


class Below(Fold):
    """Parameters of modules below, and a module below that is called."""
    def __init__(self):
        super().__init__()
        self.under = torch.nn.Identity()
        self.under.w = torch.nn.Parameter(torch.randn(4, 4))
        self.under.act = torch.nn.ReLU()

    def forward(self, x):
        x = x + (self.w + self.under.w)
        return self.under.act(x + self.under.w)


class Dict(Fold):
    def forward(self, x):
        return {"sum": x + self.w.exp(), "as it is": x}


class Outputs(Fold):
    """The same constant in two results, an input as another one."""
    def forward(self, x):
        a = self.w * self.w
        return x, x + a, x - a, x / 2


class Given(Fold):
    """A result is constant itself."""
    def forward(self, x):
        return x * 2, self.w.t() @ self.w


class Frozen(Fold):
    def __init__(self):
        super().__init__()
        self.w.requires_grad_(False)

    def forward(self, x):
        return x * (self.w - self.b)


class Quantized(Fold):
    """What is quantized and back again."""
    def forward(self, x):
        q = torch.quantize_per_tensor(self.w, 0.5, 3, torch.quint8)
        return torch.nn.functional.linear(x, torch.dequantize(q), self.b)


class Draws(Fold):
    """Numbers that are drawn are other ones in each run."""
    def forward(self, x):
        return x + torch.rand_like(self.w) * self.w.exp()


class Linears(torch.nn.Module):
    """Every rule of fuse-linear, and what it must leave alone."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(4)
        self.a = torch.nn.Linear(6, 5)
        self.b = torch.nn.Linear(5, 4, bias=False)
        self.c = torch.nn.Linear(4, 6)
        self.tied = torch.nn.Linear(6, 6)
        self.narrow = torch.nn.Linear(6, 1)
        self.wide = torch.nn.Linear(1, 6)
        self.plain = torch.nn.Linear(6, 6, bias=False)
        self.v = torch.nn.Parameter(torch.rand(6) + 0.5)
        self.s = torch.nn.Parameter(torch.tensor(1.5))

    def forward(self, x):
        # a, b, c and the arithmetic become one layer, and that a half of one.
        y = ((2 - self.c(self.b(self.a(x)) * 3)) / self.v + self.s).neg()
        y = torch.tanh(y)
        # Twice the same layer: not changed for the other call.
        y = self.tied(torch.tanh(self.tied(y).mul(0.5)))
        # The product would be larger.
        y = self.wide(self.narrow(y))
        # Somebody else reads it; a vector that is not one of its results.
        z = self.plain(y)
        return z * 2 + z + torch.add(self.plain(y), self.v, alpha=2) + \
            (self.plain(x) - self.v)


FOLDS = [Chain, TwoUses, Several, Layer, Integers, Nothing, Names, Inputs, Two,
         Below, Dict, Outputs, Given, Frozen, Quantized, Draws]


def fold(name):
    return globals()[name]().eval()


class Siblings(torch.nn.Module):
    """Layers of one input, with a bias or without, and calls of the function."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(6)
        self.q = torch.nn.Linear(6, 8)
        self.k = torch.nn.Linear(6, 4)
        self.v = torch.nn.Linear(6, 6, bias=False)
        self.p = torch.nn.Linear(6, 5, bias=False)
        self.o = torch.nn.Linear(6, 8)
        for name, rows in (("u", 3), ("w", 7)):
            setattr(self, name, torch.nn.Parameter(torch.randn(rows, 6)))
            setattr(self, name + "_b", torch.nn.Parameter(torch.randn(rows)))

    def forward(self, x):
        linear = torch.nn.functional.linear
        q, k, v, p = self.q(x), self.k(x), self.v(x), self.p(x)
        q = q * self.o(x + 1) * self.q(x)
        f, g = linear(x, self.u, self.u_b), linear(x, self.w, bias=self.w_b)
        # Alone: another input, another dtype of call, a weight made here.
        h = linear(x, self.w) + linear(x.exp(), self.w, self.w_b)
        return torch.cat([q, k, v, p, f, g, h + linear(x, self.w * 2)], -1)


# What torch's own tests of CSEPass cover.
def twice(x):
    return x.cos() + x.cos()


def deep(x):
    a = x.cos().cos()
    b = x.cos().cos()
    return a + b, a.sum(dim=1), b.sum(dim=1)


def other_arguments(x):
    return x.sum(dim=1), x.sum(dim=1), x.sum(dim=0), x.sum(1, True)


def nested(x):
    a, b = x + 1, x + 1
    c, d = a + a, b + b
    return c + d + (a + a)


def draws(x):
    return torch.rand_like(x) + torch.rand_like(x) + x.relu() * x.relu()


def unused(x):
    x.sin()
    y = x.neg().abs()
    return x + 1


def nothing_equal(x):
    a = x - 1
    b = x - a
    return b * (x - x)


def no_result(x):
    pass


def lists(x):
    return (x.amax(dim=[0, 1]) - x.amax(dim=[0, 1])) * \
        (x.mean(dim=1) - x.mean(dim=1))


def defaults_said(x):
    return x.sum(dim=1) * x.sum(dim=1, keepdim=False) - \
        x.sum(dim=1, keepdim=False)


def keywords(x):
    return x.mean(dim=1), x.mean(dim=1, keepdim=True), \
        x.mean(dim=1, keepdim=True), x.mean(dim=1)


def often(x):
    return x.sum() * x.sum() - x.sum() * x.sum()


def list_of_tensors(x):
    return torch.cat((x, x)) * torch.cat((x, x))


def made_alike(x):
    return torch.ones_like(x) + torch.ones_like(x)


def drawn(x):
    return torch.randn(4) * torch.randn(4)


def unlike_types(x):
    return x * 1, x * 1.0, x + True, x + 1


def at_random(x):
    """Many operations on what some of them gave."""
    import random
    draw = random.Random(7)
    values = [x]
    for _ in range(60):
        function = draw.choice([torch.sin, torch.exp, torch.neg, torch.tanh])
        values.append(function(draw.choice(values)))
    return values[-1] + values[-2] - values[30]


FUNCTIONS = [twice, deep, other_arguments, nested, draws, unused, nothing_equal,
             no_result, lists, defaults_said, keywords, often, list_of_tensors,
             made_alike, drawn, unlike_types, at_random]


def aten(name):
    return make_fx(globals()[name])(torch.randn(4, 4))


# What torch's own tests of eliminate_dead_code cover.
class Dead(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.tensor([-0.5]))
        self.act = torch.nn.ReLU()


class DeadNode(Dead):
    def forward(self, x):
        x - 1
        return x * self.w


class DeadChain(Dead):
    def forward(self, x):
        (x - 1).exp() * 7
        return x * self.w


class DeadParameter(Dead):
    def forward(self, x):
        (x - 1) * self.w
        return x * 3


class DeadInput(Dead):
    def forward(self, x, y):
        return x * 3


class DeadUser(Dead):
    def forward(self, x, y):
        y.exp()
        return x * 3


class DeadLayer(Dead):
    def forward(self, x):
        self.act(x)
        return x * 3


class Impure(torch.nn.ReLU):
    """A layer of torch's to the tracer, which says that it must stay."""
    _is_impure = True


Impure.__module__ = "torch.nn.modules.activation"


class DeadImpure(Dead):
    def __init__(self):
        super().__init__()
        self.act = Impure()

    def forward(self, x):
        self.act(x)
        return x * 3


class Asserted(Dead):
    def forward(self, x):
        torch._assert(torch.equal(x, x), "x is x")
        return x * 3


class WritesInPlace(Dead):
    def forward(self, x):
        torch.ops.aten.add_.Tensor(x, 1)
        return x * 3


class WritesMethod(Dead):
    def forward(self, x):
        y = x.exp()
        y.add_(1)
        return y * 3


class WritesOut(Dead):
    def forward(self, x):
        y = x.exp()
        torch.ops.aten.add.out(y, y, out=x, alpha=2)
        return x


def write_item(*args):
    """What a tracer cannot follow, as a node."""
    args[0].tracer.create_proxy("call_function", operator.setitem, args, {})


class WritesItem(Dead):
    def forward(self, x):
        y = x.exp()
        write_item(y, 0, 1)
        return y


class DeadDraw(Dead):
    def forward(self, x):
        torch.rand_like(x)
        torch.nn.functional.dropout(x, 0.5, True)
        torch.bernoulli(x)
        return x * 3


class DeadOperator(Dead):
    def forward(self, x):
        torch.ops.aten.mul.Tensor(x, x)
        torch.ops.aten.mul(x, x)
        torch.ops.aten.rand_like.default(x)
        torch.ops.aten.bernoulli.default(x)
        return x * 3


DEADS = [DeadNode, DeadChain, DeadParameter, DeadInput, DeadUser, DeadLayer,
         DeadImpure, Asserted, WritesInPlace, WritesMethod, WritesOut,
         WritesItem, DeadDraw, DeadOperator]


def dead(name):
    return globals()[name]().eval()
