"""A small network with a skip connection: the graph that fxdb opens first."""
from torch import nn


class MLP(nn.Module):
    def __init__(self, width=4, hidden=8):
        super().__init__()
        self.fc1 = nn.Linear(width, hidden)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.1)
        self.fc2 = nn.Linear(hidden, width)

    def forward(self, x):
        y = self.act(self.fc1(x))
        y = self.fc2(self.drop(y))
        return x + y
