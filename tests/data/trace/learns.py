"""Models that compute gradients in their forward."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 1)
        self.optimizer = torch.optim.SGD(self.fc.parameters(), 0.1)

    def forward(self, x):
        with torch.enable_grad():
            loss = self.fc(x).square().mean()
            loss.backward()
        self.optimizer.step()
        return loss.detach()


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, x):
        return self.net(x * 2) + x
