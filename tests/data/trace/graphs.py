"""Models that are graphs already."""
import torch
import torch.fx
from torch import nn
from torch.fx.passes.shape_prop import ShapeProp


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.register_buffer("offset", torch.ones(4))

    def forward(self, x):
        return torch.relu(self.fc(x)) + self.offset


def drops():
    """One of which the mode matters."""
    return torch.fx.symbolic_trace(nn.Sequential(nn.Dropout(0.5))).graph


def module():
    """A GraphModule with shapes, and names that no trace gives."""
    made = torch.fx.symbolic_trace(Net())
    ShapeProp(made).propagate(torch.randn(2, 4))
    for node in made.graph.nodes:
        if node.target == "fc":
            node.name = "projection"
    return made


def graph():
    return module().graph


def ours():
    import fxdb
    return fxdb.from_torch(module())
