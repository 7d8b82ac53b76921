def pattern(x):
    return torch.relu(x)
