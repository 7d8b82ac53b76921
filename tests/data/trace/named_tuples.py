"""Operators whose results are tuples with names, for
tests/parity/named_tuples.py.
"""
import collections
import typing

import torch
from torch import nn

Pair = collections.namedtuple("Pair", "mean scale")


class Mixed(typing.NamedTuple):
    count: int
    mean: torch.Tensor
    name: str
    scale: torch.Tensor

    def total(self):
        return self.mean + self.scale


@torch.fx.wrap
def pair_of(x):
    return Pair(x * 2, x.sigmoid())


@torch.fx.wrap
def mixed_of(x):
    return Mixed(7, x + 1, "n", x.sigmoid())


class Named(nn.Module):
    def forward(self, x):
        top = torch.topk(x, 2, dim=1)
        high = torch.max(x, dim=1)
        low = x.min(1)
        order = torch.sort(x, dim=1, descending=True)
        middle = torch.median(x, 1)
        often = x.mode(dim=0)
        third = torch.kthvalue(x, 3, 1)
        both = torch.aminmax(x, dim=1)
        so_far = torch.cummax(x, dim=1)
        parts = torch.frexp(x)
        values, indices = torch.cummin(x, 1)
        return (top.values.sum() + high[0].sum() + low.values.sum() +
                order.indices.sum() + middle.values.sum() + often[0].sum() +
                third.values.sum() + both.max.sum() + so_far[0].sum() +
                parts.mantissa.sum() + values.sum() + indices.sum())


class Wrong(nn.Module):
    """The logarithm of what is negative goes through topk."""

    def forward(self, x):
        top = torch.topk(torch.log(x), 2, dim=1)
        return top.values * 2, top.indices + 1


class Reader(nn.Module):
    """Kept whole, and takes what has names."""

    def forward(self, top):
        return top.values + top.indices


class Kept(nn.Module):
    def __init__(self):
        super().__init__()
        self.reader = Reader()

    def forward(self, x):
        top = torch.topk(x, 2, dim=1)
        return self.reader(top) + top.values


class Ends(typing.NamedTuple):
    low: torch.Tensor
    high: torch.Tensor


class Writer(nn.Module):
    """Kept whole, and gives what has names."""

    def forward(self, x):
        return Ends(x - 1, x + 1)


class Given(nn.Module):
    def __init__(self):
        super().__init__()
        self.writer = Writer()

    def forward(self, x):
        pair = self.writer(x)
        return pair.low * pair[1]


class Part(nn.Module):
    def forward(self, mixed):
        return mixed.mean * mixed.scale


class Users(nn.Module):
    """Tuples with names of the user's own."""

    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, x):
        pair = pair_of(x)
        mixed = mixed_of(x)
        other = pair._replace(mean=pair.scale)
        return (pair.mean + pair[1] + mixed.total() + mixed.count +
                self.part(mixed) + mixed[3] + other.mean)


class Held:
    """An object of the user's, which nothing here can hold."""

    def __init__(self, x):
        self.mean = x * 2

    def total(self):
        return self.mean.sum()


@torch.fx.wrap
def held(x):
    return Held(x)


class Changes(nn.Module):
    """A part of it is written, and read by a method."""

    def forward(self, x):
        own = held(x)
        own.mean.view(-1)[0].add_(1)
        return own.total()
