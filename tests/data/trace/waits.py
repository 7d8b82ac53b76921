"""Nodes that only Python runs, and that take their time."""
import time

import torch
import torch.fx


def nap(x):
    time.sleep(60)
    return x


def stubborn(x):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            time.sleep(0.1)
        except KeyboardInterrupt:
            pass
    return x


torch.fx.wrap("nap")
torch.fx.wrap("stubborn")


class Naps(torch.nn.Module):
    def forward(self, x):
        return nap(x * 2)


class Stubborn(torch.nn.Module):
    def forward(self, x):
        return stubborn(x * 2)
