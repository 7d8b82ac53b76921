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
        for _ in range(3):
            halves = (halves * 1.5).to(torch.float16).to(torch.float32)
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
                written, wide, high, rounded, halves, numbers, noise, rolled,
                ordered, summed, chosen, view, turned, safe, limit, clean,
                state, less, minimum, spread, (ids // 2, ids % 3))


def parts():
    return Parts()


def calls(module, target):
    return [node for node in module.graph.nodes if node.target == target]


def forget(node):
    """NODE's first argument in its place."""
    node.replace_all_uses_with(node.args[0])
    node.graph.erase_node(node)


def set_keyword(node, name, value):
    node.kwargs = dict(node.kwargs, **{name: value})


# --- modules, at one place of fifty ------------------------------------------

def epsilon_of_one(module):
    module.get_submodule("norms.37").eps = 1.1e-5


def tied_for_one(module):
    module.head.weight = nn.Parameter(module.head.weight * 1.0001)


def bias_lost(module):
    module.q.bias = None


def padding_lost(module):
    module.dilated.padding = (1, 1)
    module.dilated.dilation = (1, 1)


def groups_swapped(module):
    with torch.no_grad():
        weight = module.grouped.weight
        weight.copy_(weight.flip(0))


def slope_sign(module):
    module.act.negative_slope = -0.1


def ceil_lost(module):
    module.pool.padding = 1
    module.pool.ceil_mode = False


def padding_counted(module):
    module.average.count_include_pad = True


def norm_becomes_batch(module):
    module.bn.track_running_stats = False
    module.bn.train()


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


def momentum(module):
    module.bn.momentum = 0.2


def relu6_to_relu(module):
    module.relu6 = nn.ReLU()


# --- arguments ----------------------------------------------------------------

def axis(module):
    node = calls(module, torch.softmax)[0]
    node.args = (node.args[0], -2)


def transpose_lost(module):
    forget(calls(module, "transpose")[1])


def mask_sign(module):
    node = calls(module, "masked_fill")[0]
    with module.graph.inserting_before(node):
        other = module.graph.call_function(torch.logical_not, (node.args[1],))
    node.args = (node.args[0], other, node.args[2])


def bias_sign(module):
    node = next(node for node in calls(module, operator.add)
                if node.args[1].__class__.__name__ == "Node"
                and node.args[1].name == "bias")
    node.target = operator.sub


def mask_dropped(module):
    forget(calls(module, "masked_fill")[0])


def padding_mode(module):
    node = calls(module, F.pad)[0]
    set_keyword(node, "mode", "replicate")


def corners(module):
    set_keyword(calls(module, F.interpolate)[0], "align_corners", True)


def keepdim(module):
    node = next(node for node in calls(module, "mean") if node.kwargs)
    node.kwargs = {}


def rounding(module):
    set_keyword(calls(module, torch.div)[0], "rounding_mode", "trunc")


def roll_back(module):
    node = calls(module, torch.roll)[0]
    node.args = (node.args[0], -1, *node.args[2:])


def ascending(module):
    set_keyword(calls(module, torch.sort)[0], "descending", False)


def unbiased(module):
    set_keyword(calls(module, torch.std)[0], "unbiased", True)


def operands(module):
    node = calls(module, operator.sub)[1]
    node.args = node.args[::-1]


def maximum(module):
    calls(module, torch.minimum)[0].target = torch.maximum


def strict(module):
    """x > 0 and x >= 0 differ at zero alone."""
    calls(module, operator.gt)[0].target = operator.lt


def sum_axis(module):
    node = calls(module, torch.cumsum)[0]
    node.args = (node.args[0], 2)


def logarithm(module):
    node = calls(module, torch.log)[0]
    node.target = torch.log1p


def integers_divided(module):
    node = calls(module, operator.floordiv)[0]
    node.target = operator.mod


def outputs_swapped(module):
    node = next(node for node in module.graph.nodes if node.op == "output")
    items = list(node.args[0])
    items[3], items[4] = items[4], items[3]
    node.args = (tuple(items),)


def output_lost(module):
    node = next(node for node in module.graph.nodes if node.op == "output")
    node.args = (node.args[0][:-1],)


def state_for_sequence(module):
    node = next(node for node in module.graph.nodes
                if node.target is operator.getitem
                and node.args[0].name == "gru")
    node.args = (node.args[0], 0)


# --- what is written, drawn, limited and rounded -----------------------------

def write_lost(module):
    forget(next(node for node in calls(module, "add_")
                if node.args[1] == 1 and node.args[0].target == "clone"))


def write_by_value(module):
    """The result is right; whoever else reads what was written is not."""
    node = next(node for node in calls(module, "add_")
                if node.args[1] == 1 and node.args[0].target == "clone")
    node.target = "add"


def clone_lost(module):
    forget(next(node for node in calls(module, "clone")
                if node.args[0].name == "x"))


def input_written(module):
    """Nobody else reads held, but the caller has it."""
    forget(next(node for node in calls(module, "clone")
                if node.args[0].name == "held"))


def view_written(module):
    forget(next(node for node in calls(module, "clone")
                if node.args[0].target is operator.getitem))


def counter_lost(module):
    node = next(node for node in calls(module, "add_")
                if node.args[0].target == "count")
    module.graph.erase_node(node)


def statistics_lost(module):
    node = calls(module, "lerp_")[0]
    node.args = (*node.args[:2], 0.01)


def draws_swapped(module):
    rand, randn = calls(module, torch.rand_like) + \
        calls(module, torch.randn_like)
    rand.append(randn)
    rand.prev.append(randn)


def draw_lost(module):
    node = calls(module, torch.randn_like)[0]
    node.target = torch.rand_like


def clamp_lost(module):
    forget(calls(module, torch.clamp)[0])


def overflow_allowed(module):
    forget(calls(module, torch.clamp)[1])


def nan_allowed(module):
    forget(calls(module, torch.nan_to_num)[0])


def cast_lost(module):
    """One of four."""
    node = [node for node in calls(module, "to")
            if node.args[1] == torch.float16][2]
    forget(node)


def casts_lost(graph_module):
    """To f16 and back, at one of four: f64, in which passes of Python are
    verified, does not tell.  Not among the wrong ones."""
    module = graph_module
    back = [node for node in calls(module, "to")
            if node.args[0].target == "to"
            and node.args[0].args[1] == torch.float16][2]
    back.replace_all_uses_with(back.args[0].args[0])
    there = back.args[0]
    module.graph.erase_node(back)
    module.graph.erase_node(there)


def truncation_lost(module):
    node = next(node for node in calls(module, "to")
                if node.args[1] == torch.int32)
    forget(node)


def contiguous_lost(module):
    forget(calls(module, "contiguous")[0])


WRONG = [name for name, value in list(globals().items())
         if getattr(value, "__code__", None)
         and value.__code__.co_varnames[:value.__code__.co_argcount] ==
         ("module",)]


def right(graph_module):
    """Operands of a commutative operator."""
    node = calls(graph_module, operator.mul)[0]
    node.args = node.args[::-1]
