"""A model that traces, after others that did not."""
import torch
from torch import nn


class Good(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def forward(self, x):
        return torch.relu(self.fc(x))
