"""Models that set autocast themselves (tests/parity/capture/autocast.py)."""
import torch
import torch.fx
import torch.nn.functional as F
from torch import nn

BF16 = torch.bfloat16


@torch.fx.wrap
def wrapped(x, y):
    return x @ y.t()


class Regions(nn.Module):
    """One region, and calls before and after it."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x):
        x = self.two(x)
        with torch.autocast("cpu", dtype=BF16):
            y = self.one(x) @ x.t()
            soft = F.softmax(y, 1)
        return self.two(x).sum() + y, soft


class Decorated(nn.Module):
    """All of forward, but for a region without."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Linear(16, 16), nn.Linear(16, 16)

    @torch.autocast("cpu", dtype=BF16)
    def forward(self, x):
        y = self.one(x)
        with torch.autocast("cpu", enabled=False):
            y = self.two(y.float())
        return y, self.two(self.one(x))


class Layers(nn.Module):
    """Layers with parameters of both kinds, with statistics and without."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3)
        self.fc, self.drop, self.soft = \
            nn.Linear(12, 4), nn.Dropout(0.5), nn.Softmax(1)

    def forward(self, x):
        with torch.autocast("cpu", dtype=BF16):
            x = self.norm(self.conv(x.view(-1, 1, 4, 4)))
            x = self.drop(self.fc(F.relu(x).flatten(1)))
            return F.dropout(x, 0.5, True), self.soft(x)


class Attention(nn.Module):
    """A sum in place, dtypes that meet, double, and sizes."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(16, 48)

    def forward(self, x):
        with torch.autocast("cpu", dtype=BF16):
            q, k, v = self.qkv(x[None]).chunk(3, -1)
            scores = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
            out = torch.matmul(torch.softmax(scores, -1), v)
            out += 1
            out = torch.cat([out, x[None]])
            wide = x.double() @ x.double().t()
        return out.float() + x, wide, torch.zeros(3, x.shape[1]) @ x.t()


class Recurrent(nn.Module):
    """What is cast within one call."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(16, 8)

    def forward(self, x):
        with torch.autocast("cpu", dtype=BF16):
            return self.lstm(x[None])[0] * 2


class Plain(nn.Module):
    """Nothing that is cast."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(16)

    def forward(self, x):
        with torch.autocast("cpu", dtype=BF16):
            return F.relu(self.norm(x)).view(-1)


class Decides(nn.Module):
    """Is kept whole by --partial, with its region."""

    def forward(self, x):
        with torch.autocast("cpu", dtype=BF16):
            y = x @ x.t()
        return y if y.sum() > 0 else -y


class Partly(Regions):
    def __init__(self):
        super().__init__()
        self.three = Decides()

    def forward(self, x):
        return super().forward(self.three(x) @ x)


class Within(nn.Module):
    """All of its autocast is within what is kept whole."""

    def __init__(self):
        super().__init__()
        self.three = Decides()

    def forward(self, x):
        return self.three(x) + 1


class Scripted(nn.Module):
    """Calls without casts of their own: Python sets autocast for each."""

    def __init__(self):
        super().__init__()
        self.inner = torch.jit.script(nn.Linear(16, 16))

    def forward(self, x):
        with torch.autocast("cpu", dtype=BF16):
            return wrapped(self.inner(x), x)
