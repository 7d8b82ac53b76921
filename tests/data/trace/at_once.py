"""Models whose recorded runs are looked at without another run (tests/parity/
capture/at_once.py): values written over in place, buffers, random numbers.
"""
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(4, 4, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(4)

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x
        return self.relu(out)


class Net(nn.Module):
    """As a residual network writes over what it has; and items, views, a
    counter and numbers drawn."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1)
        self.first = Block()
        self.second = Block()
        self.drop = nn.Dropout(0.5)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.calls += 1
        x = self.second(self.first(self.stem(x)))
        x[:, 0] = x[:, 1] * 2
        row = x[:, 2]
        row.mul_(3)
        if x.shape[0] > 1:
            x = self.drop(x) + torch.rand(x.shape[-1])
        if x.sum() > 0:
            x = x.flatten(1)
        kept = x.sort(dim=-1)
        return {"values": kept.values, "calls": self.calls.clone()}


def draws(x):
    """Decides by numbers drawn, one way or the other."""
    found = []
    for _ in range(8):
        noise = torch.rand(3)
        found.append(x + noise if noise.sum() > 1.5 else x - noise)
    return torch.stack(found)
