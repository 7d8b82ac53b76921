"""Models whose inputs no graph holds as they are."""
import dataclasses

import torch
from torch import nn

WIDTH = 4


@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    masks: dict
    name: str = "first"
    scale: int = 2


class Memory:
    """A cache of keys, as those of transformers are: it grows."""

    def __init__(self):
        self.layers = []
        self.calls = 0

    def update(self, keys):
        self.layers = [torch.cat([old, keys], 1) for old in self.layers] or \
            [keys]
        self.calls += 1
        return self.layers[0]


def batch(rows=3):
    return Batch(torch.ones(rows, WIDTH), {"low": torch.full((rows, 1), 0.5),
                                           "high": [torch.zeros(rows, 1)]})


def memory(length=2):
    made = Memory()
    made.layers = [torch.arange(float(3 * length)).view(3, length)]
    return made


def pair():
    return torch.ones(3, WIDTH), torch.zeros(3, WIDTH)


class Takes(nn.Module):
    """A dataclass, a dict, a list, and what is no tensor in them."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(WIDTH, WIDTH)

    def forward(self, batch, y, how="sum"):
        h = self.fc(batch.x) * batch.scale + batch.masks["low"]
        if batch.name == "first":
            h = h + batch.masks["high"][0]
        return h + y.mean() if how == "sum" else h - y.mean()


class Remembers(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, past=None):
        h = self.fc(x)
        if past is not None:
            h = past.update(h)
        return h.softmax(-1), past


class Any(nn.Module):
    def forward(self, x, *rest, scale=1.0, **named):
        for i, item in enumerate(rest):
            x = x + item * (i + 1)
        for name in sorted(named):
            x = x * named[name]
        return x * scale


def picks(x, pair, flag=False):
    a, b = pair
    return x + a if flag else x + b
