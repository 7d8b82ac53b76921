"""Classes and functions that need arguments."""
from torch import nn


class Net(nn.Module):
    def __init__(self, width, depth, *, bias, act="relu"):
        super().__init__()
        self.fc = nn.Linear(width, depth, bias=bias)

    def forward(self, x):
        return self.fc(x)


class Keywords(nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.fc = nn.Linear(options["width"], 1)

    def forward(self, x):
        return self.fc(x)
