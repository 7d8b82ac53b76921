


def forward(self, x):
    relu = torch.relu(x)
    add = relu + x;  x = None
    linear = self.linear(relu);  relu = None
    return (add, linear)
