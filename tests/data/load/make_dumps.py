"""Writes the dumps in this folder: small models of our own, printed by
torch.fx.  Run with a Python that has torch: python3 make_dumps.py

Made with torch 1.13.1, whose forms differ from those of torch 2."""
import io
import math
import os
import contextlib
import operator

import torch
import torch.fx
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))


@torch.fx.wrap
def halve(x, floor):
    return x / 2 if not floor else x // 2


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x))) + x


class Shop(nn.Module):
    """All opcodes, slices, keywords, a shared module, a buffer."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3)
        self.blocks = nn.Sequential(Block(4), Block(4))
        self.scale = nn.Parameter(torch.ones(4, 1, 1))
        self.register_buffer("shift", torch.zeros(4, 1, 1))
        self.head = nn.Linear(4, 2)

    def forward(self, input, gain: float = 0.5):
        x = self.blocks(self.stem(input)) * self.scale + self.shift
        x = nn.functional.max_pool2d(x, 2)
        n = x.shape[0]
        y = x.mean((2, 3)).view(n, -1)[:, None, ::2]
        z = torch.cat([y, y], dim=-1).squeeze(1)
        halve(z, floor=True)
        return {"out": self.head(z) * gain, "rest": (n, z[..., 1:], None)}


def inplace():
    """In-place operators, which tracing does not give, built by hand."""
    g = torch.fx.Graph()
    x, y = g.placeholder("x"), g.placeholder("y", torch.Tensor)
    clone = g.call_method("clone", (x,))
    iadd = g.call_function(operator.iadd, (clone, y))
    imul = g.call_function(operator.imul, (iadd, 2))
    g.call_function(operator.setitem, (imul, (0, slice(None, None, 2)), y))
    neg = g.call_function(operator.neg, (imul,))
    power = g.call_function(operator.pow, (neg, 2))
    big = g.call_function(operator.gt, (power, math.inf))
    invert = g.call_function(operator.invert, (big,))
    floor = g.call_function(math.floor, (1.5,))
    is_not = g.call_function(operator.is_not, (x, None))
    g.output((invert, [floor, -1e-05, is_not], {"k": (1 + 2j)}))
    return torch.fx.GraphModule(nn.Module(), g)


def pair(p, flag):
    return [p[0] + p[1] if flag else p[0], p[1]]


def write(name, text):
    with open(os.path.join(HERE, name), "w") as f:
        f.write(text)


def dump(name, gm):
    write(name + ".code.py", gm.code)
    write(name + ".listing.txt", str(gm.graph))
    with contextlib.redirect_stdout(io.StringIO()) as out:
        gm.print_readable()
    write(name + ".readable.py", out.getvalue())
    write(name + ".nodes.txt", "".join(
        f"{n.op} {n.name} {n._pretty_print_target(n.target)}\n"
        for n in gm.graph.nodes))


shop = torch.fx.symbolic_trace(Shop().eval())
dump("shop", shop)
dump("inplace", inplace())
dump("pair", torch.fx.symbolic_trace(
    pair, concrete_args={"p": (torch.fx.PH, torch.fx.PH), "flag": True}))
os.chdir(HERE)
shop.to_folder("shop_folder", "Shop")
for f in os.listdir("shop_folder"):
    if f.endswith(".pt"):
        os.remove(os.path.join("shop_folder", f))
