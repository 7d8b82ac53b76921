"""A model that is larger than the memory: on meta, shapes without values."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(1 << 20, 1 << 16, device="meta")
        self.fc = nn.Linear(1 << 16, 8, device="meta")

    def forward(self, ids):
        h = self.fc(self.embedding(ids))
        if ids.shape[1] > 2:
            h = h * h.shape[1]
        return torch.relu(h).sum(1)


class Asks(Net):
    def forward(self, ids):
        h = self.fc(self.embedding(ids))
        return h if h.sum() > 0 else -h
