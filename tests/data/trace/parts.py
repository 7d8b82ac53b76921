"""Models that tests/parity/split.py splits."""
import os
import sys

import torch
from torch import nn


class Simple(nn.Module):
    """torch's test_subgraph_creation."""
    def __init__(self):
        super().__init__()
        self.param = nn.Parameter(torch.rand(3, 4))
        self.linear = nn.Linear(4, 5)

    def forward(self, x, y):
        z = self.linear(x + self.param).clamp(min=0.0, max=1.0)
        w = self.linear(y).clamp(min=0.0, max=1.0)
        return z + w


class Kwargs(nn.Module):
    """torch's test_split_module_kwargs_expansion, without **kwargs."""
    def forward(self, x, y):
        x = x + y
        return torch.clamp(x, min=torch.relu(y).sum(), max=None)


class DefaultArg(nn.Module):
    """torch's test_split_module_default_arg."""
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def forward(self, x, targets=None):
        x = self.lin(x)
        if targets is not None:
            x = x + targets
        return x


class Deep(nn.Module):
    """Modules under modules, one at two paths, a path that another has when
    its dots go."""
    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Linear(4, 4), nn.Sequential(
            nn.ReLU(), nn.Linear(4, 4)))
        self.same = self.block[0]

    def forward(self, x):
        y = self.block[0](x)
        y = self.block[1][1](self.block[1][0](y))
        return self.same(y) * x


class Many(nn.Module):
    """Several outputs, nested; a result that several parts read."""
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.rand(4))
        self.register_buffer("shift", torch.rand(4))

    def forward(self, x, y):
        a = x * self.scale
        b = torch.relu(a + self.shift)
        c = torch.chunk(b, 2, dim=1)
        d = torch.cat([c[1], c[0]], dim=1) - a
        e = d.sigmoid().mul(y)
        return a, (e, d)


class Shared(nn.Module):
    """The same operator often, so that names are numbered."""
    def forward(self, x, y):
        for _ in range(4):
            x = torch.relu(x + y)
            y = torch.relu(y - x)
        return x * y + torch.relu(x)


class Flow(nn.Module):
    """Slices, lists and keywords hold nodes."""
    def forward(self, x, y):
        n = x.size(0)
        z = x[0:n]
        w = torch.stack([z, y, z + y], dim=0)
        return torch.where(w > 0.5, w, other(w))


class Return(nn.Module):
    """An input is an output; torch's test_split_module_return_node."""
    def forward(self, x, y):
        return x, torch.relu(y), x.neg()


class Expanded(nn.Module):
    """torch's test_split_module_kwargs_expansion."""
    def forward(self, x, **kwargs):
        y = kwargs["y"]
        return torch.relu(x + y) - y


class Once(nn.Module):
    """One layer called in several parts; torch's test_split_qualname_mapping."""
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.rand(4, 4))
        self.second = nn.Parameter(torch.rand(4, 4))
        self.lin = nn.Linear(4, 4)

    def forward(self, x):
        x = torch.relu(torch.mm(torch.mm(x, self.first), self.first))
        x = torch.relu(self.lin(x))
        return self.lin(torch.mm(x, self.second))


class Dead(nn.Module):
    """torch's test_split_module_dead_code: nobody reads a result."""
    def forward(self, x, y):
        z = x * 2
        z.sum()
        return torch.relu(x + y)


def other(w):
    return w.neg().add(w, alpha=2)


def resnet18():
    sys.path.insert(0, os.path.join(os.environ["FXDB_SRCDIR"], "tests",
                                    "parity"))
    import zoo
    zoo.declare_operators()
    import torchvision
    return torchvision.models.resnet18()


MAKERS = {"resnet18": resnet18}
CLASSES = {each.__name__: each for each in (
    Simple, Kwargs, DefaultArg, Deep, Many, Shared, Flow, Return, Expanded, Once,
    Dead)}
NAMES = list(CLASSES) + list(MAKERS)



def make(name):
    torch.manual_seed(0)
    return (CLASSES.get(name) or MAKERS[name])().eval()


def inputs(name):
    torch.manual_seed(1)
    if name == "resnet18":
        return [torch.randn(1, 3, 64, 64)]
    if name == "Expanded":
        return [torch.rand(3, 4), {"y": torch.full((3, 4), 0.25)}]
    one = name in ("Deep", "Once")
    return [torch.rand(3, 4) for _ in range(1 if one else 2)]


def outputs(name):
    if name == "Return":
        return ["%output[0]", "%output[1]", "%output[2]"]
    if name == "Many":
        return ["%output[0]", "%output[1][0]", "%output[1][1]"]
    return ["%output"]
