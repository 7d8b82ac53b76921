"""A model, and passes of torch.fx over it: right ones, and all that a pass can
do wrong."""
import ctypes
import os
import signal

import torch
import torch.fx
from torch import nn
from torch.fx.experimental import const_fold
from torch.fx.passes import shape_prop, split_module
from torch.fx.passes.infra.pass_base import PassResult


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.5)
        self.fc = nn.Linear(4, 2)
        self.scale = nn.Parameter(torch.arange(2.0) + 1)

    def forward(self, x):
        y = self.act(self.bn(self.conv(x)))
        torch.neg(y)
        z = torch.mul(y, 2) + y * 3
        scale = torch.exp(self.scale) + 1
        return self.fc(self.drop(z).mean((2, 3))) * scale


class Deep(nn.Module):
    """Layers below others, which edits take away or outline."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4))
        self.body = nn.Sequential(
            nn.Sequential(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU()),
            nn.Sequential(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4)))

    def forward(self, x):
        return self.body(self.stem(x))


def replace(node, target, *arguments):
    """A call of TARGET in the place of NODE, by the line that NODE is of."""
    with node.graph.inserting_after(node):
        new = node.graph.call_function(target, arguments)
    new.meta = dict(node.meta)
    node.replace_all_uses_with(new)
    node.graph.erase_node(node)


def named(module, name):
    return next(node for node in module.graph.nodes if node.name == name)


# -- right ones ------------------------------------------------------------
def features(module):
    """torchvision's, which traces the module anew; with the output it had."""
    from torchvision.models import feature_extraction
    last = list(module.graph.nodes)[-1].args[0].name
    made = feature_extraction.create_feature_extractor(module, [last])
    output = list(made.graph.nodes)[-1]
    output.args = (output.args[0][last],)
    return torch.fx.GraphModule(made, made.graph)


def same(module):
    return module


def gelu(module):
    replace(named(module, "act"), torch.nn.functional.gelu,
            named(module, "bn"))


def rename(module):
    named(module, "bn").name = "norm"


def copied(module):
    return torch.fx.Transformer(module).transform()


def graph_alone(module):
    graph = torch.fx.Graph()
    graph.output(graph.graph_copy(module.graph, {}))
    return graph


def folded(module):
    return const_fold.split_const_subgraphs(module)


def shaped(module):
    shape_prop.ShapeProp(module).propagate(torch.zeros(1, 3, 8, 8))


def halves(module):
    seen = []

    def half(node):
        seen.append(node)
        return len(seen) // 7
    return split_module.split_module(module, module, half)


def later(module):
    """%add_1 as late as can be, so that its place is all that changes."""
    named(module, "mul_2").prepend(named(module, "add_1"))


def twice(x):
    return x * 2


def own_function(module):
    replace(named(module, "mul"), twice, named(module, "act"))


def own_module(module):
    module.add_module("extra", nn.Sequential(nn.Linear(2, 2), nn.Tanh()))
    with module.graph.inserting_after(named(module, "fc")):
        new = module.graph.call_module("extra", (named(module, "fc"),))
    named(module, "fc").replace_all_uses_with(
        new, lambda user: user is not new)
    return module


class Result:
    """As torch.fx's PassBase: an object that is called."""

    def __call__(self, module):
        gelu(module)
        return PassResult(module, True)


# -- wrong ones --------------------------------------------------------------

def doubles_weights(module):
    module.conv.weight.data.mul_(2)


def loses_activation(module):
    named(module, "act").replace_all_uses_with(named(module, "bn"))
    module.graph.erase_node(named(module, "act"))


def wrong_epsilon(module):
    module.bn.eps = 1e-3


def one_of_three(module):
    """Two changes that are right and one that is not."""
    replace(named(module, "act"), torch.relu, named(module, "bn"))
    replace(named(module, "exp"), torch.expm1, named(module, "scale"))
    with module.graph.inserting_after(named(module, "fc")):
        named(module, "fc").append(module.graph.call_function(
            torch.neg, (named(module, "fc"),)))


def raises(module):
    raise ValueError("no such luck")


def loops(module):
    print("begun")
    while True:
        pass


def loops_on(module):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    loops(module)


def prints(module):
    print("a word from", type(module).__name__)


def layer(module):
    return nn.Linear(2, 2)


def others_graph(module):
    return torch.fx.symbolic_trace(lambda a, b: a + b)


def disordered(module):
    nodes = list(module.graph.nodes)
    nodes[0].append(nodes[-2])


def exits(module):
    raise SystemExit(4)


def ends(module):
    os._exit(3)


def crashes(module):
    ctypes.string_at(0)


NUMBER = 3
