"""What torch.export and Dynamo give, in torch 2.x."""
import torch
from torch import nn

from graphs import Net


class Counts(nn.Module):
    """A state that a call changes, a size in the result, a keyword."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 3, batch_first=True)
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x, scale=2, *, add=None):
        self.seen.add_(1)
        y, _ = self.lstm(x)
        y = y * scale if add is None else y * scale + add
        return {"y": y, "n": x.shape[0], "seen": self.seen}


class Pools(nn.Module):
    """The second letter may be anything, the last is fixed by a layer."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.fc = nn.Linear(96, 2)

    def forward(self, x):
        return self.fc(self.conv(x).mean(2))


class Branches(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


def program():
    return torch.export.export(Net().eval(), (torch.randn(2, 4),))


def module():
    return program().module()


def dynamic():
    sizes = {"x": {0: torch.export.Dim("N")}}
    return torch.export.export(Net().eval(), (torch.randn(2, 4),),
                               dynamic_shapes=sizes)


def dynamo():
    graphs = []

    def backend(module, inputs):
        graphs.append(module)
        return module.forward
    torch.compile(Net().eval(), backend=backend)(torch.randn(2, 4))
    return graphs[0]


def graph():
    return module().graph
