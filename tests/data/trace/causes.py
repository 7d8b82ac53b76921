"""Why models of large libraries do not trace: one small model a cause.

The numbers are those of the reference on torch 2.x, section 2; the last three
groups are what is asked of a traced value in plain Python.
"""
import functools
import math

import torch
from torch import nn


def decorated(forward):
    @functools.wraps(forward)
    def wrapper(self, *args, **kwargs):
        return forward(self, *args, **kwargs)
    return wrapper


class Decorated(nn.Module):
    """1: not the model's fault; it traces."""

    @decorated
    def forward(self, x, mask=None, *, scale=2):
        return torch.relu(x) * scale


class Sizes(nn.Module):
    """2: a test of sizes."""

    def forward(self, x):
        h, w = x.shape[2], x.shape[3]
        if h != 8 or w != 8:
            raise ValueError("8 by 8 only")
        return x


class Dtype(nn.Module):
    """2: a test of the dtype of a parameter, which is traced too."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x):
        if self.weight.dtype in [torch.float16, torch.bfloat16]:
            x = x.float()
        return x * self.weight


class Device(nn.Module):
    """2: a test of the device."""

    def forward(self, x):
        if x.device.type != "meta":
            x = x + 1
        return x


class Maximum(nn.Module):
    """2: max() compares."""

    def forward(self, x):
        keep = max(x.shape[-1] - 4, 0)
        return x[..., :keep]


class Assertion(nn.Module):
    """2: an assertion about the rank."""

    def forward(self, x):
        torch._assert(x.ndim == 5 or x.ndim == 3, "3 or 5 dimensions")
        return x


class Assignment(nn.Module):
    """3: **kwargs is one traced value and is written to."""

    def forward(self, x, **kwargs):
        kwargs["scale"] = 2
        return x * kwargs["scale"]


class NoneOptions(nn.Module):
    """3: the option was fixed to None and is read."""

    def forward(self, x, options):
        return x * options.get("scale")


class SlicedConstant(nn.Module):
    """4: a constant tensor sliced by a traced number."""

    def __init__(self):
        super().__init__()
        self.position_ids = torch.arange(16).unsqueeze(0)

    def forward(self, x):
        return x + self.position_ids[:, : x.shape[1]]


class Starred(nn.Module):
    """5: a traced shape spread with *."""

    def forward(self, x):
        return x.view(*x.shape[:-1], -1, 2)


class Inner(nn.Module):
    def forward(self, x, scale=1):
        return x * scale


class StarredOptions(nn.Module):
    """5: traced options spread with **."""

    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, **options):
        return self.inner(x, **options)


class Exclusive(nn.Module):
    """6: an optional input that is not given is a traced value."""

    def forward(self, ids=None, embeddings=None):
        if (ids is None) == (embeddings is None):
            raise ValueError("give exactly one of ids and embeddings")
        return torch.relu(embeddings if ids is None else ids)


class Factory(nn.Module):
    """7: a factory function of a traced size."""

    def forward(self, x):
        return x + torch.ones(x.shape[0], 1)


class Finfo(nn.Module):
    """7: the limits of a traced dtype."""

    def forward(self, x):
        return x.clamp(min=torch.finfo(x.dtype).min)


class Length(nn.Module):
    """8: len() of a traced value."""

    def forward(self, x):
        return x[: len(x) // 2]


class Integer(nn.Module):
    """8: int() of a traced number."""

    def forward(self, x):
        side = int(math.sqrt(x.shape[1]))
        return x.view(-1, side, side)


ACTIVATIONS = {"gelu": nn.GELU()}


class Table(nn.Module):
    """9: a module that lies in a table, not in the model."""

    def forward(self, x):
        return ACTIVATIONS["gelu"](x)


class StrayParameter(nn.Module):
    """9: a parameter that lies in a list."""

    def __init__(self):
        super().__init__()
        self.scales = [nn.Parameter(torch.ones(2))]

    def forward(self, x):
        return x * self.scales[0]


class If(nn.Module):
    """Control flow on data."""

    def forward(self, x):
        total = x.sum()
        if total > 0:
            return x
        return -x


class While(nn.Module):
    def forward(self, x):
        while x.norm() > 1:
            x = x / 2
        return x


class For(nn.Module):
    def forward(self, x):
        total = 0
        for row in x:
            total = total + row
        return total


class Range(nn.Module):
    def forward(self, x):
        for i in range(x.shape[0]):
            x = x + i
        return x


class Float(nn.Module):
    def forward(self, x):
        return x * float(x.max())


class In(nn.Module):
    def forward(self, x):
        return x + (1 if x.shape[0] in [1, 2] else 2)


class SetItem(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[0] = 1
        return y


class With(nn.Module):
    def forward(self, x):
        with x:
            return x


class Format(nn.Module):
    def forward(self, x):
        return x.m(f"{x.shape[0]:d}")


class Round(nn.Module):
    def forward(self, x):
        return round(x.shape[0] / 2)


class Key(nn.Module):
    def forward(self, x):
        return x.m({x: 1})


class SetArgument(nn.Module):
    def forward(self, x):
        return x.m({1, 2})


class Await(nn.Module):
    def forward(self, x):
        async def run():
            return await x
        return run().send(None)


class Script(nn.Module):
    """A scripted function takes tensors only."""

    def __init__(self):
        super().__init__()
        self.helper = torch.jit.script(helper)

    def forward(self, x):
        return self.helper(x)


def helper(x: torch.Tensor) -> torch.Tensor:
    return x + 1


class Yields(nn.Module):
    """Its result is iterated over by whoever calls it."""

    def forward(self, x):
        yield x + 1


class Iterates(nn.Module):
    def forward(self, x):
        return {"a": x, "b": map(torch.relu, [x])}


class SetGiven(nn.Module):
    def forward(self, x):
        return {x, x + 1}, x


class Compiled(nn.Module):
    def forward(self, x):
        return torch.relu(x) + 1


def compiled():
    return torch.jit.script(Compiled())


class HasCompiled(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = compiled()

    def forward(self, x):
        return self.part(x) * 2


class HandsOn(nn.Module):
    """Names no input itself, as torch's AveragedModel."""

    def __init__(self):
        super().__init__()
        self.module = nn.Sequential(nn.ReLU())

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)


class Caches(nn.Module):
    """Keeps a traced value on itself, for the next call."""

    def forward(self, x):
        if not hasattr(self, "cache"):
            self.cache = x + 1
        return self.cache * x


class Decides(nn.Module):
    def forward(self, x):
        if x.mean() > 0:
            return x
        return -x


class Nested(nn.Module):
    """The hint is to keep Decides whole; then it traces."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(nn.ReLU(), Decides())

    def forward(self, x):
        return self.blocks(x)


class Flag(nn.Module):
    """The hint is to fix the input."""

    def forward(self, x, flag):
        if flag:
            return torch.relu(x)
        return x
