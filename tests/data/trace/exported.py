"""What torch.export and Dynamo give, in torch 2.x."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("offset", torch.ones(4))

    def forward(self, x):
        return torch.relu(self.fc(x)) + self.offset


def program():
    return torch.export.export(Net().eval(), (torch.randn(2, 4),))


def module():
    return program().module()


def dynamic():
    sizes = {"x": {0: torch.export.Dim("N")}}
    return torch.export.export(Net().eval(), (torch.randn(2, 4),),
                               dynamic_shapes=sizes)


def dynamo():
    graphs = []

    def backend(module, inputs):
        graphs.append(module)
        return module.forward
    torch.compile(Net().eval(), backend=backend)(torch.randn(2, 4))
    return graphs[0]


def graph():
    return module().graph
