


def forward(self, x):
    relu = torch.relu(x)
    add = torch.add(relu, 
