def pattern(x):
    if x:
        x = x + 1
    return torch.relu(x)
