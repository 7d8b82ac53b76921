"""Two rules: the second one waits for what the first one makes."""
import torch
import torch.nn.functional as F
from torch import nn


def pattern(x):
    """A linear layer and its activation."""
    c = nn.Linear(x)
    return torch.relu(c)


def replacement(y):
    return F.gelu(F.linear(y, c.weight, c.bias))


def where(x):
    return users(x) == 2 and x.shape[-1] == 4


def pattern(x, y):
    return x + y


def replacement(x, y):
    return torch.sub(y, x)


def where():
    return "not in fc1"
