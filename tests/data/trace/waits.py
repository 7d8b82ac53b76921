"""Nodes that only Python runs, and that print or take their time."""
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


def loud(x):
    print("the first is %.1f" % x[0])
    return x


torch.fx.wrap("loud")
torch.fx.wrap("nap")
torch.fx.wrap("stubborn")


class Loud(torch.nn.Module):
    def forward(self, x):
        return loud(x * 2)


class Naps(torch.nn.Module):
    def forward(self, x):
        return nap(x * 2)


class Many(torch.nn.Module):
    def forward(self, x):
        for _ in range(20000):
            x = torch.relu(x)
        return x


class Stubborn(torch.nn.Module):
    def forward(self, x):
        return stubborn(x * 2)
