"""Names in functions around each other: what samples/cells.fxg was traced of."""
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        return torch.relu(y)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([Cell(), Cell(), Cell()])
        self.shared = Cell()
        self.chain = nn.Sequential(Cell(), Cell())

    def forward(self, x):
        z = x * 2
        for cell in self.cells:
            z = cell(z)
        low, high = torch.split(z, 2, 1)
        w = torch.cat([low + 1, high], 1)
        w = self.chain(w)
        for _ in range(3):
            w = self.shared(w)
        most, place = torch.max(w, 1)
        return most + 1


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        r = x + 1
        out = self.inner(r)
        return out
