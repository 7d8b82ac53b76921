"""Models of our own that run_models.py compares.

MODELS: name -> function that gives a module and its inputs.
"""
import torch
from torch import nn


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 32)
        self.second = nn.Linear(32, 4)

    def forward(self, x):
        return self.second(torch.relu(self.first(x))).softmax(-1)


class Neg(nn.Module):
    def forward(self, x):
        return torch.neg(x)


MODELS = {
    "neg": lambda: (Neg(), [torch.randn(4)]),
    "mlp": lambda: (MLP().eval(), [torch.randn(3, 16)]),
}
