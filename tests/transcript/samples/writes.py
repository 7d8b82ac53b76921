def forward(self, x):
    a = torch.neg(x)
    b = torch.sin(a)
    add_ = a.add_(1)
    c = torch.cos(a)
    d = b + c
    e = torch.rand_like(d)
    f = torch.relu(d)
    g = torch.rand_like(f)
    return (e, f, g)
