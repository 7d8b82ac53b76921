"""Models that write their own parameters and buffers when they run, for
tests/parity/graph_bytes.py.
"""
import torch
from torch import nn


class Tied(nn.Module):
    """An embedding that is also the last layer's weight."""

    def __init__(self):
        super().__init__()
        self.e = nn.Embedding(4, 3)
        self.h = nn.Linear(3, 4, bias=False)
        self.h.weight = self.e.weight

    def forward(self, i):
        return self.h(self.e(i))


class Writing(nn.Module):
    """Statistics, a buffer that is written in place, of which others are a view
    and the same, a tied parameter.
    """

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)
        self.first = nn.Linear(3, 3, bias=False)
        self.second = nn.Linear(3, 3, bias=False)
        self.second.weight = self.first.weight
        self.register_buffer("count", torch.zeros(3))
        self.register_buffer("window", self.count[1:])
        self.register_buffer("same", self.count)

    def forward(self, x):
        count = self.count.mul_((x * 0).sum() + 2)
        count = count.add_(1)
        one = (x * 0).sum() + 1
        seen = self.window * one - (self.same * one)[1:]
        return self.second(torch.relu(self.norm(self.first(x)))) + count + \
            seen.sum()
