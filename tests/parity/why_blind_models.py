"""Models with one numeric fault each, most of them hidden from the output, for
why_blind.py: a function per fault gives the faulty module, its twin without the
fault, the inputs, and what is to be found.
"""
import math

import torch
import torch.nn.functional as F
import torchvision.models as zoo
from torch import nn
from torch.fx.experimental.proxy_tensor import make_fx


class Fault:
    """FIND: names of the node that is to be named, any of them.  ELEMENT: a
    regular expression for its element.  CAUSE: pairs of a name and an expression
    for what is to blame.  Without a twin the fault is not finite.
    """

    def __init__(self, module, inputs, find, element, cause, twin=None, ask="nan",
                 says=None):
        self.module = module.eval()
        self.twin = twin.eval() if twin is not None else None
        self.inputs = inputs
        self.find = find.split()
        self.element = element
        self.cause = cause
        self.ask = ask
        self.says = says


FAULTS = {}


def fault(make):
    FAULTS[make.__name__] = make
    return make


ANY = r"\[[-0-9,]*\]"


def image(size=64, batch=1):
    return torch.randn(batch, 3, size, size, generator=torch.Generator().manual_seed(7))


def numbers(*sizes):
    return torch.randn(*sizes, generator=torch.Generator().manual_seed(11))


def fixed(make, **options):
    """The same weights each time, and statistics that are no ones and zeros."""
    torch.manual_seed(5)
    module = make(**options)
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.1)
            part.running_var.uniform_(0.5, 1.5)
    return module


def put(tensor, index, value):
    with torch.no_grad():
        tensor[index] = value


def flip(tensor, index, bit):
    """One bit of a float, counted from the lowest."""
    with torch.no_grad():
        number = tensor[index].reshape(1).view(torch.int32) ^ \
            torch.tensor([1 << bit if bit < 31 else -(1 << 31)], dtype=torch.int32)
        tensor[index] = number.view(torch.float32)[0]


class KeepFinite(nn.Module):
    """What hides NaN: a comparison with it is false."""

    def forward(self, x):
        return torch.where(x > 0, x, torch.zeros_like(x))


class KeepClamped(nn.Module):
    def forward(self, x):
        return torch.clamp(torch.nan_to_num(x, 0.0, 6.0, 0.0), 0, 6)


# --- negative variance, in six models of torchvision ---


@fault
def variance_shown():
    m = fixed(zoo.resnet18)
    put(m.layer2[0].bn2.running_var, 17, -0.25)
    return Fault(m, [image()], "layer2_0_bn2", r"\[0,17,\d+,\d+\]",
                 [("layer2.0.bn2.running_var", r"\[17\]")])


@fault
def variance_hidden_by_where():
    m = fixed(zoo.resnet18)
    put(m.bn1.running_var, 5, -1.5)
    m.relu = KeepFinite()
    return Fault(m, [image()], "bn1", r"\[0,5,\d+,\d+\]", [("bn1.running_var", r"\[5\]")])


@fault
def variance_deep():
    m = fixed(zoo.resnet50)
    put(m.layer3[2].bn3.running_var, 100, -1)
    return Fault(m, [image(224)], "layer3_2_bn3", r"\[0,100,\d+,\d+\]",
                 [("layer3.2.bn3.running_var", r"\[100\]")])


@fault
def variance_zero():
    m = fixed(zoo.mobilenet_v2)
    bn = m.features[4].conv[0][1]
    put(bn.running_var, 3, 0)
    bn.eps = 0.0
    return Fault(m, [image()], "features_4_conv_0_1", r"\[0,3,\d+,\d+\]",
                 [("features.4.conv.0.1.running_var", r"\[3\]")])


@fault
def mean_infinite():
    m = fixed(zoo.densenet121)
    bn = m.features.denseblock1.denselayer2.norm1
    put(bn.running_mean, 9, math.inf)
    return Fault(m, [image()],
                 "features_denseblock1_denselayer2_norm1 "
                 "features.denseblock1.denselayer2.norm1.running_mean", ANY,
                 [("features.denseblock1.denselayer2.norm1.running_mean", r"\[9\]")], ask="inf")


@fault
def nan_pixel():
    m = fixed(zoo.efficientnet_b0)
    x = image()
    x[0, 1, 5, 7] = math.nan
    return Fault(m, [x], "x", r"\[0,1,5,7\]", [("x", r"\[0,1,5,7\]")])


@fault
def nan_pixel_hidden():
    m = fixed(zoo.shufflenet_v2_x0_5)
    m.conv1[2] = KeepClamped()
    x = image()
    x[0, 2, 63, 0] = -math.inf
    return Fault(m, [x], "x", r"\[0,2,63,0\]", [("x", r"\[0,2,63,0\]")])


# --- one bit, one weight ---


@fault
def bit_of_exponent():
    m = fixed(zoo.resnet18)
    put(m.layer1[0].conv1.weight, (4, 2, 1, 1), 3e38)
    # What it makes is still finite there; the sums after it are not.
    return Fault(m, [image()], "add_5", ANY,
                 [("layer1.0.conv1.weight", r"\[4,2,1,1\]")], ask="inf")


@fault
def bit_of_sign():
    m, twin = fixed(zoo.resnet50), fixed(zoo.resnet50)
    flip(m.layer2[1].conv2.weight, (3, 4, 1, 2), 31)
    return Fault(m, [image(224)], "layer2_1_conv2 layer2.1.conv2.weight", ANY,
                 [("layer2.1.conv2.weight", r"\[3,4,1,2\]")], twin=twin)


@fault
def bit_of_mantissa():
    m, twin = fixed(zoo.squeezenet1_1), fixed(zoo.squeezenet1_1)
    flip(m.features[3].expand3x3.weight, (1, 3, 0, 2), 21)
    return Fault(m, [image()], "features.3.expand3x3.weight", ANY,
                 [("features.3.expand3x3.weight", r"\[1,3,0,2\]")], twin=twin)


@fault
def bias_flipped():
    m, twin = fixed(zoo.googlenet, init_weights=False), fixed(zoo.googlenet, init_weights=False)
    m.transform_input = twin.transform_input = False
    flip(m.inception3a.branch2[0].bn.bias, 6, 30)
    return Fault(m, [image()], "inception3a.branch2.0.bn.bias", r"\[6\]",
                 [("inception3a.branch2.0.bn.bias", r"\[6\]")], twin=twin)


@fault
def weight_transposed():
    m, twin = fixed(zoo.alexnet), fixed(zoo.alexnet)
    with torch.no_grad():
        m.classifier[4].weight.copy_(twin.classifier[4].weight.t())
    return Fault(m, [image()], "classifier.4.weight", ANY, [("classifier.4.weight", ANY)],
                 twin=twin)


# --- epsilons, axes, indices ---


@fault
def epsilon_of_batch_norm():
    m, twin = fixed(zoo.mobilenet_v2), fixed(zoo.mobilenet_v2)
    m.features[7].conv[1][1].eps = 0.1
    return Fault(m, [image()], "features_7_conv_1_1", ANY, [("features_7_conv_1_1", ANY)],
                 twin=twin, says=r"eps=0\.1")


class Attention(nn.Module):
    """Self-attention by hand, with what goes wrong in it as switches."""

    def __init__(self, axis=-1, hides=False, eps=1e-5, shift=0, swaps=False):
        super().__init__()
        torch.manual_seed(2)
        self.q, self.k, self.v = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)
        self.norm = nn.LayerNorm(8, eps=eps)
        self.out = nn.Linear(8, 8)
        self.axis, self.hides, self.shift, self.swaps = axis, hides, shift, swaps

    def forward(self, x, mask):
        y = self.norm(x)
        q, k, v = self.q(y), self.k(y), self.v(y)
        scores = torch.matmul(q, k.transpose(1, 2)) / math.sqrt(8)
        filled = scores.masked_fill(mask, -math.inf)
        weights = torch.softmax(filled, self.axis)
        if self.hides:
            weights = torch.where(weights > 0, weights, torch.zeros_like(weights))
        mixed = torch.bmm(v.transpose(1, 2), weights) if self.swaps else \
            torch.bmm(weights, v)
        if self.swaps:
            mixed = mixed.transpose(1, 2)
        if self.shift:
            mixed = torch.roll(mixed, self.shift, 1)
        return self.out(F.relu(mixed)) + x


def attention_inputs(masks_row):
    mask = torch.ones(8, 8, dtype=torch.bool).triu(1).repeat(2, 1, 1)
    if masks_row:
        mask[1, 3] = True
    return [numbers(2, 8, 8), mask]


@fault
def softmax_of_masked_row():
    return Fault(Attention(), attention_inputs(True), "softmax masked_fill", r"\[1,3,\d\]",
                 [("masked_fill", r"\[1,3,\d\]"), ("mask", r"\[1,3,\d\]")])


@fault
def softmax_of_masked_row_hidden():
    return Fault(Attention(hides=True), attention_inputs(True), "softmax masked_fill",
                 r"\[1,3,\d\]", [("masked_fill", r"\[1,3,\d\]"), ("mask", r"\[1,3,\d\]")])


@fault
def softmax_of_wrong_axis():
    return Fault(Attention(axis=1), attention_inputs(False)[:1] +
                 [torch.zeros(2, 8, 8, dtype=torch.bool)], "softmax", ANY,
                 [("softmax", ANY)], twin=Attention(), says=r"softmax\(.*\b1")


@fault
def epsilon_of_layer_norm():
    return Fault(Attention(eps=1e-2), attention_inputs(False), "norm layer_norm", ANY,
                 [("norm", ANY), ("layer_norm", ANY)], twin=Attention(), says=r"0\.01")


@fault
def product_transposed():
    return Fault(Attention(swaps=True), attention_inputs(False), "bmm transpose_1 transpose_2", ANY,
                 [("bmm", ANY), ("transpose_1", ANY), ("transpose_2", ANY)], twin=Attention())


class Sequence(nn.Module):
    """Embedding, places, a mean, a head with the embedding's weights."""

    def __init__(self, plus=0, axis=1, unties=False, begins=0, count=None):
        super().__init__()
        torch.manual_seed(4)
        self.embed = nn.Embedding(20, 6)
        self.place = nn.Parameter(torch.randn(9, 6))
        self.mix = nn.Linear(6, 6)
        self.head = nn.Linear(6, 20, bias=False)
        self.head.weight = self.embed.weight
        if unties:
            self.head.weight = nn.Parameter(self.embed.weight.detach().clone())
            put(self.head.weight, (7, 2), 2.5)
        self.register_buffer("count", torch.full((4,), 6.0) if count is None else count)
        self.plus, self.axis, self.begins = plus, axis, begins

    def forward(self, ids):
        e = self.embed(ids + self.plus) + self.place[self.begins:self.begins + 6]
        pooled = F.relu(self.mix(e)).sum(self.axis)
        mean = pooled / self.count[:, None]
        return self.head(torch.clamp(mean, -10, 10))


IDS = torch.tensor([[1, 2, 3, 4, 5, 6], [0, 0, 1, 9, 9, 3], [17, 18, 2, 2, 5, 1],
                    [4, 4, 4, 4, 4, 4]])


@fault
def index_off_by_one():
    return Fault(Sequence(plus=1), [IDS], "add", ANY, [("add", ANY)], twin=Sequence(),
                 says=r"ids, 1\)|ids \+ 1")


@fault
def slice_off_by_one():
    return Fault(Sequence(begins=1), [IDS], "getitem", ANY, [("getitem", ANY)],
                 twin=Sequence(), says=r"1:7|1, 7")


@fault
def sum_along_wrong_axis():
    return Fault(Sequence(axis=2), [IDS], "sum_1", ANY, [("sum_1", ANY)], twin=Sequence(),
                 says=r"sum\(.*2")


@fault
def tied_weight_broken():
    return Fault(Sequence(unties=True), [IDS], "head.weight", r"\[7,2\]",
                 [("head.weight", r"\[7,2\]")], twin=Sequence())


@fault
def empty_count():
    return Fault(Sequence(count=torch.tensor([6.0, 6.0, 0.0, 6.0])), [IDS], "truediv",
                 r"\[2,\d\]", [("_tensor_constant0", r"\[2,0\]")], ask="inf")


class Statistics(nn.Module):
    """Logarithms, powers, quotients, written in place too."""

    def __init__(self, early=False, fault=""):
        super().__init__()
        torch.manual_seed(6)
        self.scale = nn.Parameter(torch.rand(5, 6) + 0.5)
        self.early, self.fault = early, fault

    def forward(self, x):
        p = torch.sigmoid(x) * self.scale
        entropy = -(p * torch.log(p)).sum(1)
        work = p.clone()
        if self.early:
            work.mul_(2)
        kept = work + 1
        if not self.early:
            work.mul_(2)
        ratio = work / kept
        return torch.maximum(entropy[:, None], F.relu(ratio * 9 - 0.3))


@fault
def log_of_zero():
    m = Statistics()
    put(m.scale, (2, 4), 0)
    return Fault(m, [numbers(5, 6)], "log", r"\[2,4\]", [("scale", r"\[2,4\]"), ("mul", r"\[2,4\]")])


@fault
def log_of_negative():
    m = Statistics()
    put(m.scale, (0, 1), -0.5)
    return Fault(m, [numbers(5, 6)], "log", r"\[0,1\]", [("scale", r"\[0,1\]"), ("mul", r"\[0,1\]")])


@fault
def written_too_early():
    return Fault(Statistics(early=True), [numbers(5, 6)], "mul_ add", ANY,
                 [("mul_", ANY), ("add", ANY), ("clone", ANY)], twin=Statistics())


class TwoFaults(nn.Module):
    def forward(self, x):
        first = torch.sqrt(x - 3)
        kept = torch.where(first > 0, first, x)
        second = torch.log(kept - kept)
        return second * 0 + torch.clamp(x, 0, 1)


@fault
def the_earlier_of_two():
    return Fault(TwoFaults(), [numbers(3, 4)], "sqrt", ANY, [("sub", ANY), ("x", ANY)])


class Gated(nn.Module):
    """A mean of what a mask leaves, and its deviation."""

    def forward(self, x, keep):
        count = keep.sum(1)
        mean = (x * keep).sum(1) / count
        safe = torch.where(mean > -100, mean, torch.zeros_like(mean))
        return torch.cat([safe, torch.nan_to_num(x.amax(1))])


@fault
def mean_of_nothing():
    keep = torch.ones(4, 5)
    keep[3] = 0
    return Fault(Gated(), [numbers(4, 5), keep], "truediv", r"\[3\]",
                 [("keep", r"\[3,\d\]"), ("sum_1", r"\[3\]"), ("sum_2", r"\[3\]")])


# --- 16 bits ---


class Half(nn.Module):
    def __init__(self, dtype=torch.float16, kind="square"):
        super().__init__()
        self.dtype, self.kind = dtype, kind
        torch.manual_seed(8)
        self.fc = nn.Linear(6, 6)
        self.register_buffer("gain", torch.full((6,), 4.0))

    def forward(self, x):
        h = (F.relu(self.fc(x)) + 0.1).to(self.dtype) * self.gain.to(self.dtype)
        if self.kind == "square":
            wide = (h * h).float()
            return torch.clamp(wide, 0, 100)
        if self.kind == "eps":
            small = h * 0 + 1e-8
            return torch.where(h > 0, (h / small).float(), x).clamp(0, 5)
        if self.kind == "difference":
            big = h * 60000
            return torch.maximum((big - big).float(), x)
        if self.kind == "sum":
            return torch.sigmoid((h * 12000 + h * 12000).float())
        return F.softmax((h * -1e38 * 10).float(), 1)


def half(kind, gain, dtype=torch.float16):
    m = Half(dtype, kind)
    if gain:
        m.gain.fill_(1)
        put(m.gain, 2, gain)
    return m


@fault
def half_square_overflows():
    return Fault(half("square", 5000), [numbers(4, 6)], "mul_1", r"\[\d,2\]",
                 [("mul", r"\[\d,2\]"), ("gain", r"\[2\]"), ("to_1", r"\[2\]")], ask="inf")


@fault
def half_epsilon_vanishes():
    m = half("eps", 0)
    return Fault(m, [numbers(4, 6)], "truediv", ANY, [("add_1", ANY), ("mul_1", ANY)], ask="inf")


@fault
def half_difference():
    return Fault(half("difference", 40), [numbers(4, 6)], "mul_1 sub", r"\[\d,2\]",
                 [("mul", r"\[\d,2\]"), ("gain", r"\[2\]"), ("to_1", r"\[2\]")])


@fault
def half_sum_overflows():
    return Fault(half("sum", 3), [torch.ones(4, 6) * 9], "add_1 mul_1 mul_2", r"\[\d,\d\]",
                 [("mul_1", ANY), ("mul_2", ANY), ("mul", ANY), ("gain", ANY), ("fc", ANY), ("to", ANY),
                  ("to_1", ANY), ("fc.bias", ANY), ("x", ANY), ("relu", ANY), ("add", ANY)],
                 ask="inf")


@fault
def bfloat_overflows():
    return Fault(half("softmax", 100, torch.bfloat16), [numbers(4, 6)], "mul_2 mul_1", ANY,
                 [("mul_1", ANY), ("mul", ANY), ("gain", r"\[2\]"), ("to_1", r"\[2\]"), ("to", ANY),
                  ("add", ANY)])


@fault
def half_gain_infinite():
    return Fault(half("square", 1e6), [numbers(4, 6)], "_tensor_constant0", r"\[2\]",
                 [("_tensor_constant0", r"\[2\]")], ask="inf")


# --- backward graphs ---


def backward(loss, hide=None, count=1):
    class Backward(nn.Module):
        def __init__(self, example):
            super().__init__()

            def grad(*inputs):
                with torch.enable_grad():
                    leaf = inputs[0].detach().requires_grad_(True)
                    out = torch.autograd.grad(loss(leaf, *inputs[1:]), leaf)[0]
                return hide(out) if hide else out

            self.graph = make_fx(grad)(*example)

    def build(*example):
        return Backward([torch.ones_like(e) for e in example]).graph

    return build


def zero_at(index, *sizes):
    x = numbers(*sizes).abs() + 0.1
    x[index] = 0
    return x


@fault
def gradient_of_sqrt():
    x = zero_at((1, 2), 3, 4)
    m = backward(lambda v: v.sqrt().sum(), torch.relu)(x)
    return Fault(m, [x], "div", r"\[1,2\]", [("x_1", r"\[1,2\]"), ("sqrt", r"\[1,2\]"),
                                              ("mul", r"\[1,2\]")], ask="inf")


@fault
def gradient_of_norm():
    x = numbers(3, 4)
    x[2] = 0
    m = backward(lambda v: v.pow(2).sum(1).sqrt().sum(),
                 lambda g: torch.where(g > 0, g, torch.zeros_like(g)))(x)
    return Fault(m, [x], "div", r"\[2\]", [("x_1", r"\[2,\d\]"), ("sum_1", r"\[2\]"),
                                            ("sqrt", r"\[2\]"), ("mul", r"\[2\]")])


@fault
def gradient_through_where():
    x = zero_at((0, 3), 3, 4)
    m = backward(lambda v: torch.where(v > 0, v.log(), torch.zeros_like(v)).sum())(x)
    return Fault(m, [x], "div", r"\[0,3\]", [("x_1", r"\[0,3\]"), ("detach_1", r"\[0,3\]"), ("where_1", ANY)])


@fault
def gradient_of_quotient():
    x = numbers(3, 4)
    y = zero_at((2, 0), 3, 4)
    m = backward(lambda v, w: torch.where(w > 0, v / w, v).sum(),
                 lambda g: torch.clamp(torch.nan_to_num(g), -1, 1))(x, y)
    return Fault(m, [x, y], "div_1 div", r"\[2,0\]", [("arg1_1", r"\[2,0\]")])


@fault
def gradient_of_power():
    x = zero_at((1, 1), 2, 3)
    m = backward(lambda v: (v ** 0.3).sum(), lambda g: g.clamp(-9, 9))(x)
    return Fault(m, [x], "pow_2", r"\[1,1\]", [("x_1", r"\[1,1\]"), ("detach_1", r"\[1,1\]")], ask="inf")


@fault
def gradient_of_acos():
    x = torch.tensor([[0.5, -0.25], [1.0, 0.125]])
    m = backward(lambda v: torch.acos(v).sum(), torch.relu)(x)
    return Fault(m, [x], "div rsqrt mul reciprocal", r"\[1,0\]", [("x_1", r"\[1,0\]"), ("detach_1", r"\[1,0\]")],
                 ask="inf")


def module(name):
    return FAULTS[name]().module


def twin(name):
    return FAULTS[name]().twin
