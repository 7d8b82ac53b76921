# A view of another number of elements.
def forward(self, x):
    view = x.view(3, 5)
    relu = torch.relu(view)
    return relu
