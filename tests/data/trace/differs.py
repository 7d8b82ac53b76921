"""Models whose recordings have the same calls and other values."""
import torch


def behind(x):
    y = torch.cos(x)
    z = y + 1
    z.numpy()[0] = float(y.numpy().sum())
    return torch.sin(z) * y
