"""Models whose leaves give and take objects of the user's, for
tests/parity/objects.py.
"""
import collections
import dataclasses
import enum
import typing

import torch
from torch import nn


@dataclasses.dataclass
class Held:
    mean: torch.Tensor
    scale: torch.Tensor
    count: int = 3

    def total(self):
        return (self.mean * self.scale).sum()


@dataclasses.dataclass(frozen=True)
class Frozen:
    inner: Held
    rest: typing.Optional[tuple] = None


@dataclasses.dataclass
class Output(collections.OrderedDict):
    """As those of transformers."""
    hidden: torch.Tensor = None
    extra: torch.Tensor = None

    def __post_init__(self):
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is not None:
                self[field.name] = value

    def __getitem__(self, key):
        if isinstance(key, str):
            return dict(self.items())[key]
        return tuple(self.values())[key]


class Pair(typing.NamedTuple):
    mean: torch.Tensor
    scale: torch.Tensor

    def total(self):
        return torch.log(self.mean) + self.scale


class Color(enum.Enum):
    RED = 1


class Size(enum.IntEnum):
    TWO = 2


class Members(nn.Module):
    """Members of an Enum beside a tensor."""

    def forward(self, x):
        return x + 1, Color.RED, Size.TWO


class Array(nn.Module):
    def forward(self, x):
        return x + 1, {"of numpy": [x.numpy()]}


class Gives(nn.Module):
    def forward(self, x):
        return Held(x * 2, x.sigmoid())


class Takes(nn.Module):
    def forward(self, held):
        assert type(held) is Held and held.count == 3
        return held.mean + held.scale


class GivesOutput(nn.Module):
    def forward(self, x):
        return Output(hidden=x + 1)


class GivesPair(nn.Module):
    def forward(self, x):
        return Pair(x - 1, x * 2)


class GivesFrozen(nn.Module):
    def forward(self, held):
        return Frozen(held, (held.mean, [held.scale]))


class TakesFrozen(nn.Module):
    def forward(self, frozen):
        return frozen.inner.total() + frozen.rest[1][0]


class Writes(nn.Module):
    def forward(self, held):
        held.mean = held.mean * 10
        return held.scale + 1


class Objects(nn.Module):
    def __init__(self):
        super().__init__()
        self.gives, self.takes = Gives(), Takes()
        self.output, self.pair = GivesOutput(), GivesPair()
        self.frozen, self.reads = GivesFrozen(), TakesFrozen()

    def forward(self, x):
        held = self.gives(x)
        out = self.output(held.scale)
        pair = self.pair(x)
        low = self.takes(held) + held.total() + out.hidden + out[0]
        return low + self.reads(self.frozen(held)), pair.total()


class Changed(nn.Module):
    """A leaf writes an attribute of what it is given."""

    def __init__(self):
        super().__init__()
        self.gives, self.writes, self.takes = Gives(), Writes(), Takes()

    def forward(self, x):
        held = self.gives(x)
        return self.writes(held) + self.takes(held)


class Sized(typing.NamedTuple):
    count: int
    mean: torch.Tensor


class GivesSized(nn.Module):
    def forward(self, x):
        return Sized(x.shape[0], x * 2), {"rows": x.shape[0]}


class Sizes(nn.Module):
    """Sizes in what a leaf gives: with names, and in a dict."""

    def __init__(self):
        super().__init__()
        self.gives = GivesSized()

    def forward(self, x):
        sized, more = self.gives(x)
        return sized.mean * sized.count + more["rows"] * 10
