"""Models, and functions that give what they take."""
import torch
from torch import nn

SIZE = 4


class Config:
    pass


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(SIZE, SIZE)

    def forward(self, x):
        return torch.relu(self.fc(x))


class Pair(nn.Module):
    def forward(self, pair, scale):
        return pair[0] * scale + pair[1]["k"]


def function(x):
    return x + 1


def given(count=2):
    return torch.arange(float(count * SIZE)).reshape(count, SIZE)


def noise():
    return torch.randn(2, SIZE)


def pair():
    return torch.ones(2, 3), {"k": torch.full((3,), 2.0)}


def raises():
    raise ValueError("no input")
