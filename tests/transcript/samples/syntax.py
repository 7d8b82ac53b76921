


def forward(self, x):
    relu = torch.relu(x)
    while True: pass
    return relu
