"""Models whose layers and inputs have numbers of their own at the end of their
names, drawn at random, beside calls that torch.fx numbers: relu_2, relu,
relu_01, relu_1_3.  (semantics 1.2; torch 2.7 and 2.12 made other rules.)
"""
import random

import torch

BASES = ["relu", "add", "x", "abs", "neg_1"]


def drawn_name(draw):
    """A layer's name: a base and, mostly, a number; with a zero at times."""
    number = draw.choice(["", "_%d", "_%d", "_0%d", "_%d_1"])
    return draw.choice(BASES) + (number % draw.randrange(4) if number
                                 else number)


class Numbered(torch.nn.Module):
    """SEED draws the layers, and in what order they and functions are called."""

    def __init__(self, seed):
        super().__init__()
        self.seed = seed
        draw = random.Random(seed)
        self.layers = sorted({drawn_name(draw) for _ in range(4)})
        for name in self.layers:
            self.add_module(name, torch.nn.ReLU())

    def forward(self, x_1, x):
        draw = random.Random(self.seed + 1)
        x = x + x_1
        for _ in range(14):
            how = draw.choice(["layer", "relu", "add", "abs", "neg"])
            if how == "layer":
                x = getattr(self, draw.choice(self.layers))(x)
            elif how == "add":
                x = x + x_1
            else:
                x = getattr(torch, how)(x)
        return x


def cases(count=60):
    """As small_models.cases()."""
    return [("numbers in names, seed %d (1.2)" % seed,
             lambda seed=seed: Numbered(seed), {}) for seed in range(count)]
