"""Models whose recordings have the same calls and other values."""
import torch


def autocast(x):
    y = torch.relu(x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = y @ y.t()
    return z.float() + 1


def behind(x):
    y = torch.cos(x)
    z = y + 1
    z.numpy()[0] = float(y.numpy().sum())
    return torch.sin(z) * y
