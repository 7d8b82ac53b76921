"""Models that print: lines, control characters, no newline, very much."""
import os
import sys

import torch
from torch import nn

print("importing")


class Lines(nn.Module):
    def __init__(self):
        super().__init__()
        print("building")

    def forward(self, x):
        print("tracing", x)
        print("to the error stream", file=sys.stderr)
        return torch.relu(x)


class Control(nn.Module):
    def forward(self, x):
        os.write(1, b"red \x1b[31mtext\x07 tab\there\r over \xff\xfe end\n")
        os.write(1, b"no newline at the end")
        return x + 1


class Much(nn.Module):
    def forward(self, x):
        for i in range(2000):
            print("%05d" % i, "x" * 500)
        return x + 1


class Endless(nn.Module):
    def forward(self, x):
        while True:
            os.write(1, b"y" * 4096)
