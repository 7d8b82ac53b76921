"""A model of many small parts, and a wrong pass for each: what a pass of
torch.fx gets wrong in practice, at one place of many.
"""
import operator

import torch
import torch.nn.functional as F
from torch import nn


class Parts(nn.Module):
    """Each result stands on its own; a wrong pass touches one of them."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.norms = nn.Sequential(*[nn.LayerNorm(6) for _ in range(50)])
        self.conv = nn.Conv2d(2, 4, 3, stride=2, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.dilated = nn.Conv2d(2, 4, 3, padding=2, dilation=2)
        self.grouped = nn.Conv2d(2, 4, 3, padding=1, groups=2)
        self.pool = nn.MaxPool2d(3, 2, ceil_mode=True)
        self.average = nn.AvgPool2d(3, 1, 1, count_include_pad=False)
        self.embedding = nn.Embedding(9, 6)
        self.head = nn.Linear(6, 9, bias=False)
        self.head.weight = self.embedding.weight
        self.act = nn.LeakyReLU(0.1)
        self.relu6 = nn.ReLU6()
        self.q = nn.Linear(6, 6)
        self.k = nn.Linear(6, 6)
        self.gru = nn.GRU(6, 6, batch_first=True)
        self.register_buffer("count", torch.zeros(1))
        self.register_buffer("mean", torch.zeros(6))

    def attention(self, x, mask, bias):
        q, k = self.q(x), self.k(x)
        scores = q @ k.transpose(1, 2) / 6 ** 0.5
        scores = scores + bias
        scores = scores.masked_fill(mask, -1e9)
        return torch.softmax(scores, -1) @ x

    def images(self, image):
        y = self.bn(self.conv(image))
        z = F.pad(image, (1, 1, 1, 1), mode="reflect")
        z = F.interpolate(z, scale_factor=2.0, mode="bilinear",
                          align_corners=False)
        both = self.grouped(image)
        return (y, z, self.dilated(image), self.pool(image),
                self.average(image), both * 3, both + 1)

    def forward(self, x, image, ids, mask, bias, draws, held):
        self.count.add_(x.mean())
        self.mean.lerp_(x.mean((0, 1)), 0.1)
        y = x
        for norm in self.norms:
            y = y + norm(x)
        attention = self.attention(x, mask, bias)
        images = self.images(image)
        logits = self.head(self.act(self.embedding(ids)))
        square = x @ x.transpose(1, 2)
        centred = square - square.mean(-1, keepdim=True)
        copy = x.clone()
        copy.add_(1)
        written = held.clone()
        written.mul_(2)
        wide = torch.clamp(x, -6, 6) * 2
        high = self.relu6(x)
        rounded = torch.div(x, 0.3, rounding_mode="floor")
        halves = x.to(torch.float16).to(torch.float32)
        for _ in range(49):
            halves = (halves * 1.01).to(torch.float16).to(torch.float32)
        kept = torch.neg(x.half()).view(-1).float().half().float()
        numbers = x.to(torch.int32).to(torch.float32)
        noise = torch.rand_like(draws) * torch.randn_like(draws)
        rolled = torch.roll(x, 1, 1)
        ordered = torch.sort(x, 1, descending=True)[0]
        summed = torch.cumsum(x, 1)
        chosen = torch.where(x > 0, x, x * 0.5)
        view = x[:, 1].clone()
        view.add_(x[:, 0])
        turned = x.permute(0, 2, 1).contiguous().view(2, -1)
        safe = torch.log(torch.abs(x) + 1e-6)
        limit = torch.exp(torch.clamp(x, max=20.0))
        clean = torch.nan_to_num(x)
        state = self.gru(x)[1]
        less = x - y
        minimum = torch.minimum(x, y)
        spread = torch.std(x, 1, unbiased=False)
        return (y, attention, *images, logits, centred, copy, x + copy,
                written, wide, high, rounded, halves, kept, numbers, noise, rolled,
                ordered, summed, chosen, view, turned, safe, limit, clean,
                state, less, minimum, spread, (ids // 2, ids % 3))


def parts():
    return Parts()


def guilty(name):
    """What is wrong is the change that has the node NAME."""
    def note(function):
        function.guilty = name
        return function
    return note


def calls(module, target):
    return [node for node in module.graph.nodes if node.target == target]


def forget(node):
    """NODE's first argument in its place."""
    node.replace_all_uses_with(node.args[0])
    node.graph.erase_node(node)


def set_keyword(node, name, value):
    node.kwargs = dict(node.kwargs, **{name: value})


# --- modules, at one place of fifty ------------------------------------------

@guilty("norms_37")
def epsilon_of_one(module):
    module.get_submodule("norms.37").eps = 1.1e-5


@guilty("head")
def tied_for_one(module):
    module.head.weight = nn.Parameter(module.head.weight * 1.0001)


@guilty("q")
def bias_lost(module):
    module.q.bias = None


@guilty("dilated")
def padding_lost(module):
    module.dilated.padding = (1, 1)
    module.dilated.dilation = (1, 1)


@guilty("grouped")
def groups_swapped(module):
    with torch.no_grad():
        weight = module.grouped.weight
        weight.copy_(weight.flip(0))


@guilty("act")
def slope_sign(module):
    module.act.negative_slope = -0.1


@guilty("pool")
def ceil_lost(module):
    module.pool.padding = 1
    module.pool.ceil_mode = False


@guilty("average")
def padding_counted(module):
    module.average.count_include_pad = True


@guilty("bn")
def norm_becomes_batch(module):
    module.bn.track_running_stats = False
    module.bn.train()


@guilty("grouped")
def folded_across_users(module):
    """The factor 3 goes into the convolution, whose other user forgot."""
    node = calls(module, "grouped")[0]
    for user in list(node.users):
        if user.target is operator.mul:
            user.replace_all_uses_with(node)
            module.graph.erase_node(user)
    with torch.no_grad():
        module.grouped.weight.mul_(3)
        module.grouped.bias.mul_(3)


@guilty("bn")
def momentum(module):
    module.bn.momentum = 0.2


@guilty("relu6")
def relu6_to_relu(module):
    module.relu6 = nn.ReLU()


# --- arguments ----------------------------------------------------------------

@guilty("softmax")
def axis(module):
    node = calls(module, torch.softmax)[0]
    node.args = (node.args[0], -2)


@guilty("transpose_1")
def transpose_lost(module):
    forget(calls(module, "transpose")[1])


@guilty("masked_fill")
def mask_sign(module):
    node = calls(module, "masked_fill")[0]
    with module.graph.inserting_before(node):
        other = module.graph.call_function(torch.logical_not, (node.args[1],))
    node.args = (node.args[0], other, node.args[2])


@guilty("add_50")
def bias_sign(module):
    node = next(node for node in calls(module, operator.add)
                if node.args[1].__class__.__name__ == "Node"
                and node.args[1].name == "bias")
    node.target = operator.sub


@guilty("masked_fill")
def mask_dropped(module):
    forget(calls(module, "masked_fill")[0])


@guilty("pad")
def padding_mode(module):
    node = calls(module, F.pad)[0]
    set_keyword(node, "mode", "replicate")


@guilty("interpolate")
def corners(module):
    set_keyword(calls(module, F.interpolate)[0], "align_corners", True)


@guilty("mean_3")
def keepdim(module):
    node = next(node for node in calls(module, "mean") if node.kwargs)
    node.kwargs = {}


@guilty("div")
def rounding(module):
    set_keyword(calls(module, torch.div)[0], "rounding_mode", "trunc")


@guilty("roll")
def roll_back(module):
    node = calls(module, torch.roll)[0]
    node.args = (node.args[0], -1, *node.args[2:])


@guilty("sort")
def ascending(module):
    set_keyword(calls(module, torch.sort)[0], "descending", False)


@guilty("std")
def unbiased(module):
    set_keyword(calls(module, torch.std)[0], "unbiased", True)


@guilty("sub_1")
def operands(module):
    node = calls(module, operator.sub)[1]
    node.args = node.args[::-1]


@guilty("minimum")
def maximum(module):
    calls(module, torch.minimum)[0].target = torch.maximum


@guilty("gt")
def strict(module):
    """x > 0 and x >= 0 differ at zero alone."""
    calls(module, operator.gt)[0].target = operator.lt


@guilty("cumsum")
def sum_axis(module):
    node = calls(module, torch.cumsum)[0]
    node.args = (node.args[0], 2)


@guilty("log")
def logarithm(module):
    node = calls(module, torch.log)[0]
    node.target = torch.log1p


@guilty("floordiv")
def integers_divided(module):
    node = calls(module, operator.floordiv)[0]
    node.target = operator.mod


@guilty("output")
def outputs_swapped(module):
    node = next(node for node in module.graph.nodes if node.op == "output")
    items = list(node.args[0])
    items[3], items[4] = items[4], items[3]
    node.args = (tuple(items),)


@guilty("output")
def output_lost(module):
    node = next(node for node in module.graph.nodes if node.op == "output")
    node.args = (node.args[0][:-1],)


@guilty("getitem_3")
def state_for_sequence(module):
    node = next(node for node in module.graph.nodes
                if node.target is operator.getitem
                and node.args[0].name == "gru")
    node.args = (node.args[0], 0)


# --- what is written, drawn, limited and rounded -----------------------------

@guilty("add__1")
def write_lost(module):
    forget(next(node for node in calls(module, "add_")
                if node.args[1] == 1 and node.args[0].target == "clone"))


@guilty("add__1")
def write_by_value(module):
    """The result is right; whoever else reads what was written is not."""
    node = next(node for node in calls(module, "add_")
                if node.args[1] == 1 and node.args[0].target == "clone")
    node.target = "add"


@guilty("clone")
def clone_lost(module):
    forget(next(node for node in calls(module, "clone")
                if node.args[0].name == "x"))


@guilty("clone_1")
def input_written(module):
    """Nobody else reads held, but the caller has it."""
    forget(next(node for node in calls(module, "clone")
                if node.args[0].name == "held"))


@guilty("clone_2")
def view_written(module):
    forget(next(node for node in calls(module, "clone")
                if node.args[0].target is operator.getitem))


@guilty("add_")
def counter_lost(module):
    node = next(node for node in calls(module, "add_")
                if node.args[0].target == "count")
    module.graph.erase_node(node)


@guilty("lerp_")
def statistics_lost(module):
    node = calls(module, "lerp_")[0]
    node.args = (*node.args[:2], 0.01)


@guilty("randn_like")
def draws_swapped(module):
    rand, randn = calls(module, torch.rand_like) + \
        calls(module, torch.randn_like)
    rand.append(randn)
    rand.prev.append(randn)


@guilty("randn_like")
def draw_lost(module):
    node = calls(module, torch.randn_like)[0]
    node.target = torch.rand_like


@guilty("clamp")
def clamp_lost(module):
    forget(calls(module, torch.clamp)[0])


@guilty("clamp_1")
def overflow_allowed(module):
    forget(calls(module, torch.clamp)[1])


@guilty("nan_to_num")
def nan_allowed(module):
    forget(calls(module, torch.nan_to_num)[0])


@guilty("to_74")
def cast_lost(module):
    """One of fifty."""
    node = [node for node in calls(module, "to")
            if node.args[1] == torch.float16][37]
    forget(node)


@guilty("to_74")
def casts_lost(module):
    """To f16 and back, at one of fifty."""
    back = [node for node in calls(module, "to")
            if node.args[0].target == "to"
            and node.args[0].args[1] == torch.float16][37]
    back.replace_all_uses_with(back.args[0].args[0])
    there = back.args[0]
    module.graph.erase_node(back)
    module.graph.erase_node(there)


@guilty("to_100")
def truncation_lost(module):
    node = next(node for node in calls(module, "to")
                if node.args[1] == torch.int32)
    forget(node)


@guilty("contiguous")
def contiguous_lost(module):
    forget(calls(module, "contiguous")[0])


WRONG = {name: value.guilty for name, value in list(globals().items())
         if hasattr(value, "guilty")}


def right(graph_module):
    """At more than a hundred places: layers as functions, operands of a
    commutative operator, a cast back to the dtype that it had been."""
    module = graph_module
    for node in list(module.graph.nodes):
        if node.op == "call_module" and str(node.target).startswith("norms."):
            norm = module.get_submodule(node.target)
            with module.graph.inserting_before(node):
                weight = module.graph.get_attr(node.target + ".weight")
                bias = module.graph.get_attr(node.target + ".bias")
                new = module.graph.call_function(
                    F.layer_norm, (node.args[0], (6,), weight, bias, norm.eps))
            node.replace_all_uses_with(new)
            module.graph.erase_node(node)
        elif node.target is operator.mul:
            node.args = node.args[::-1]
        elif node.target == "half" and node.args[0].target == "float":
            node.replace_all_uses_with(node.args[0].args[0])
            module.graph.erase_node(node)


def among(wrong):
    """WRONG at its place, and what is right at all others."""
    def both(module):
        wrong(module)
        right(module)
    return both
