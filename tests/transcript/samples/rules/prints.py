def pattern(x):
    print(x)
    return torch.relu(x)
