def forward(self, x, y):
    a = torch.relu(x)
    b = torch.neg(y)
    c = a + b
    d = torch.sin(b)
    e = c * d
    f = a - d
    return (e, f)
