import os

os.remove("x")

def pattern(x):
    return torch.relu(x)
