def replacement(x):
    return torch.relu(x)
