"""Nodes that draw random numbers, each in its own way."""
import torch
from torch import nn


class Draws(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.4)
        self.noise = nn.AlphaDropout(0.3)
        self.attend = nn.MultiheadAttention(4, 2, dropout=0.5)
        self.norm = nn.BatchNorm1d(4)

    def forward(self, x):
        first = torch.randn_like(x)
        mask = nn.functional.dropout(x, 0.5, True)
        own = x * 2
        written = own.bernoulli_(0.3)
        dropped = self.drop(x + first)
        ints = torch.randint_like(x, 9)
        attended = self.attend(x, x, x)[0]
        normed = self.norm(attended)
        leaky = nn.functional.rrelu(normed - 1, training=True)
        noise = self.noise(x)
        chosen = torch.multinomial(x.abs(), 3)
        last = torch.normal(x, 1.0)
        return (mask + own + written + dropped + ints + leaky + noise +
                last), chosen


def draws():
    torch.manual_seed(5)
    return Draws().train()
