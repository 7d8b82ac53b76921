"""Models that do not trace, and do with flags that fxdb finds."""
import causes
import torch
from torch import nn


class Counts(nn.Module):
    def forward(self, x):
        for _ in range(int(x.sum())):
            x = x + 1
        return x


class Both(nn.Module):
    """An input that is fixed, and then a module that is kept whole."""

    def __init__(self):
        super().__init__()
        self.counts = nn.ModuleList([Counts()])

    def forward(self, x, training=False):
        if training:
            x = torch.relu(x)
        return self.counts[0](x)


class Elsewhere(nn.Module):
    """The class of another file, by its whole name."""

    def __init__(self):
        super().__init__()
        self.decides = causes.Decides()

    def forward(self, x):
        return self.decides(x)


class Endless(nn.Module):
    """With either value it never ends; nobody waits for it."""

    def forward(self, x, flag):
        if flag:
            pass
        while True:
            x = x + 0
        return x


def hidden():
    """A module whose class no flag can name."""
    class Hidden(nn.Module):
        def __init__(this):
            super().__init__()
            this.fc = nn.Linear(2, 2)

        def forward(this, x):
            return this.fc(x) if x.sum() > 0 else x
    return Hidden()


class Hides(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(hidden(), nn.ReLU())
        self.last = hidden()

    def forward(self, x):
        return self.last(self.first(x)) + 1


class Decides(nn.Module):
    """No flag of a trace helps; it says what it takes."""
    dummy_inputs = {"x": torch.ones(2, 3), "unknown": torch.ones(1)}

    def forward(self, x, other=None):
        if (other is None) == (x is None):
            raise ValueError("exactly one of both")
        if other is not None:
            raise ValueError("exactly one of both")
        return x + 1 if x.sum() > 0 else x.tolist()


class Takes(nn.Module):
    """The same of Lightning, an input array."""
    example_input_array = torch.ones(2, 3)

    def forward(self, x):
        return x + len([n for n in range(x.size(0)) if x[n].sum() > 0])


class Pictures(nn.Module):
    """The same of timm, the size of its pictures."""
    pretrained_cfg = {"input_size": (3, 4, 5)}

    def forward(self, x):
        return x.reshape(60) if x.sum() > 0 else x.reshape(3, 20)


class Needs(nn.Module):
    """Only a run on inputs that are typed gets through."""

    def forward(self, x):
        return x + len([n for n in range(x.size(0)) if x[n].sum() > 0])


class Asks(nn.Module):
    """Of inputs, of which one has no default."""

    def forward(self, x, mode, scale=None, flag=False):
        if flag:
            x = x * 2
        if mode == "a":
            x = x + 1
        return x


class Table(nn.Module):
    def forward(self, batch):
        return sum(batch[name] for name in list(batch))
