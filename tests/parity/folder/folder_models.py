"""Models whose folders must give what the models give: each makes its own
weights from one seed, and says what it is called on."""
import math

import torch
import torch.fx
from torch import nn

try:
    from torch.func import vmap
except ImportError:  # torch 1.13
    from functorch import vmap


def seeded(build):
    def construct(self, *args):
        nn.Module.__init__(self)
        torch.manual_seed(0)
        build(self, *args)
        self.eval()
    return construct


class Plain(nn.Module):
    inputs = ((2, 1, 12, 12),)

    @seeded
    def __init__(self):
        self.stem = nn.Sequential(nn.Conv2d(1, 4, 3, bias=False),
                                  nn.BatchNorm2d(4), nn.ReLU())
        self.drop = nn.Dropout(0.5)
        self.head = nn.Linear(4 * 10 * 10, 3)

    def forward(self, x):
        return self.head(self.drop(self.stem(x)).flatten(1))


class Members(nn.Module):
    """Parameters and buffers of the root, one frozen, one not kept."""
    inputs = ((3, 4),)

    @seeded
    def __init__(self):
        self.weight = nn.Parameter(torch.randn(4, 4))
        self.frozen = nn.Parameter(torch.randn(4), requires_grad=False)
        self.register_buffer("shift", torch.randn(4).double())
        self.register_buffer("hidden", torch.randn(4), persistent=False)
        self.register_buffer("count", torch.tensor(3))

    def forward(self, x):
        return (x @ self.weight + self.frozen) * self.hidden + self.shift \
            + self.count


class Nothing(nn.Module):
    """Members that are None: of the root, and in layers without weights or
    statistics."""
    inputs = ((2, 3, 4, 4),)

    @seeded
    def __init__(self):
        self.register_parameter("bias", None)
        self.register_buffer("mask", None)
        self.instance = nn.InstanceNorm2d(3)
        self.batch = nn.BatchNorm2d(3, track_running_stats=False)
        self.loss = nn.CrossEntropyLoss()

    def forward(self, x):
        return self.batch(self.instance(x))


class Tied(nn.Module):
    """One weight in two layers, one layer in two places, a view of a part."""
    inputs = ((5, 6),)

    @seeded
    def __init__(self):
        self.one = nn.Linear(6, 6)
        self.two = nn.Linear(6, 6)
        self.two.weight = self.one.weight
        self.again = nn.ModuleList([self.one, nn.Tanh()])
        whole = torch.randn(8, 6)
        self.part = nn.Parameter(whole[2:5].t())

    def forward(self, x):
        x = self.two(self.one(x))
        return self.again[1](self.again[0](x)) @ self.part


class Layers(nn.Module):
    """Layers that hold layers, and arguments that only parameters show."""
    inputs = ((7, 2, 8),)

    @seeded
    def __init__(self):
        self.attention = nn.MultiheadAttention(8, 2, bias=False)
        self.norm = nn.LayerNorm(8, elementwise_affine=False)
        self.lstm = nn.LSTM(8, 5, 2, bidirectional=True)
        self.out = nn.Linear(10, 3, bias=False, dtype=torch.float64)

    def forward(self, x):
        x = self.norm(x + self.attention(x, x, x)[0])
        return self.out(self.lstm(x)[0].double())


class Functions(nn.Module):
    """Functions that the code must import."""
    inputs = ((3, 4),)

    @seeded
    def __init__(self):
        self.scale = nn.Identity()

    def forward(self, x):
        size = x.size(1)
        return torch.where(x > 0, x / math.sqrt(size), float("inf") * x)


class Mixed(nn.Module):
    """A module that trains in one that does not."""
    inputs = ((4, 3),)

    @seeded
    def __init__(self):
        self.norm = nn.BatchNorm1d(3)
        self.prelu = nn.PReLU(3)

    def eval(self):
        super().eval()
        self.norm.train()
        return self

    def forward(self, x):
        return self.prelu(self.norm(x))


class Keeping(torch.fx.Tracer):
    """GraphModules stay modules that are called."""

    def is_leaf_module(self, module, name):
        return isinstance(module, torch.fx.GraphModule) or \
            super().is_leaf_module(module, name)


def kept(module):
    return torch.fx.GraphModule(module, Keeping().trace(module))


class Block(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.blocks = nn.ModuleList(inner)
        self.shift = nn.Parameter(torch.randn(4))

    def forward(self, x):
        x = torch.relu(self.linear(x)) + self.shift
        for block in self.blocks:
            x = block(x) * 2
        return x


class Named(Block):
    """An attribute that is called as a path is without its dots."""

    def __init__(self, inner):
        super().__init__(inner)
        self.blocks_0 = kept(Block([]))

    def forward(self, x):
        return self.blocks_0(super().forward(x))


def Contained():
    """Graphs in containers, in graphs in containers; one of them twice."""
    torch.manual_seed(0)
    shared = kept(Block([]))
    deep = kept(Block([kept(Block([])), kept(Block([nn.Tanh()]))]))
    return kept(Named([deep, shared, shared])).eval()


Contained.inputs = ((3, 4),)


class Flattened(nn.Module):
    """Takes and gives containers; the folder's takes and gives what is in them.
    """

    @seeded
    def __init__(self):
        self.fc = nn.Linear(4, 4)

    def forward(self, x, batch):
        y = self.fc(x) + batch["a"] * batch["b"][0]
        return {"y": y, "z": (y * 2, [x])}


def only_here(x):
    return vmap(lambda row: row.sum())(x)


MODELS = [Contained, Plain, Members, Nothing, Tied, Layers, Functions, Mixed]
