"""A model whose run takes a while on a large input, and passes over it."""
import signal
import time

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(400, 400)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.linear(x)) + x


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(*[Layer() for _ in range(40)])

    def forward(self, x):
        return self.layers(x)


class Bad(Net):
    def forward(self, x):
        return torch.log(self.layers(x) - 1e6)


def copied(module):
    return module


def swapped(module):
    for node in module.graph.nodes:
        if node.op == "call_function":
            node.args = node.args[::-1]


def planted(module):
    """swapped, and one that is wrong."""
    swapped(module)
    node = [node for node in module.graph.nodes
            if node.op == "call_function"][30]
    node.args = (node.args[0], 1)


def loops(module):
    while True:
        time.sleep(0.1)


def stubborn(module):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loops(module)
