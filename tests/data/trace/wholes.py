"""What a recording does not see into (tests/parity/capture/wholes.py)."""
import numpy
import torch
from torch import fx, nn
from torch.utils import dlpack

try:
    from torch.func import grad, jvp, vmap
except ImportError:  # torch 1.13
    from functorch import grad, jvp, vmap


def mapped(x):
    return vmap(lambda row: row * 2 + 1)(x) + 1


def mapped_twice(x):
    return vmap(lambda row: row * 2)(x) + vmap(lambda row: row.sum() - row)(x)


def mapped_within(x):
    return vmap(vmap(lambda item: item * 2 + 1))(x) + 1


def closes_over(x):
    scale = x.sum()

    def scaled(row):
        return row * scale
    return vmap(lambda row: scaled(row) + 1)(x) - 1


def derived(x):
    return grad(lambda y: (y ** 3).sum())(x * 2) + 1


def pushed(x):
    return jvp(torch.sin, (x,), (torch.ones_like(x),))[1] + x


@torch.jit.script
def decides(x):
    if bool(x.sum() > 0):
        return x + 1
    return x - 1


def scripted(x):
    return decides(x) * 2 + decides(-x)


@fx.wrap
def rows(x):
    return vmap(lambda row: row * 2 + 1)(x)


def mapped_by_name(x):
    return rows(x) - 1


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.fc(x))


class HasScript(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.script(Inner())

    def forward(self, x):
        return self.inner(x) + 1


class HasTraced(HasScript):
    def __init__(self):
        super().__init__()
        self.inner = torch.jit.trace(Inner(), torch.randn(3, 4))


def sine(x):
    return torch.from_numpy(numpy.sin(x.numpy()))


def by_numpy(x):
    return sine(x * 2) + x


def each_by_numpy(x):
    return torch.stack([sine(row) for row in x.unbind(1)]) + 1


class Cosine(nn.Module):
    def forward(self, x):
        return torch.from_numpy(numpy.cos(x.numpy())) * 2


class HasNumpy(nn.Module):
    def __init__(self):
        super().__init__()
        self.cosine = Cosine()
        self.fc = nn.Linear(4, 4)

    def halved(self, x, by):
        return torch.from_numpy(x.numpy() / by)

    def forward(self, x):
        return self.fc(self.halved(self.cosine(x), by=2)) + 1


def compiled_code(x):
    """As of an extension: what it gives was made by no function of torch's."""
    return dlpack.from_dlpack(dlpack.to_dlpack(x * 3))


def by_extension(x):
    return compiled_code(x).abs() + 1


def constant(x):
    """From elsewhere, and right: no call is kept whole for it."""
    return x + torch.from_numpy(numpy.arange(4, dtype="float32"))


def in_itself(x):
    """Of the traced function itself no call can be made."""
    return torch.from_numpy(numpy.sin(x.numpy())) + x
