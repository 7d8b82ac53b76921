"""A leaf of the user's that writes all it has, for tests/parity/graph_bytes.py.
"""
import torch
from torch import nn


class Leaf(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.scale = nn.Parameter(torch.arange(3.0))
        self.register_buffer("count", torch.zeros(3))
        self.plain = torch.zeros(3)

    def forward(self, x):
        self.count.add_(1)
        self.weight.data.mul_(2)
        self.plain += 1
        self.scale.data = self.scale.data + 1
        return x * self.weight + self.count + self.scale + self.plain


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.leaf = Leaf()
        self.alias = self.leaf.weight.data

    def forward(self, x):
        return torch.relu(self.leaf(x))
