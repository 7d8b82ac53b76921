"""Graphs within graphs: what split_module and torch.export make."""
import torch
import torch.fx
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (nn.Linear(4, 4) for _ in range(3))
        self.c.weight = self.a.weight

    def forward(self, x):
        y = torch.relu(self.a(x))
        z = self.b(y) + torch.ones(4)
        return torch.relu(self.c(z)) + y


def split(deep=False):
    from torch.fx.passes.split_module import split_module
    model = Net()
    module = torch.fx.symbolic_trace(model)
    parts = {node: at // 4 for at, node in enumerate(module.graph.nodes)}
    made = split_module(module, model, parts.__getitem__)
    if deep:
        holder = torch.fx.Graph()
        x = holder.placeholder("x")
        holder.output(holder.call_module("inner", (x,)))
        made = torch.fx.GraphModule({"inner": made}, holder, "Deep")
    return made


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.fc(x).sin(),
                          lambda x: x.cos(), (x,)) + 1


class Nests(Branches):
    def forward(self, x):
        def inner(x):
            return torch.cond(x.sum() > 9, lambda x: x.tan(),
                              lambda x: self.fc(x), (x,))
        return torch.cond(x.sum() > 0, inner, lambda x: x.cos(), (x,))


class Loop(nn.Module):
    def forward(self, x):
        from torch._higher_order_ops import while_loop
        return while_loop(lambda i, x: i < 5,
                          lambda i, x: (i + 1, x * 1.5),
                          (torch.tensor(0), x))


def program(kind):
    return torch.export.export(kind().eval(), (torch.ones(2, 4),))
