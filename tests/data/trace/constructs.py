"""What torch.fx refuses, or drops without a word, one small model each
(tests/parity/capture/hints.py): what is said of it leads to a graph."""
import contextlib
import dataclasses

import torch
from torch import nn


class Decides(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x + 1
        return x - 1


class DecidesWithin(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.fc = Decides(), nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(self.inner(x))


class Length(nn.Module):
    def forward(self, x):
        return x * len(x)


class Range(nn.Module):
    def forward(self, x):
        for i in range(x.shape[0]):
            x = x + i
        return x


class Item(nn.Module):
    def forward(self, x):
        return x * round(x.max().item(), 1)


class Integer(nn.Module):
    def forward(self, x):
        return x + int(x.sum())


class Rows(nn.Module):
    def forward(self, x):
        return sum(row * 2 for row in x)


class Asserts(nn.Module):
    def forward(self, x):
        assert x.shape[1] == 3, "three columns"
        assert x.dim() == 2
        return x * 2


class Gives(nn.Module):
    def forward(self, x):
        return {"x": x + 1, "sum": (x.sum(), x.shape[0])}


@dataclasses.dataclass
class Result:
    y: torch.Tensor
    more: object = None


class GivesData(nn.Module):
    def forward(self, x):
        return Result(torch.relu(x) if x.ndim == 2 else x)


class Options(nn.Module):
    def forward(self, x, **options):
        for name, value in options.items():
            x = x + value
        return x * options.get("scale", 2)


class Config(nn.Module):
    def __init__(self):
        super().__init__()
        self.config = {"act": "gelu", "layers": 2, "when": lambda x: x.ndim > 1}

    def forward(self, x):
        for _ in range(self.config["layers"]):
            x = getattr(torch.nn.functional, self.config["act"])(x)
        return x + 1 if self.config["when"](x) else x


class Numpy(nn.Module):
    def forward(self, x):
        return torch.from_numpy(x.numpy() * 2) + 1


class NumpyWithin(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.fc = Numpy(), nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(self.inner(x))


class Tracing(nn.Module):
    def forward(self, x):
        if torch.jit.is_tracing() or torch.jit.is_scripting():
            return x
        return x + (1 if x.is_floating_point() else 2)


class Kind(nn.Module):
    def forward(self, x):
        if not isinstance(x, torch.Tensor):
            raise TypeError("a tensor, not a " + type(x).__name__)
        return x + 1


class Text(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = {"2x3": 1.5}

    def forward(self, x):
        return x * self.table["%dx%d" % (x.shape[0], x.shape[1])]


class Formats(nn.Module):
    def forward(self, x):
        return x * {"3": 2.5}[f"{x.shape[1]:d}"]


class Masked(nn.Module):
    def forward(self, x, mask=None):
        if mask is not None:
            x = x.masked_fill(mask, 0)
        return x * 2


class MaskedFirst(nn.Module):
    def forward(self, x, mask=None, head=None):
        if mask is None:
            mask = torch.ones(x.shape[0], 1)
        return x * mask if head is None else x * head


class Rounds(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return torch.round(x)

    @staticmethod
    def backward(context, grad):
        return grad


class Custom(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return Rounds.apply(self.fc(x) * 4)


class InPlace(nn.Module):
    def forward(self, x):
        x[:, 0] = 0
        x += 1
        return x


class Makes(nn.Module):
    def forward(self, x):
        return x + torch.tensor([x.shape[0], 1, 2])


class MakesOnes(nn.Module):
    def forward(self, x):
        return x + torch.ones(x.shape)


class Generates(nn.Module):
    @staticmethod
    def parts(x):
        for i in range(x.shape[1]):
            yield x[:, i] * i

    def forward(self, x):
        return torch.stack(list(self.parts(x)), 1)


class Lists(nn.Module):
    def forward(self, x):
        rows = list(x)
        first, *rest = rows
        return torch.stack([first] + rest[::-1])


class Sorts(nn.Module):
    def forward(self, x):
        return torch.stack(sorted(x, key=lambda row: row.sum()))


class Zips(nn.Module):
    def forward(self, x):
        return torch.stack([a * b for a, b in zip(x, reversed(x))])


class Largest(nn.Module):
    def forward(self, x):
        return x[:, :max(x.shape[1] - 1, 1)]


class Enters(nn.Module):
    @contextlib.contextmanager
    def scaled(self, x):
        yield x * (2 if x.requires_grad else 3)

    def forward(self, x):
        with self.scaled(x) as y, torch.no_grad():
            return y + (1 if y.shape[0] > 1 else 2)


class WhileLarge(nn.Module):
    def forward(self, x):
        while x.abs().max() > 0.5:
            x = x / 2
        return x


class Spreads(nn.Module):
    def forward(self, x):
        return x.view(*x.shape[:-1], 1, -1)


class Limits(nn.Module):
    def forward(self, x):
        return x.masked_fill(x > 0, torch.finfo(x.dtype).min)


class Draws(nn.Module):
    def forward(self, x):
        return x if torch.rand(()) > 2 else x + torch.rand(x.shape[0], 1)


class Chooses(nn.Module):
    def forward(self, x, mode="add"):
        return {"add": lambda: x + 1, "mul": lambda: x * 2}[mode]()


class Contains(nn.Module):
    def forward(self, x, layers=(0, 2)):
        for i in range(3):
            if i in layers:
                x = x + i
        return x


class Sets(nn.Module):
    def forward(self, x):
        return x * len({d for d in x.shape})


class Keeps(nn.Module):
    """Remembers what it saw."""

    def __init__(self):
        super().__init__()
        self.cache = None

    def forward(self, x):
        if self.cache is None or self.cache.shape != x.shape:
            self.cache = torch.zeros(x.shape)
        return x + self.cache
