def pattern(x):
    return torch.relu(x)

def replacement(x):
    return torch.relu(torch.neg(x))
