"""Models with parts that depend on no input, and functions of ATen."""
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


FOLDS = [Chain, TwoUses, Several, Layer, Integers, Nothing]


def fold(name):
    return globals()[name]().eval()


# As torch's own tests of CSEPass have them.
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


FUNCTIONS = [twice, deep, other_arguments, nested, draws, unused]


def aten(name):
    return make_fx(globals()[name])(torch.randn(4, 4))
