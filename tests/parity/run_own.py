"""Models of our own that run_models.py compares.

MODELS: name -> function that gives a module and its inputs.
"""
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    """A residual block with a shortcut of its own."""

    def __init__(self, inside, outside, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(inside, outside, 3, stride, 1, bias=False),
            nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
            nn.Conv2d(outside, outside, 3, 1, 1, bias=False),
            nn.BatchNorm2d(outside))
        self.short = nn.Sequential(
            nn.Conv2d(inside, outside, 1, stride, bias=False),
            nn.BatchNorm2d(outside))

    def forward(self, x):
        return F.relu(self.body(x) + self.short(x))


def residual():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding="same"), nn.BatchNorm2d(8), nn.ReLU6(),
        nn.MaxPool2d(2), Block(8, 16, 2), Block(16, 16, 1),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))


class Encoder(nn.Module):
    """A transformer's encoder written out."""

    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.table = nn.Embedding(50, width)
        self.place = nn.Parameter(torch.randn(1, 12, width))
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(),
                                 nn.Dropout(0.1), nn.Linear(4 * width, width))

    def forward(self, tokens):
        x = self.table(tokens) + self.place
        b, n, c = x.shape[0], x.size(1), x.size()[2]
        qkv = self.qkv(self.norm1(x)).reshape(b, n, 3, self.heads,
                                              c // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5
        mask = torch.ones(12, 12).triu(1).bool()
        scores = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
        x = x + self.out((scores @ v).transpose(1, 2).reshape(b, n, c))
        return x + self.mlp(self.norm2(x))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x)[0]


class Recurrent(nn.Module):
    """An LSTM written out, step by step."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 8)
        self.cell_x = nn.Linear(8, 64)
        self.cell_h = nn.Linear(16, 64)
        self.out = nn.Linear(16, 3)

    def forward(self, tokens):
        x = self.table(tokens)
        h = x.new_zeros((x.shape[0], 16))
        c = torch.zeros_like(h)
        for step in range(5):
            gates = self.cell_x(x[:, step]) + self.cell_h(h)
            i, f, g, o = torch.chunk(gates, 4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return self.out(h), (h, c)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 16, num_layers=2, batch_first=True,
                            bidirectional=True)

    def forward(self, x):
        out, state = self.lstm(x)
        return out[:, -1], state


class Masked(nn.Module):
    """Attention that may not see what only fills up a row."""

    def __init__(self):
        super().__init__()
        self.own = nn.MultiheadAttention(16, 4, batch_first=True,
                                         add_bias_kv=True)
        self.other = nn.MultiheadAttention(16, 2, kdim=8, vdim=4)

    def forward(self, x, padding):
        y, weights = self.own(x, x, x, key_padding_mask=padding)
        y = y.transpose(0, 1)
        z = self.other(y, y[:, :, :8], y[:, :, 8:12], padding,
                       need_weights=False)
        return y, weights, z[0]


class Losses(nn.Module):
    """Losses that are layers."""

    def __init__(self):
        super().__init__()
        self.entropy = nn.BCELoss()
        self.gaussian = nn.GaussianNLLLoss(full=True)
        self.cosine = nn.CosineEmbeddingLoss(0.1, reduction="sum")
        self.ranking = nn.MarginRankingLoss(0.2)
        self.several = nn.MultiMarginLoss(2, 0.5, reduction="none")
        self.labels = nn.MultiLabelMarginLoss()
        self.triplet = nn.TripletMarginLoss(swap=True)
        self.ctc = nn.CTCLoss(reduction="sum", zero_infinity=True)
        self.soft = nn.MultiLabelSoftMarginLoss()

    def forward(self, x, classes, lengths):
        p = x.sigmoid()
        sign = x[:, 0].sign()
        return (self.entropy(p, p * p), self.gaussian(x, p, p + 0.1),
                self.cosine(x, p, sign), self.ranking(x[0], x[1], x[2]),
                self.several(x, classes), self.triplet(x, p, x * p),
                self.labels(x, classes.unsqueeze(1).expand(-1, 6)),
                self.ctc(x.log_softmax(1).unsqueeze(1), classes[1:],
                         lengths, lengths - 1), self.soft(x, p))


class InPlace(nn.Module):
    def forward(self, x):
        y = x * 2
        y.add_(1).clamp_(max=3)
        y[0].add_(2)
        view = y.view(-1)
        view.mul_(3)
        return y, x


class Indices(nn.Module):
    def forward(self, x, i):
        a = x[0, ..., None]
        b = x[:, 1:-1:2, i]
        c = x[i]
        d = x[x > 0]
        e = x[None, :, [0, 2], -1]
        f = x.gather(1, i[None, :, None].expand(4, 3, 6))
        return a, b, c, d, e, f


class Numbers(nn.Module):
    """Python's arithmetic with sizes and tensors."""

    def forward(self, x):
        n = x.shape[0] * 3 // 2 - 1
        part = [x[k] for k in range(3)] + [x[-1]]
        whole = torch.stack(part + [2 / (x[0] + 3), 2 ** x[0], 7 % x[1].abs(),
                                    1 - x[0], x[1] // 0.3, 3 / (x[2] + 0.1)])
        both = (whole, n)
        return both[0].view(-1, both[1])


class Training(nn.Module):
    """Dropout and statistics, in training mode."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        x = self.drop(self.norm(self.conv(x)))
        return x + torch.rand_like(x), F.dropout2d(x, 0.5)


class Each(nn.Module):
    """A function, called once."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def image():
    return torch.randn(2, 4, 8, 8)


def table():
    return torch.randn(3, 6)


def unpooled(x, planes, lines):
    return (F.max_unpool2d(planes[0], planes[1], 2),
            F.max_unpool1d(lines[0], lines[1], 3, 2, output_size=(8,)))


# name -> function of one tensor, that tensor
FUNCTIONS = {
    "selu": (lambda x: F.selu(x), table),
    "celu": (lambda x: F.celu(x, 0.7), table),
    "elu": (lambda x: F.elu(x, alpha=0.5), table),
    "hardtanh": (lambda x: F.hardtanh(x, -0.5, 0.5), table),
    "hardswish": (lambda x: F.hardswish(x), table),
    "hardsigmoid": (lambda x: F.hardsigmoid(x), table),
    "mish": (lambda x: F.mish(x), table),
    "silu_inplace": (lambda x: F.silu(x + 0, inplace=True), table),
    "relu6": (lambda x: F.relu6(x * 9), table),
    "leaky_relu": (lambda x: F.leaky_relu(x, 0.2), table),
    "threshold": (lambda x: F.threshold(x, 0.1, 20), table),
    "softsign": (lambda x: F.softsign(x), table),
    "tanhshrink": (lambda x: F.tanhshrink(x), table),
    "logsigmoid": (lambda x: F.logsigmoid(x), table),
    "softmin": (lambda x: F.softmin(x, 1), table),
    "log_softmax": (lambda x: F.log_softmax(x, dim=0), table),
    "softplus": (lambda x: F.softplus(x, 2, 10), table),
    "glu": (lambda x: F.glu(x, 1), table),
    "normalize": (lambda x: F.normalize(x, dim=1), table),
    "cosine": (lambda x: F.cosine_similarity(x, x + 1), table),
    "layer_norm": (lambda x: F.layer_norm(x, (6,)), table),
    "norm": (lambda x: (torch.norm(x), torch.norm(x, 1, 1), x.norm(dim=0)),
             table),
    "einsum": (lambda x: torch.einsum("ij,kj->ik", x, x), table),
    "meshgrid": (lambda x: torch.meshgrid(x[0], x[1], indexing="ij"), table),
    "statistics": (lambda x: (x.std(), x.var(0), x.median(),
                              torch.var_mean(x, 1), x.cumsum(1)), table),
    "sorting": (lambda x: (x.sort(1), x.topk(2), x.argsort(), x.max(0)[0]),
                table),
    "fields": (lambda x: (torch.max(x, 1).values, x.sort(0).indices), table),
    "casts": (lambda x: (x.half(), x.double(), x.long(), x.bool(),
                         x.to(torch.int32), x.type(torch.float64)), table),
    "comparing": (lambda x: ((x > 0) & (x < 1), (x > 0) | (x < -1),
                             ~(x > 0), x == x, x != 0), table),
    "complex": (lambda x: (torch.complex(x, x) * 2j).abs(), table),
    "fft": (lambda x: torch.fft.rfft(x).abs(), table),
    "linalg": (lambda x: (torch.linalg.norm(x), x @ x.t(), x.T), table),
    "max_pool": (lambda x: F.max_pool2d(x, 2, return_indices=True), image),
    "max_pool_ceil": (lambda x: F.max_pool2d(x, 3, 2, 1, 1, True), image),
    "avg_pool": (lambda x: F.avg_pool2d(x, 3, 1, 1, False, False), image),
    "lp_pool": (lambda x: F.lp_pool2d(x.abs(), 2, 2), image),
    "adaptive": (lambda x: (F.adaptive_avg_pool2d(x, (3, None)),
                            F.adaptive_max_pool2d(x, 2)), image),
    "nearest": (lambda x: F.interpolate(x, scale_factor=1.5), image),
    "bilinear": (lambda x: F.interpolate(x, (5, 9), mode="bilinear",
                                         align_corners=False), image),
    "bicubic": (lambda x: F.interpolate(x, scale_factor=2, mode="bicubic",
                                        align_corners=True), image),
    "area": (lambda x: F.interpolate(x, 3, mode="area"), image),
    "pads": (lambda x: (F.pad(x, (1, 2)), F.pad(x, (1, 1, 2, 2), "reflect"),
                        F.pad(x, (0, 1), value=2.0)), image),
    "unfold": (lambda x: F.unfold(x, 3, padding=1), image),
    "shuffle": (lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2),
                           F.channel_shuffle(x, 2)), image),
    "response": (lambda x: F.local_response_norm(x, 3), image),
    "groups": (lambda x: (F.group_norm(x, 2), F.instance_norm(x)), image),
    "grid": (lambda x: F.grid_sample(
        x, F.affine_grid(torch.eye(2, 3).repeat(2, 1, 1), [2, 4, 5, 5],
                         align_corners=False), align_corners=False), image),
    "losses": (lambda x: (F.mse_loss(x, x + 1), F.l1_loss(x, x * 2,
                                                          reduction="sum"),
                          F.smooth_l1_loss(x, x * 3, beta=0.5),
                          F.huber_loss(x, x * 3), F.kl_div(x, x.softmax(1)),
                          F.binary_cross_entropy_with_logits(
                              x, x.sigmoid())), table),
    "entropy": (lambda x: F.cross_entropy(x, torch.arange(3),
                                          label_smoothing=0.1), table),
    "margins": (lambda x: (
        F.soft_margin_loss(x, x.sign(), reduction="sum"),
        F.margin_ranking_loss(x[0], x[1], x[2].sign(), margin=0.3),
        F.hinge_embedding_loss(x, x.sign(), margin=0.5, reduction="none"),
        F.cosine_embedding_loss(x, x + 1, x[:, 0].sign(), margin=0.1),
        F.multi_margin_loss(x, torch.arange(3), p=2, reduction="sum"),
        F.multilabel_soft_margin_loss(x, x.sigmoid()),
        F.triplet_margin_loss(x, x + 1, x * 2, reduction="none"),
        F.triplet_margin_with_distance_loss(x, x + 1, x * 2, swap=True)),
        table),
    "likelihoods": (lambda x: (
        F.poisson_nll_loss(x, x.exp(), full=True),
        F.gaussian_nll_loss(x, x + 1, x.abs(), full=True),
        F.gaussian_nll_loss(x, x + 1, x[:, 0].abs(), reduction="sum"),
        F.ctc_loss(x.t().unsqueeze(1).log_softmax(2), torch.tensor([[1, 2]]),
                   torch.tensor([6]), torch.tensor([2]))), table),
    "gumbel": (lambda x: (F.gumbel_softmax(x, 0.5),
                          F.gumbel_softmax(x, hard=True, dim=0)), table),
    "unpool": (lambda x: unpooled(
        x, F.max_pool2d(x, 2, return_indices=True),
        F.max_pool1d(x[0], 3, 2, return_indices=True)), image),
    "fractional": (lambda x: (
        F.fractional_max_pool2d(x, 2, output_size=3),
        F.fractional_max_pool2d(x, 3, output_ratio=(0.5, 0.6),
                                return_indices=True)), image),
    "fold": (lambda x: F.fold(F.unfold(x, 2), 8, 2), image),
    "heads": (lambda x: F.multi_head_attention_forward(
        *[x.view(3, 2, 3).repeat(1, 1, 4)] * 3, 12, 3,
        torch.linspace(-1, 1, 36 * 12).view(36, 12), torch.linspace(0, 1, 36),
        torch.ones(1, 1, 12), torch.zeros(1, 1, 12), True, 0.0,
        torch.linspace(1, -1, 144).view(12, 12), None,
        key_padding_mask=torch.tensor([[False, True, False],
                                       [False, False, False]]),
        attn_mask=torch.ones(3, 3).triu(1).bool()), table),
    "reflected": (lambda x: (
        x.__rtruediv__(2), x.__rpow__(2), x.abs().__rmod__(2),
        x.__rmatmul__(x[:, :3]), x.__rfloordiv__(7),
        x.long().__rand__(3), (x > 0).__rxor__(True)), table),
    "chosen": (lambda x: (
        x.where(x > 0, x * 2), (x > 0).nonzero(as_tuple=True),
        torch.nonzero(x > 0), x.round().unique(),
        x.round().unique(return_counts=True),
        torch.unique(x.round(), return_inverse=True, dim=0),
        x.round().sort()[0].unique_consecutive(dim=1)), table),
    "new": (lambda x: (
        x.type("torch.DoubleTensor"), x.long().type(x.type()),
        x.new_tensor([1, 2]), x.new_tensor([[1.5, 2], [3, 4]]),
        x.long().new_tensor([True, False]), x.new_tensor(3),
        x.new_full((2,), 7), x.new_zeros(2, 3, dtype=torch.int64)), table),
    "lists": (lambda x: (
        x.new_tensor(x.t().tolist()), x.long().new_tensor(x.long().tolist()),
        (x > 0).new_tensor((x > 0).tolist()), x.new_tensor(x[0, 0].tolist()),
        x.double().new_tensor(x[:0].tolist()), x + x[0].tolist()[2],
        x[[True, False, True]], x[:, [4, 1]]), table),
    "products": (lambda x: (
        torch.block_diag(x, x[:1]), torch.cartesian_prod(x[0], x[1]),
        torch.cdist(x, x + 1), torch.tensordot(x, x, ([0, 1], [0, 1])),
        torch.tensordot(x, x.t(), 1), torch.searchsorted(
            x.sort(1)[0], x, side="right")), table),
    "more_norms": (lambda x: (
        x.norm("nuc"), x.norm("nuc", dim=(0, 1)), x.abs().polygamma(1),
        x.cfloat().abs(), torch.stft(x[0].repeat(9), 8, return_complex=True,
                                     window=torch.ones(8)).abs()), table),
    "attributes": (lambda x: x.new_ones(x.shape[1], x.ndim) * x.dim(), table),
    "splits": (lambda x: (x.split(2, 1), torch.split(x, [1, 5], dim=1),
                          x.tensor_split(4, dim=1), x.chunk(2)), table),
}

if hasattr(torch, "compile"):                   # what torch 1.13 refuses
    FUNCTIONS["of_torch_2"] = (lambda x: (
        x.unsqueeze(0).squeeze(()), x.unsqueeze(0).squeeze((0, 1)),
        x.gather(1, torch.zeros(3, 2, dtype=torch.int32))), table)
if hasattr(F, "linear_cross_entropy"):
    FUNCTIONS["linear_entropy"] = (lambda x: F.linear_cross_entropy(
        x, x * 2, torch.arange(3), linear_bias=x[:, 0], reduction="sum",
        ignore_index=1), table)


def wrapped(name):
    function, inputs = FUNCTIONS[name]
    return lambda: (Each(function), [inputs()])


def tokens(high, *shape):
    return torch.randint(0, high, shape)


MODELS = {
    "neg": lambda: (Each(torch.neg), [torch.randn(4)]),
    "mlp": lambda: (nn.Sequential(nn.Linear(16, 32), nn.Tanh(),
                                  nn.Linear(32, 4), nn.Softmax(-1)),
                    [torch.randn(3, 16)]),
    "residual": lambda: (residual().eval(), [torch.randn(2, 3, 32, 32)]),
    "encoder": lambda: (Encoder().eval(), [tokens(50, 2, 12)]),
    "attention": lambda: (Attention().eval(), [torch.randn(2, 5, 16)]),
    "recurrent": lambda: (Recurrent().eval(), [tokens(20, 3, 5)]),
    "masked": lambda: (Masked().eval(), [
        torch.randn(2, 5, 16), torch.arange(10).view(2, 5) > 7]),
    "losses": lambda: (Losses(), [
        torch.randn(3, 6), torch.tensor([4, 1, 2]), torch.tensor([3])]),
    "lstm": lambda: (Lstm().eval(), [torch.randn(2, 7, 8)]),
    "in_place": lambda: (InPlace(), [torch.randn(3, 4)]),
    "indices": lambda: (Indices(), [torch.randn(4, 5, 6),
                                    torch.tensor([2, 0, 1])]),
    "numbers": lambda: (Numbers(), [torch.rand(4, 5)]),
    "training": lambda: (Training().train(), [torch.randn(2, 3, 6, 6)]),
}
MODELS.update(("F_" + name, wrapped(name)) for name in FUNCTIONS)
