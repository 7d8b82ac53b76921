#!/usr/bin/env python3
"""Compare fxdb's shape rules with torch: dtypes and shapes of many calls.

usage: shapes.py META_EVAL [SEED [ROUNDS]]

Every call below is made with random tensors and options, in torch and by
META_EVAL (meta_eval.c).  Where torch raises, fxdb must refuse; where torch
gives a result, fxdb must say the same shape and dtype, or, for the calls
marked so, that it cannot know.

Long because each family of calls is a row.
"""
import builtins
import json
import math
import operator
import random
import subprocess
import sys
import warnings

import torch
import torch.nn.functional as F

from export_fxg import SHORT_OF

warnings.simplefilter("ignore")
torch.set_grad_enabled(False)

FLOATS = [torch.float32, torch.float64]
INTS = [torch.int64, torch.int32, torch.uint8, torch.int8, torch.int16]
ANY = FLOATS * 3 + INTS + [torch.bool]

rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
R = rng.randint
pick = rng.choice


def chance(p=0.5):
    return rng.random() < p


def tensor(sizes, dtype=torch.float32, high=None):
    sizes = list(sizes)
    if high is not None:
        return torch.randint(0, max(high, 1), sizes).to(dtype)
    if dtype == torch.bool:
        return torch.rand(sizes) > 0.5
    if dtype.is_floating_point or dtype.is_complex:
        return torch.rand(sizes).to(dtype)
    return torch.randint(0, 5, sizes).to(dtype)


def shape(least=0, most=4, high=4):
    return [R(1, high) if chance(0.95) else 0 for _ in range(R(least, most))]


def some(least=0, most=4, dtypes=None, high=4):
    return tensor(shape(least, most, high), pick(dtypes or ANY))


def broadcastable(sizes):
    sizes = list(sizes)[R(0, len(sizes)):] if chance(0.4) else list(sizes)
    return [1 if chance(0.25) else (s if chance(0.95) else s + 1)
            for s in sizes]


def other_for(x, dtypes=None):
    return tensor(broadcastable(x.shape), pick(dtypes or ANY))


def number():
    return pick([1, 2, -1, 3, 0.5, -2.0, True])


def operand_pair(dtypes=None):
    x = some(dtypes=dtypes)
    y = number() if chance(0.3) else other_for(x, dtypes)
    if chance(0.2) and torch.is_tensor(y):
        y = tensor([], y.dtype)
    return (y, x) if chance(0.15) else (x, y)


def dim_of(x):
    n = max(x.dim(), 1)
    return R(-n, n - 1) if chance(0.93) else pick([n, -n - 1, n + 2])


def dims_of(x):
    n = x.dim()
    dims = rng.sample(range(n), R(0, n)) if n else []
    dims = [d - n if chance(0.3) else d for d in dims]
    if dims and chance(0.05):
        dims.append(dims[0])
    return pick([tuple, list])(dims)


def window(n, least=1, most=3):
    if chance(0.4):
        return R(least, most)
    if chance(0.03):
        return tuple(R(least, most) for _ in range(n + 1))
    return tuple(R(least, most) for _ in range(n))


# ------------------------------------------------------------------ cases

CASES = []


def case(*targets, weight=1, unknown=False):
    """The decorated function gives (args, kwargs) for each of TARGETS; a
    target is a dotted name, or .name for a method."""
    def add(make):
        CASES.append((targets, make, weight, unknown))
        return make
    return add


@case("operator.add", "operator.mul", "operator.truediv", "operator.floordiv",
      "operator.mod", "torch.add", "torch.mul", "torch.div", ".add", ".mul",
      ".div", "torch.true_divide", "torch.floor_divide", "torch.remainder",
      "operator.sub", "torch.sub", ".sub", "torch.fmod", ".remainder",
      weight=3)
def _():
    a, b = operand_pair()
    if not torch.is_tensor(a):
        a, b = b, a
    return (a, b), {}


@case("operator.add", "operator.mul", "operator.sub", "operator.truediv",
      "operator.eq", "operator.lt", "operator.pow")
def _():
    x = some(dtypes=FLOATS + INTS[:2])
    return (number(), x), {}


@case("torch.div", ".div")
def _():
    a, b = operand_pair(FLOATS + INTS)
    if not torch.is_tensor(a):
        a, b = b, a
    return (a, b), {"rounding_mode": pick(["floor", "trunc", None, "up"])}


@case("torch.pow", ".pow", "operator.pow", "torch.float_power", weight=2)
def _():
    x = some()
    y = pick([2, 0.5, 3, -1, 1.0]) if chance(0.5) else other_for(x)
    return (x, y), {}


@case("torch.maximum", "torch.minimum", "torch.atan2", "torch.fmax",
      "torch.xlogy")
def _():
    x = some()
    return (x, other_for(x)), {}


@case("torch.logical_and", "torch.logical_or", "torch.logical_xor",
      "operator.eq", "operator.ne", "operator.lt", "operator.le",
      "operator.gt", "operator.ge", "torch.eq", "torch.gt", ".lt", ".ne",
      ".ge", weight=2)
def _():
    x = some()
    return (x, other_for(x)), {}


@case("operator.and_", "operator.or_", "operator.xor", "torch.bitwise_and",
      "torch.bitwise_or", "torch.bitwise_xor")
def _():
    x = some(dtypes=INTS + [torch.bool, torch.float32])
    return (x, other_for(x, INTS + [torch.bool])), {}


@case("torch.logical_not", "torch.isnan", "torch.isinf", "torch.isfinite",
      ".isnan", "torch.signbit", "operator.invert", "torch.bitwise_not",
      "operator.neg", "torch.neg", "torch.abs", "operator.abs", ".abs",
      "torch.sign", "torch.floor", "torch.ceil", "torch.round", "torch.trunc",
      "torch.square", "torch.sqrt", "torch.rsqrt", "torch.exp", "torch.log",
      "torch.sin", "torch.cos", "torch.tanh", "torch.sigmoid", ".sigmoid",
      ".tanh", ".exp", "torch.erf", "torch.reciprocal", "torch.log2",
      "torch.log1p", "torch.expm1", "torch.atan", "torch.asinh", ".sqrt",
      "torch.clone", ".contiguous", ".detach", "torch.nan_to_num",
      "torch.relu", ".relu", "operator.pos", "torch.ravel", ".flatten",
      ".t", "torch.t", "torch.zeros_like", "torch.ones_like",
      "torch.rand_like", "torch.numel", ".dim", ".numel", ".size", ".double",
      ".float", ".half", ".long", ".int", ".bool", ".byte", ".short",
      ".chalf", ".cfloat", ".cdouble",
      "torch.is_floating_point", ".is_floating_point", "torch.is_complex",
      "torch.erfc", "torch.lgamma", "torch.logit", "torch.conj")
def _():
    return (some(0, 3),), {}


@case("torch.nn.functional.relu", "torch.nn.functional.relu6",
      "torch.nn.functional.silu", "torch.nn.functional.hardswish",
      "torch.nn.functional.hardsigmoid", "torch.nn.functional.mish",
      "torch.nn.functional.elu", "torch.nn.functional.leaky_relu",
      "torch.nn.functional.selu", "torch.nn.functional.celu",
      "torch.nn.functional.softplus", "torch.nn.functional.gelu",
      "torch.nn.functional.logsigmoid", "torch.nn.functional.softsign",
      "torch.nn.functional.tanhshrink", "torch.nn.functional.hardtanh",
      "torch.nn.functional.softshrink", "torch.hardshrink")
def _():
    return (some(1, 4, FLOATS * 3 + [torch.int64, torch.bool]),), {}


@case("torch.nn.functional.glu")
def _():
    x = some(0, 4, FLOATS)
    return (x,), {"dim": dim_of(x)}


@case("torch.prelu", "torch.nn.functional.prelu")
def _():
    x = some(1, 4, FLOATS)
    n = 1 if chance(0.3) else (x.shape[1] if x.dim() > 1 else 1)
    return (x, tensor([n + (R(1, 2) if chance(0.1) else 0)],
                      x.dtype if chance(0.95) else torch.float64)), {}


@case("torch.softmax", ".softmax", "torch.log_softmax",
      "torch.nn.functional.softmax", "torch.nn.functional.log_softmax",
      "torch.nn.functional.softmin")
def _():
    x = some(0, 4, FLOATS * 3 + [torch.int64])
    kwargs = {"dim": dim_of(x)}
    if chance(0.2):
        kwargs["dtype"] = pick(FLOATS)
    return (x,), kwargs


@case("torch.nn.functional.dropout", "torch.nn.functional.alpha_dropout")
def _():
    x = some(0, 4, FLOATS)
    return (x,), {"p": pick([0.1, 0.5, 0.0, 1.0, 1.5]), "training": chance()}


@case("torch.where", weight=2)
def _():
    x = some(dtypes=FLOATS)
    y = other_for(x, [x.dtype])
    c = tensor(broadcastable(torch.broadcast_shapes(x.shape))[-4:],
               torch.bool)
    return (c, x, y), {}


@case(".masked_fill", "torch.masked_fill")
def _():
    x = some(dtypes=FLOATS + INTS[:1])
    m = tensor(broadcastable(x.shape), torch.bool if chance(0.9) or
               not x.numel() else torch.float32)
    return (x, m, pick([0, 2])), {}


@case("torch.clamp", ".clamp", "torch.clip")
def _():
    x = some(dtypes=FLOATS + INTS[:2])
    kwargs = {}
    if chance(0.8):
        kwargs["min"] = pick([0, 0.5, 1])
    if chance(0.8):
        kwargs["max"] = pick([1, 2.5, 3])
    if not kwargs:
        kwargs["min"] = 0
    return (x,), kwargs


@case(".clamp_min", ".clamp_max")
def _():
    return (some(dtypes=FLOATS + INTS[:2]), pick([0, 0.5])), {}


@case("torch.lerp")
def _():
    x = some(dtypes=FLOATS)
    return (x, other_for(x, FLOATS), 0.3), {}


@case("torch.addcmul", "torch.addcdiv")
def _():
    x = some(dtypes=FLOATS)
    return (x, other_for(x, FLOATS), other_for(x, FLOATS)), {}


# In place.

@case(".add_", ".mul_", ".sub_", ".div_", "operator.iadd", "operator.imul",
      "operator.itruediv", weight=2)
def _():
    x = some(dtypes=FLOATS * 2 + INTS)
    y = number() if chance(0.3) else other_for(x)
    return (x, y), {}


@case(".relu_", ".sigmoid_", ".zero_", ".neg_", ".exp_", ".clamp_")
def _():
    x = some(dtypes=FLOATS)
    return (x,), {}


@case(".copy_")
def _():
    x = some()
    return (x, other_for(x)), {}


@case(".fill_")
def _():
    return (some(dtypes=FLOATS), 2), {}


# Reductions.

@case("torch.sum", ".sum", "torch.mean", ".mean", "torch.amax", ".amax",
      "torch.amin", "torch.nansum", weight=3)
def _():
    x = some()
    kwargs = {}
    if chance(0.8):
        kwargs["dim"] = dim_of(x) if chance() else dims_of(x)
        if chance(0.4):
            kwargs["keepdim"] = chance()
    return (x,), kwargs


@case("torch.logsumexp")
def _():
    x = some()
    return (x, dim_of(x)), {"keepdim": chance()}


@case("torch.sum", "torch.mean", "torch.prod", "torch.cumsum",
      "torch.cumprod", ".cumsum")
def _():
    x = some()
    kwargs = {"dim": dim_of(x)}
    if chance(0.3):
        kwargs["dtype"] = pick(FLOATS + [torch.int64])
    return (x,), kwargs


@case("torch.any", "torch.all", ".any", ".all", "torch.argmax",
      "torch.argmin", ".argmax", "torch.max", ".max", "torch.min", ".min",
      "torch.median", "torch.prod", ".sum", weight=2)
def _():
    x = some()
    kwargs = {}
    if chance(0.7):
        kwargs["dim"] = dim_of(x)
        if chance(0.5):
            kwargs["keepdim"] = chance()
    return (x,), kwargs


@case("torch.max", "torch.min", ".max")
def _():
    x = some()
    return (x, other_for(x)), {}


@case("torch.var", "torch.std", ".var", "torch.var_mean", "torch.std_mean",
      ".std")
def _():
    x = some(dtypes=FLOATS * 4 + [torch.int64])
    kwargs = {}
    if chance(0.7):
        kwargs["dim"] = dim_of(x) if chance() else dims_of(x)
        kwargs["keepdim"] = chance()
        kwargs["unbiased"] = chance()
    return (x,), kwargs


@case("torch.functional.norm", ".norm")
def _():
    x = some(dtypes=FLOATS * 4 + [torch.int64])
    if chance(0.3):
        return (x,), {}
    return (x,), {"p": pick([1, 2, 2.0]), "dim": dim_of(x),
                  "keepdim": chance()}


@case("torch.linalg.vector_norm")
def _():
    x = some(dtypes=FLOATS)
    return (x,), {"dim": dim_of(x), "keepdim": chance()}


@case("torch.topk", ".topk")
def _():
    x = some(dtypes=FLOATS)
    return (x, R(0, 5)), {"dim": dim_of(x)}


@case("torch.sort", ".sort", "torch.argsort", ".argsort")
def _():
    x = some()
    return (x,), {"dim": dim_of(x)}


@case("torch.cummax", ".cummin")
def _():
    x = some(1, 4)
    return (x,), {"dim": R(-x.dim(), x.dim() - 1)}


@case("torch.nn.functional.normalize")
def _():
    x = some(1, 4, FLOATS)
    return (x,), {"dim": dim_of(x)}


# Matrices.

def matrix(rows, columns, batch=(), dtype=torch.float32):
    return tensor(list(batch) + [rows, columns], dtype)


@case("torch.matmul", ".matmul", "operator.matmul", weight=4)
def _():
    k = R(1, 4)
    batch = shape(0, 2)
    a = [k] if chance(0.2) else batch + [R(1, 4), k]
    if chance(0.15):
        k += 1
    b = [k] if chance(0.2) else broadcastable(batch) + [k, R(1, 4)]
    dtype = pick(FLOATS)
    return (tensor(a, dtype),
            tensor(b, dtype if chance(0.95) else torch.float64)), {}


@case("torch.mm", ".mm", "torch.bmm", ".bmm", "torch.mv", "torch.dot",
      "torch.inner")
def _():
    n, k, m = R(1, 3), R(1, 3), R(1, 3)
    rank = pick([1, 2, 3])
    batch = [2] if rank == 3 else []
    wrong = chance(0.15)
    a = [k] if rank == 1 else batch + [n, k]
    b = [k + wrong] if chance(0.4) or rank == 1 else batch + [k + wrong, m]
    return (tensor(a), tensor(b)), {}


@case("torch.outer")
def _():
    return (some(1, 1, FLOATS), some(1, 1, FLOATS)), {}


@case("torch.kron", weight=2)
def _():
    return (some(0, 3), some(0, 3)), {}


@case("torch.combinations", weight=3)
def _():
    x = tensor(shape(1, 1) if chance(0.9) else shape(0, 2))
    return (x,), {"r": R(-1, 4) if chance(0.1) else R(0, 4),
                  "with_replacement": chance()}


@case("torch.functional.cartesian_prod")
def _():
    dtype = pick(FLOATS)
    return tuple(tensor(shape(1, 1) if chance(0.95) else shape(0, 2), dtype)
                 for _ in range(R(1, 3))), {}


@case("torch.functional.block_diag")
def _():
    return tuple(some(0, 2 if chance(0.95) else 3)
                 for _ in range(R(1, 3))), {}


@case("torch.vander")
def _():
    x = some(1, 1 if chance(0.95) else 2)
    return (x, R(-1 if chance(0.1) else 0, 5)) if chance() else (x,), {}


@case("torch.tril_indices", "torch.triu_indices", weight=4)
def _():
    rows = -1 if chance(0.05) else R(0, 6)
    return (rows, R(0, 6), R(-8, 8)), \
        {"dtype": pick([torch.int32, torch.int64])} if chance() else {}


@case("torch.diagflat")
def _():
    return (some(0, 3), R(-2, 2)), {}


@case("torch.diag_embed", weight=2)
def _():
    x = some(0 if chance(0.1) else 1, 3)
    n = x.dim()
    return (x, R(-2, 2)), {} if chance() else {
        "dim1": R(-n - 1, n), "dim2": R(-n - 1, n + chance(0.1))}


@case("torch.pdist")
def _():
    return (some(2, 2 if chance(0.9) else 3, FLOATS),), {}


@case("torch.addmm", "torch.baddbmm")
def _():
    n, k, m = R(1, 3), R(1, 3), R(1, 3)
    batch = [2] if chance() else []
    c = broadcastable(batch + [n, m])
    return (tensor(c), tensor(batch + [n, k]),
            tensor(batch + [k + chance(0.1), m])), {}


@case("torch._C._nn.linear", "torch.nn.functional.linear", weight=2)
def _():
    k, m = R(1, 4), R(1, 4)
    x = tensor(shape(0, 3) + [k + chance(0.1)])
    w = tensor([m, k] if chance(0.9) else [k])
    b = None
    if chance(0.6):
        b = tensor([m + (2 if chance(0.1) else 0)])
    return (x, w, b), {}


@case("torch.nn.functional.bilinear", "torch.bilinear")
def _():
    a, b, m = R(1, 4), R(1, 4), R(1, 4)
    batch = shape(0, 2)
    return (tensor(batch + [a]), tensor(batch + [b + chance(0.1)]),
            tensor([m, a, b])), {}


@case("torch.functional.einsum", "torch.einsum", weight=3)
def _():
    letters = "abcd"
    sizes = {c: R(1, 3) for c in letters}
    terms = ["".join(rng.sample(letters, R(1, 3))) for _ in range(R(1, 3))]
    dots = chance(0.3)
    batch = shape(0, 2)
    operands = [tensor((batch if dots else []) +
                       [sizes[c] + (1 if chance(0.02) else 0) for c in t])
                for t in terms]
    used = sorted(set("".join(terms)))
    equation = ",".join(("..." if dots else "") + t for t in terms)
    if chance(0.8):
        equation += "->" + ("..." if dots else "") + "".join(
            rng.sample(used, R(0, len(used))))
    return (equation, *operands), {}


@case("torch.functional.tensordot")
def _():
    x = some(2, 4, [torch.float32])
    n = R(0, 2)
    y = tensor(list(x.shape[x.dim() - n:]) + shape(0, 2))
    return (x, y), {"dims": n}


@case("torch.functional.cdist")
def _():
    batch = shape(0, 1)
    k = R(1, 3)
    return (tensor(batch + [R(1, 4), k]),
            tensor(broadcastable(batch) + [R(1, 4), k + chance(0.1)])), {}


# Recurrent layers on packed sequences: what comes before the state is another.

def packed_case(gates, states):
    lengths = sorted((R(1, 4) for _ in range(R(1, 3))), reverse=True)
    packed = torch.nn.utils.rnn.pack_sequence(
        [tensor([n, 4]) for n in lengths])
    hidden = R(1, 3)
    state = tensor([1, len(lengths), hidden])
    weights = [tensor([gates * hidden, 4]), tensor([gates * hidden, hidden])]
    return (packed.data, packed.batch_sizes,
            state if states == 1 else [state] * states, weights, False, 1, 0.0,
            False, False), {}


@case("torch.gru", unknown=True)
def _():
    return packed_case(3, 1)


@case("torch.rnn_tanh", unknown=True)
def _():
    return packed_case(1, 1)


@case("torch.lstm", unknown=True)
def _():
    return packed_case(4, 2)


# Convolutions and pooling.

def conv_case(n, transposed):
    groups = pick([1, 1, 1, 2])
    c_in = R(1, 2) * groups
    c_out = R(1, 2) * groups
    kernel = [R(1, 3) for _ in range(n)]
    spatial = [R(2, 8) for _ in range(n)]
    x = tensor(([R(1, 2)] if chance(0.85) else []) +
               [c_in + (1 if chance(0.05) else 0)] + spatial)
    w = [c_in, c_out // groups] if transposed else [c_out, c_in // groups]
    weight = tensor(w + kernel)
    bias = None if chance(0.4) else tensor([c_out + chance(0.05)])
    return x, weight, bias, groups


for _n in (1, 2, 3):
    @case("torch.conv%dd" % _n, "torch.nn.functional.conv%dd" % _n, weight=4)
    def _(n=_n):
        x, w, b, groups = conv_case(n, False)
        kwargs = {"stride": window(n), "dilation": window(n, 1, 2),
                  "padding": window(n, 0, 2), "groups": groups}
        if chance(0.15):
            kwargs["padding"] = pick(["same", "valid", "full"])
            if chance(0.7):
                kwargs["stride"] = 1
        return (x, w, b), kwargs

    @case("torch.conv_transpose%dd" % _n, weight=3)
    def _(n=_n):
        x, w, b, groups = conv_case(n, True)
        return (x, w, b), {
            "stride": window(n), "dilation": window(n, 1, 2),
            "padding": window(n, 0, 1), "groups": groups,
            "output_padding": window(n, 0, 1) if chance(0.3) else 0}

    @case("torch.nn.functional.max_pool%dd" % _n, weight=4)
    def _(n=_n):
        x = tensor(([2] if chance(0.8) else []) + [2] +
                   [R(1, 9) for _ in range(n)])
        kwargs = {"padding": window(n, 0, 1), "ceil_mode": chance(),
                  "dilation": window(n, 1, 2)}
        if chance(0.7):
            kwargs["stride"] = window(n)
        if chance(0.2):
            kwargs["return_indices"] = True
        return (x, window(n)), kwargs

    @case(("torch.avg_pool1d" if _n == 1 else "torch._C._nn.avg_pool%dd" % _n),
          "torch.nn.functional.avg_pool%dd" % _n, weight=4)
    def _(n=_n):
        x = tensor(([2] if chance(0.8) else []) + [2] +
                   [R(1, 9) for _ in range(n)])
        kwargs = {"padding": window(n, 0, 1), "ceil_mode": chance()}
        if chance(0.7):
            kwargs["stride"] = window(n)
        return (x, window(n)), kwargs

    @case("torch.nn.functional.adaptive_avg_pool%dd" % _n,
          "torch.nn.functional.adaptive_max_pool%dd" % _n, weight=2)
    def _(n=_n):
        x = tensor(([2] if chance(0.8) else []) + [2] +
                   [R(1, 9) for _ in range(n)])
        size = window(n, 1, 4)
        if n > 1 and isinstance(size, tuple) and chance(0.3):
            size = (None,) + size[1:]
        return (x, size), {}


@case("torch.nn.functional.lp_pool2d")
def _():
    x = tensor([2, 2, R(2, 8), R(2, 8)])
    return (x, 2.0, window(2)), {"stride": window(2), "ceil_mode": chance()}


@case("torch.nn.functional.interpolate", weight=4)
def _():
    n = R(1, 3)
    x = tensor([2, 2] + [R(1, 6) for _ in range(n)])
    mode = pick(["nearest", "nearest", {1: "linear", 2: "bilinear",
                                        3: "trilinear"}[n], "bilinear"])
    kwargs = {"mode": mode}
    if chance(0.5):
        kwargs["size"] = R(1, 9) if chance() else tuple(
            R(1, 9) for _ in range(n + (chance(0.05))))
    else:
        kwargs["scale_factor"] = pick([2, 2.0, 0.5, 1.5, 0.3]) \
            if chance() else tuple(pick([2.0, 0.5, 1.3]) for _ in range(n))
    return (x,), kwargs


@case("torch.nn.functional.grid_sample")
def _():
    return (tensor([2, 3, 4, 5]), tensor([2 + chance(0.1), R(1, 4), R(1, 4),
                                          2])), {"align_corners": False}


@case("torch.nn.functional.affine_grid")
def _():
    return (tensor([2, 2, 3]), [2, 3, R(1, 5), R(1, 5)]), \
        {"align_corners": False}


@case("torch.pixel_shuffle", "torch.pixel_unshuffle")
def _():
    return (tensor([2] * R(0, 1) + [R(1, 2) * 4, R(1, 3) * 2, R(1, 3) * 2]),
            pick([1, 2, 2, 3])), {}


@case("torch.channel_shuffle")
def _():
    return (tensor([2, pick([2, 4, 6, 3]), 3, 3]), 2), {}


@case("torch.nn.functional.pad", weight=4)
def _():
    x = some(1, 5, FLOATS, high=5)
    mode = pick(["constant"] * 2 + ["reflect", "replicate", "circular"])
    pairs = R(1, 3) if mode != "constant" else R(0, x.dim())
    # Newer versions allow nothing to be left, 1.13 does not.
    x = tensor([n + 2 for n in x.shape], x.dtype)
    pad = [R(-1 if mode == "constant" and chance(0.3) else 0, 2)
           for _ in range(2 * pairs + chance(0.03))]
    return (x, pad), {"mode": mode}


@case("torch.nn.functional.unfold")
def _():
    return (tensor(([2] if chance(0.8) else []) + [3, R(2, 6), R(2, 6)]),
            window(2)), {"padding": window(2, 0, 1), "stride": window(2),
                         "dilation": window(2, 1, 2)}


@case("torch.nn.functional.fold")
def _():
    k = pick([1, 2])
    h, w = R(2, 4), R(2, 4)
    count = (h - k + 1) * (w - k + 1) + chance(0.1)
    return (tensor([2, 3 * k * k, count]), (h, w), k), {}


@case("torch._C._nn.max_unpool2d", "torch.ops.aten.max_unpool2d.default")
def _():
    x = tensor([R(1, 3) for _ in range(pick([2, 3, 4, 4, 5]))])
    return (x, tensor(x.shape, torch.int64, 4), tuple(
        R(4, 6) for _ in range(2 if chance(.9) else 3))), {}


# Complex numbers, statistics, spectra.

COMPLEX = [torch.complex64, torch.complex128]


@case("torch.complex", "torch.polar", "torch.ops.aten.complex.default")
def _():
    x = some(dtypes=FLOATS * 2 + [torch.int64])
    return (x, tensor(broadcastable(x.shape), x.dtype if chance(.8) else
                      pick(FLOATS))), {}


@case("torch.view_as_complex", "torch.ops.aten.view_as_complex.default")
def _():
    return (tensor(shape(0, 2) + [pick([2, 2, 2, 3])],
                   pick(FLOATS + [torch.float16, torch.int64])),), {}


@case("torch.view_as_real", "torch.ops.aten.view_as_real.default")
def _():
    return (some(dtypes=COMPLEX * 4 + FLOATS),), {}


@case("torch.cov", ".corrcoef", ".cov", "torch.corrcoef",
      "torch.ops.aten.cov.default")
def _():
    return (some(most=3, dtypes=FLOATS * 2 + INTS + [torch.bool]),), {}


@case("torch.diff", ".diff", "torch.ops.aten.diff.default", weight=2)
def _():
    x = some(1 if chance(.95) else 0)
    dim = dim_of(x)
    more = {"n": R(0, 3), "dim": dim}
    for name in ("prepend", "append"):
        if chance(.3) and -x.dim() <= dim < x.dim():
            sizes = list(x.shape)
            sizes[dim] = R(0, 3)
            more[name] = tensor(sizes, x.dtype)
    return (x,), more


@case("torch.trapezoid", "torch.trapz", "torch.cumulative_trapezoid", weight=2)
def _():
    y = some(1)
    dim = dim_of(y)
    sizes = list(y.shape)
    x = {}
    if chance() and -y.dim() <= dim < y.dim():
        x = {"x": tensor(pick([sizes, [sizes[dim]], sizes[:1]]), pick(ANY[:9]))}
    elif chance():
        x = {"dx": pick([1, -2, 0.5])}
    return (y,), dict(x, dim=dim)


@case("torch.quantile", ".quantile", "torch.nanquantile", ".nanquantile",
      weight=2)
def _():
    x = some(dtypes=FLOATS * 4 + INTS)
    q = pick([0.5, torch.rand(R(1, 3)).to(x.dtype), tensor([], x.dtype)])
    more = {"keepdim": chance()}
    if chance(.7):
        more["dim"] = dim_of(x)
    return (x, q), more


@case("torch.renorm", ".renorm", "torch.ops.aten.renorm.default")
def _():
    x = some(2 if chance(.9) else 0, dtypes=FLOATS * 3 + COMPLEX + INTS)
    return (x, pick([1, 2, 3.0]), dim_of(x), 2.5), {}


def spectrum(least):
    sizes = [R(1, 4) for _ in range(R(least, 4))]
    return tensor(sizes if chance(.95) else [0] * least,
                  pick(FLOATS * 3 + COMPLEX + INTS + [torch.bool]))


@case("torch.fft.fft", "torch.fft.ifft", "torch.fft.rfft", "torch.fft.irfft",
      "torch.fft.hfft", "torch.fft.ihfft", "torch._C._fft.fft_rfft",
      "torch.ops.aten.fft_irfft.default")
def _():
    x = spectrum(1)
    return (x, pick([None, R(0, 6)]), dim_of(x)), {}


@case("torch.fft.fft2", "torch.fft.rfft2", "torch.fft.irfft2",
      "torch.fft.ihfft2", "torch.ops.aten.fft_rfft2.default")
def _():
    return (spectrum(1 if chance(.1) else 2),
            pick([None, None, (R(1, 6), R(1, 6))])), {}


@case("torch.fft.fftn", "torch.fft.ifftn", "torch.fft.rfftn",
      "torch.fft.irfftn", "torch.fft.hfftn", "torch.fft.ihfftn",
      "torch.ops.aten.fft_irfftn.default", weight=2)
def _():
    x = spectrum(1)
    dims = dims_of(x) or None
    s = pick([None, [R(1, 5) for _ in dims or x.shape[:2]]])
    return (x, s), {"dim": dims}


@case("torch.fft.fftshift", "torch.fft.ifftshift")
def _():
    return (spectrum(1),), {}


@case("torch.stft", ".stft", weight=4)
def _():
    n = R(2, 9)
    x = tensor(pick([[], [2]]) + [R(8, 40)], pick(FLOATS * 2 + COMPLEX))
    more = {"hop_length": pick([None, R(1, 6)]), "center": chance(),
            "return_complex": x.is_complex() or chance(.8)}
    if chance(.3):
        more["window"] = torch.ones(n, dtype=x.dtype)
    if chance(.3):
        more["onesided"] = chance()
    return (x, n), more


@case("torch.istft", ".istft", "torch.ops.aten.istft.default", weight=2)
def _():
    n, whole = R(4, 9), chance(.3)
    x = tensor(pick([[], [2]]) + [n if whole else n // 2 + 1, R(2, 7)],
               pick(COMPLEX))
    return (x, n), {"center": chance(.8), "length": pick([None, R(4, 20)]),
                    "onesided": not whole,
                    "return_complex": whole and chance()}


# Normalisation and embedding.

@case("torch.nn.functional.batch_norm", weight=2)
def _():
    x = tensor([R(1, 4) for _ in range(R(2, 4))], pick(FLOATS))
    c = x.shape[1]
    c += 1 if chance(0.1) else 0
    args = [x] + [tensor([c], x.dtype) if chance(0.9) else None
                  for _ in range(2)]
    affine = tensor([c], x.dtype) if chance(0.6) else None
    return tuple(args + [affine, affine]), {"training": chance()}


@case("torch.nn.functional.instance_norm")
def _():
    x = tensor([R(1, 4) for _ in range(R(3, 4))], pick(FLOATS))
    c = x.shape[1]
    w = tensor([c], x.dtype) if chance() else None
    return (x,), {"weight": w, "bias": w}


@case("torch.nn.functional.layer_norm", "torch.layer_norm", weight=2)
def _():
    x = some(1, 4, FLOATS)
    n = R(1, x.dim())
    size = list(x.shape[x.dim() - n:])
    if chance(0.1):
        size[0] += 1
    w = tensor(size, x.dtype) if chance() else None
    return (x, size, w, w), {}


@case("torch.native_layer_norm")
def _():
    x = some(1, 4, FLOATS)
    n = R(1, x.dim())
    return (x, list(x.shape[x.dim() - n:]), None, None, 1e-5), {}


@case("torch.nn.functional.group_norm", "torch.group_norm")
def _():
    groups = pick([1, 2, 3])
    x = tensor([2, groups * R(1, 3) + chance(0.1)] + shape(0, 2))
    w = tensor([x.shape[1]]) if chance() else None
    return (x, groups, w, w), {}


@case("torch.nn.functional.local_response_norm")
def _():
    return (some(3, 4, FLOATS), 2), {}


@case("torch.nn.functional.embedding", weight=2)
def _():
    i = tensor(shape(0, 3), pick([torch.int64, torch.int32, torch.int64,
                                  torch.float32]), high=5)
    return (i, tensor([5, R(1, 4)])), {}


@case("torch.embedding", "torch.ops.aten.embedding.default")
def _():
    return (tensor([5, R(1, 4)]), tensor(shape(0, 3), torch.int64, 5)), {}


@case("torch.nn.functional.embedding_bag")
def _():
    w = tensor([5, 3])
    if chance():
        return (tensor([R(1, 3), R(1, 4)], torch.int64, 5), w), {}
    return (tensor([6], torch.int64, 5), w, torch.tensor([0, 2, 4])), \
        {"include_last_offset": False, "mode": pick(["sum", "mean"])}


@case("torch.nn.functional.one_hot")
def _():
    return (tensor(shape(0, 3), torch.int64, 4), 4 + R(0, 3)), {}


@case("torch.nn.functional.cosine_similarity",
      "torch.nn.functional.pairwise_distance")
def _():
    x = some(1, 3, FLOATS)
    return (x, other_for(x, [x.dtype])), {}


# Shapes.

def split_numel(n):
    sizes = []
    while n > 1 and len(sizes) < 4:
        f = pick([k for k in range(1, n + 1) if n % k == 0])
        sizes.append(f)
        n //= f
    sizes.append(n)
    rng.shuffle(sizes)
    if sizes and chance(0.4):
        sizes[R(0, len(sizes) - 1)] = -1
    if chance(0.1):
        sizes.append(R(0, 2))
    return sizes


@case(".view", ".reshape", "torch.reshape", weight=3)
def _():
    x = some()
    sizes = split_numel(x.numel())
    if chance():
        return (x, sizes), {}
    return (x, *sizes) if len(sizes) > 1 else (x, tuple(sizes)), {}


@case(".view_as", ".reshape_as", ".expand_as")
def _():
    x = some()
    return (x, tensor(x.shape if chance(0.6) else shape())), {}


@case("torch.flatten", ".flatten")
def _():
    x = some()
    return (x, dim_of(x), dim_of(x)) if chance(0.7) else (x, dim_of(x)), {}


@case(".unflatten")
def _():
    x = some(1, 3, high=6)
    d = R(0, x.dim() - 1)
    return (x, d, split_numel(x.shape[d])), {}


@case("torch.permute", ".permute", weight=2)
def _():
    x = some()
    p = rng.sample(range(x.dim()), x.dim())
    p = [d - x.dim() if chance(0.3) else d for d in p]
    if chance(0.1):
        p = p[1:]
    return (x, p), {}


@case("torch.transpose", ".transpose", "torch.swapaxes", ".swapdims")
def _():
    x = some()
    return (x, dim_of(x), dim_of(x)), {}


@case("torch.movedim", ".movedim")
def _():
    x = some(1, 4)
    if chance():
        return (x, dim_of(x), dim_of(x)), {}
    n = R(1, x.dim())
    return (x, rng.sample(range(x.dim()), n), rng.sample(range(x.dim()), n)), {}


@case("torch.squeeze", ".squeeze")
def _():
    x = tensor([pick([1, 1, 2, 3]) for _ in range(R(0, 4))])
    return ((x,) if chance(0.3) else (x, dim_of(x))), {}


@case("torch.unsqueeze", ".unsqueeze")
def _():
    x = some()
    return (x, R(-x.dim() - 2, x.dim() + 1)), {}


@case(".expand", "torch.broadcast_to", ".broadcast_to")
def _():
    x = tensor([pick([1, 1, 2, 3]) for _ in range(R(0, 3))])
    sizes = shape(0, 2) + [pick([-1, s]) if s != 1 else pick([-1, 1, 4])
                           for s in x.shape]
    if chance(0.1) and sizes:
        sizes[0] = -1
    if chance(0.05) and sizes:
        sizes[-1] = 7
    return (x, sizes), {}


@case(".repeat", "torch.tile")
def _():
    x = some(0, 3)
    return (x, [R(0, 2) for _ in range(R(0, 4))]), {}


@case("torch.repeat_interleave", ".repeat_interleave")
def _():
    x = some(0, 3)
    return (x, R(0, 3)), ({"dim": dim_of(x)} if chance(0.7) else {})


@case("torch.flip", ".flip")
def _():
    x = some()
    return (x, list(dims_of(x))), {}


@case("torch.roll", ".roll")
def _():
    x = some(1, 4)
    dims = list(dims_of(x))
    if chance(0.3):
        return (x, R(-2, 2)), {}
    return (x, [R(-2, 2) for _ in dims] + ([1] if chance(0.05) else []),
            dims), {}


@case("torch.tril", "torch.triu", ".triu")
def _():
    return (tensor([R(1, 4) for _ in range(R(1, 4))]), R(-2, 2)), {}


def similar(count, dim, sizes, dtype):
    tensors = []
    for _ in range(count):
        s = list(sizes)
        if s:
            s[dim % len(s)] = R(1, 4)
            if chance(0.04):
                s[R(0, len(s) - 1)] += 1
        tensors.append(tensor(s, dtype if chance(0.8) else pick(ANY)))
    return tensors


@case("torch.cat", "torch.concat", weight=3)
def _():
    x = some(0, 4)
    d = dim_of(x)
    tensors = similar(R(1, 4), d, x.shape, x.dtype)
    if chance(0.08):
        tensors.insert(R(0, len(tensors)), tensor([0]))
    return (pick([list, tuple])(tensors), d), {}


@case("torch.stack", "torch.hstack", "torch.vstack", "torch.dstack")
def _():
    x = some(0, 3)
    return ([tensor(x.shape if chance(0.97) else shape(), x.dtype)
             for _ in range(R(1, 3))],), {}


@case("torch.stack")
def _():
    x = some(0, 3)
    return ([tensor(x.shape, x.dtype) for _ in range(R(1, 3))],
            R(-x.dim() - 1, x.dim() + 1)), {}


@case("torch.functional.split", ".split", weight=2)
def _():
    x = some(1, 4, high=7)
    d = R(-x.dim(), x.dim() - 1)
    n = x.shape[d]
    if chance():
        return (x, R(1, 4)), {"dim": d}
    a = R(0, n)
    return (x, [a, n - a + (1 if chance(0.1) else 0)]), {"dim": d}


@case("torch.chunk", ".chunk", "torch.tensor_split", ".tensor_split")
def _():
    x = some(1, 4, high=7)
    return (x, R(1, 5)), {"dim": R(-x.dim(), x.dim() - 1)}


@case("torch.tensor_split")
def _():
    x = some(1, 4, high=7)
    return (x, tuple(R(-3, 5) for _ in range(R(0, 3)))), {"dim": dim_of(x)}


@case("torch.unbind", ".unbind")
def _():
    x = some(0, 4)
    return (x, dim_of(x)), {}


@case("torch.functional.meshgrid")
def _():
    return tuple(some(0, 1, FLOATS[:1]) for _ in range(R(1, 3))), \
        {"indexing": pick(["ij", "xy"])}


@case("torch.functional.broadcast_tensors")
def _():
    x = some(0, 3)
    return (x, other_for(x)), {}


# Indexing.

def index_of(x):
    items = []
    used = 0
    while used < x.dim() and chance(0.75):
        n = x.shape[used]
        kind = R(0, 9)
        if kind <= 2:
            items.append(slice(pick([None, R(-5, 5)]), pick([None, R(-5, 5)]),
                               pick([None, None, 1, 2, 3])))
        elif kind <= 4:
            items.append(R(-n - chance(0.1), max(n - 1, 0) + chance(0.1)))
        elif kind == 5:
            items.append(None)
            continue
        elif kind == 6 and Ellipsis not in [i for i in items
                                            if i is Ellipsis]:
            items.append(Ellipsis)
            continue
        elif kind == 7 and n:
            items.append(tensor(pick([[2], [3], [2, 3], [1], []]),
                                torch.int64, n))
        elif kind == 8 and n:
            items.append(pick([[R(0, n - 1) for _ in range(2)],
                               [[R(0, n - 1)] for _ in range(2)],
                               (0, n - 1), []]))
        elif kind == 9 and chance(0.3):
            items.append(chance())
            continue
        else:
            items.append(slice(None, None, None))
        used += 1
    if chance(0.03):
        items += [0] * 4
    if len(items) == 1 and chance():
        return items[0]
    # A list that holds anything but numbers is read as a tuple.
    if items and all(isinstance(i, (slice, list)) for i in items) and chance():
        return items
    return tuple(items)


@case("operator.getitem", weight=14)
def _():
    x = some(0, 4, high=5)
    return (x, index_of(x)), {}


@case("operator.getitem", unknown=True)
def _():
    x = some(1, 3)
    n = R(1, x.dim())
    return (x, tensor(x.shape[:n], torch.bool)), {}


@case("torch.select", ".select")
def _():
    x = some(0, 4)
    return (x, dim_of(x), R(-3, 3)), {}


@case("torch.narrow", ".narrow")
def _():
    x = some(1, 4)
    return (x, dim_of(x), R(-2, 3), R(0, 3)), {}


@case("torch.index_select", ".index_select")
def _():
    x = some(1, 4)
    d = R(-x.dim(), x.dim() - 1)
    return (x, d, tensor([R(1, 4)], torch.int64, x.shape[d])), {}


@case("torch.gather", ".gather")
def _():
    x = some(1, 4)
    d = R(-x.dim(), x.dim() - 1)
    s = [R(1, n + (chance(0.1))) if n else 0 for n in x.shape]
    return (x, d, tensor(s, torch.int64, x.shape[d])), {}


@case("torch.take_along_dim")
def _():
    x = some(1, 3)
    d = R(-x.dim(), x.dim() - 1)
    s = [1 if chance(0.3) else n for n in x.shape]
    return (x, tensor(s, torch.int64, x.shape[d]), d), {}


@case("torch.take")
def _():
    return (tensor([5]), tensor(shape(0, 3), torch.int64, 5)), {}


@case(".unfold")
def _():
    x = some(1, 3, high=6)
    return (x, dim_of(x), R(1, 4), R(1, 3)), {}


@case("torch.diagonal", ".diagonal")
def _():
    x = some(1, 4)
    return (x, R(-2, 2), dim_of(x), dim_of(x)), {}


@case("torch.diag")
def _():
    return (some(1, 2), R(-2, 2)), {}


@case("operator.setitem")
def _():
    x = some(1, 3, FLOATS[:1])
    index = pick([0, slice(None), slice(1, None), (Ellipsis, 0)])
    value = 1.0 if chance(0.3) else other_for(x, FLOATS[:1])
    return (x, index, value), {}


# New tensors.

@case("torch.zeros", "torch.ones", "torch.empty", "torch.rand", "torch.randn")
def _():
    s = shape()
    kwargs = {"dtype": pick(FLOATS)} if chance(0.3) else {}
    return ((s,) if chance() or len(s) < 2 else tuple(s)), kwargs


@case("torch.full")
def _():
    kwargs = {"dtype": pick(FLOATS)} if chance(0.3) else {}
    return (shape(), pick([1, 0.5, True])), kwargs


@case("torch.arange", weight=2)
def _():
    args = pick([(R(0, 9),), (R(-3, 3), R(-3, 9)),
                 (R(-3, 3), R(-3, 9), pick([1, 2, -1, 3])),
                 (0, 1, 0.1), (2.5,), (R(0, 2), 5, 0.7)])
    kwargs = {"dtype": pick(FLOATS + [torch.int64])} if chance(0.2) else {}
    return args, kwargs


@case("torch.linspace")
def _():
    return (0, 1, R(0, 5)), {}


@case("torch.eye")
def _():
    return ((R(0, 3),) if chance() else (R(0, 3), R(0, 3))), {}


@case("torch.randint_like")
def _():
    x = some(0, 3)
    bounds = {0: (9,), 1: (2, 9)}.get(R(0, 2), ())
    return (x,) + bounds, {} if bounds else {"low": 2, "high": 9}


@case("torch.randint")
def _():
    return ((5, shape()) if chance() else (1, 5, shape())), {}


@case("torch.tensor")
def _():
    return (pick([[1, 2], 3, 2.5, [[1.0, 2], [3, 4]], True, [True, False],
                  [], [1, 2.5]]),), {}


@case("torch.full_like", ".new_full")
def _():
    return (some(), 2), {}


@case(".new_full")
def _():
    return (some(), shape(), 2), {}


@case(".new_zeros", ".new_ones", ".new_empty")
def _():
    return (some(), shape()), ({"dtype": pick(FLOATS)} if chance(0.3) else {})


@case(".to", ".type")
def _():
    return (some(), pick(ANY)), {}


@case(".to", ".type_as")
def _():
    return (some(), some()), {}


@case(".size")
def _():
    x = some()
    return (x, dim_of(x)), {}


@case("builtins.getattr")
def _():
    return (some(2, 2), pick(["shape", "ndim", "dtype", "T", "mT",
                              "data"])), {}


@case("torch.bernoulli")
def _():
    return (some(dtypes=FLOATS),), {}


@case("torch.multinomial")
def _():
    return (tensor([3, 4] if chance() else [4]), R(1, 4)), {}


# Losses.

@case("torch.nn.functional.mse_loss", "torch.nn.functional.l1_loss",
      "torch.nn.functional.smooth_l1_loss", "torch.nn.functional.huber_loss",
      "torch.nn.functional.kl_div")
def _():
    x = some(0, 3, FLOATS)
    return (x, tensor(x.shape if chance(0.8) else broadcastable(x.shape),
                      x.dtype)), \
        {"reduction": pick(["none", "mean", "sum", "other"])}


@case("torch.nn.functional.binary_cross_entropy_with_logits")
def _():
    x = some(1, 3, FLOATS)
    return (x, tensor(x.shape if chance(0.9) else shape(), x.dtype)), \
        {"reduction": pick(["none", "mean", "sum"])}


@case("torch.nn.functional.cross_entropy", "torch.nn.functional.nll_loss",
      weight=2)
def _():
    c = R(2, 4)
    rest = shape(0, 2, 3)
    batch = [R(1, 3)] if rest or chance(0.8) else []
    x = tensor(batch + [c] + rest)
    t = tensor(batch + rest + ([1] if chance(0.05) else []), torch.int64, c)
    return (x, t), {"reduction": pick(["none", "mean", "sum"])}


@case("torch.nn.functional.cross_entropy")
def _():
    x = some(1, 3, FLOATS[:1])
    return (x, tensor(x.shape)), {"reduction": pick(["none", "mean"])}


# Operators by their full names.

@case("torch.ops.aten.add.Tensor", "torch.ops.aten.mul.Tensor",
      "torch.ops.aten.div.Tensor")
def _():
    x = some(dtypes=FLOATS)
    return (x, other_for(x, FLOATS)), {}


@case("torch.ops.aten.slice.Tensor")
def _():
    x = some(1, 3)
    return (x, R(0, x.dim() - 1), R(-2, 3), pick([R(-2, 4), 2 ** 63 - 1]),
            R(1, 2)), {}


@case("torch.ops.aten.convolution.default")
def _():
    x, w, b, groups = conv_case(2, False)
    return (x, w, b, [1, 1], [R(0, 1)] * 2, [1, 1], False, [0, 0], groups), {}


@case("torch.ops.aten.native_layer_norm.default")
def _():
    x = some(1, 4, FLOATS)
    return (x, list(x.shape[-1:]), None, None, 1e-5), {}


@case("torch.ops.aten._softmax.default")
def _():
    x = some(0, 3, FLOATS)
    return (x, dim_of(x), False), {}


@case("torch.ops.aten.mean.dim", "torch.ops.aten.sum.dim_IntList",
      "torch.ops.aten.amax.default")
def _():
    x = some(0, 3, FLOATS)
    return (x, list(dims_of(x)), chance()), {}


@case("torch.ops.aten.view.default", "torch.ops.aten.reshape.default",
      "torch.ops.aten._unsafe_view.default")
def _():
    x = some()
    return (x, split_numel(x.numel())), {}


@case("torch.ops.aten.index.Tensor")
def _():
    x = tensor([3, 4, 5])
    one = tensor([R(1, 3)], torch.int64, 3)
    return (x, pick([[one], [None, one], [one, None, one], [None, one, one]])), {}


@case("torch.ops.aten.expand.default", "torch.ops.aten.permute.default")
def _():
    x = tensor([R(1, 3), 1, R(1, 3)])
    return (x, rng.sample([0, 1, 2], 3)), {}


# Python's own arithmetic, on plain values.

def plain():
    kind = R(0, 9)
    if kind <= 4:
        return R(-12, 12)
    if kind <= 6:
        return pick([0.5, -2.5, 3.0, 1e-3, -7.25, 0.0, 1e300, 2.0])
    if kind == 7:
        return chance()
    if kind == 8:
        return pick([2 ** 40, -2 ** 62, 2 ** 63 - 1, 10 ** 18, 2 ** 63])
    return pick(["ab", "", "b", (1, 2), [1, 2.0], (3,), (), None])


@case("operator.add", "operator.sub", "operator.mul", "operator.truediv",
      "operator.floordiv", "operator.mod", "operator.eq", "operator.ne",
      "operator.lt", "operator.le", "operator.gt", "operator.ge", weight=8)
def _():
    a, b = plain(), plain()
    # A sequence a billion times is no question of arithmetic.
    if isinstance(a, int) and not isinstance(b, (int, float)):
        a = R(-2, 4)
    if isinstance(b, int) and not isinstance(a, (int, float)):
        b = R(-2, 4)
    return (a, b), {}


@case("operator.pow", weight=6)
def _():
    return (plain(), pick([R(-4, 9), 0.5, 2.0, -1.5, True, "a", ()])), {}


@case("operator.and_", "operator.or_", "operator.xor", "operator.lshift",
      "operator.rshift", weight=3)
def _():
    return (plain(), pick([R(-2, 9), True, 1.5, "a"])), {}


@case("operator.neg", "operator.pos", "operator.invert", "operator.abs",
      "operator.not_", "operator.truth", "builtins.int", "builtins.float",
      "builtins.round", "builtins.bool", "math.floor", "math.ceil",
      "math.trunc", "math.sqrt", "math.log2", "math.exp", weight=3)
def _():
    return (plain(),), {}


@case("builtins.round", weight=3)
def _():
    return (pick([0.125, 2.675, 1.005, -3.14159, 2.5, 1e10 / 3, 7]),
            pick([0, 1, 2, 3, None])), {}


@case("operator.getitem", weight=4)
def _():
    items = tuple(range(R(0, 5)))
    index = R(-6, 6) if chance(0.4) else slice(
        pick([None, R(-6, 6)]), pick([None, R(-6, 6)]),
        pick([None, R(-3, 3)]))
    return (pick([items, list(items), "abcde"[:len(items)]]), index), {}


@case("builtins.min", "builtins.max", "builtins.sum", "builtins.len",
      "math.prod", "builtins.tuple", "builtins.list", weight=2)
def _():
    return ([R(-9, 9) for _ in range(R(0, 4))],), {}


@case("operator.contains")
def _():
    return (pick([(1, 2, 3), [1.0, "a"], "abc"]),
            pick([1, 2.0, "a", "bc", "d", True])), {}


# ------------------------------------------------------------------ running

def text(value):
    if torch.is_tensor(value):
        return "tensor('%s%s')" % (SHORT_OF[value.dtype], list(value.shape))
    if isinstance(value, tuple):
        return "(%s%s)" % (", ".join(map(text, value)),
                           "," if len(value) == 1 else "")
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(text, value))
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (text(k), text(v))
                                  for k, v in value.items())
    return repr(value)


def answer(value):
    """What print_shape should say of VALUE."""
    if torch.is_tensor(value):
        dtype = SHORT_OF.get(value.dtype, "c32")
        return dtype + str(list(value.shape))
    if isinstance(value, torch.Size):
        return str(tuple(value))
    if isinstance(value, tuple):
        return "(%s%s)" % (", ".join(map(answer, value)),
                           "," if len(value) == 1 else "")
    if isinstance(value, list) and any(map(torch.is_tensor, value)):
        return answer(tuple(value))
    return str(value) if isinstance(value, torch.dtype) else repr(value)


def function_of(target):
    if target.startswith("builtins."):
        return getattr(builtins, target[9:])
    if target.startswith("math."):
        return getattr(math, target[5:])
    if target.startswith("torch.functional."):
        return getattr(torch, target.rsplit(".", 1)[1])
    value = {"torch": torch, "operator": operator}[target.split(".")[0]]
    for part in target.split(".")[1:]:
        value = getattr(value, part)
    return value


def run(target, args, kwargs):
    """What torch says, and why when it raises."""
    if target.startswith("."):
        function = getattr(torch.Tensor, target[1:])
    else:
        function = function_of(target)
    try:
        return answer(function(*args, **kwargs)), ""
    except (RuntimeError, OverflowError, TypeError, IndexError, ValueError,
            AssertionError, NotImplementedError, ZeroDivisionError) as e:
        return "error", str(e).split("\n")[0]


# Refusals that are about what a CPU kernel supports, not about shapes.
KERNEL = ("not implemented for", "not supported for", "only supports",
          "Expected all tensors to be", "no kernel", "only implemented for",
          "isDifferentiableType", "ZeroDivisionError",
          "is out of bounds for dimension")


def is_about_nothing(question, ours):
    """Without elements torch never reaches the kernel that would refuse."""
    return ("[0" in question["args"] or ", 0" in question["args"]) and \
        ("only on floats" in ours or "dtypes" in ours)


def collect(rounds):
    questions = []
    for targets, make, weight, unknown in CASES:
        for target in targets:
            for _ in range(rounds * weight):
                args, kwargs = make()
                method = target.startswith(".")
                questions.append(({
                    "op": "call_method" if method else "call_function",
                    "target": target.lstrip("."),
                    "args": text(tuple(args)), "kwargs": text(kwargs)},
                    unknown) + run(target, args, kwargs))
    return questions


def by_keyword(target, args, kwargs):
    """The ATen operator of that name called by place and by its schema's
    names; nothing where there is none that takes ARGS."""
    name = target.removesuffix(".default").split(".")[-1]
    packet = getattr(torch.ops.aten, name, None)
    if run(target, args, kwargs)[0] == "error":
        return []
    for overload in packet.overloads() if packet else []:
        called = getattr(packet, overload)
        schema = [a for a in called._schema.arguments if not a.kwarg_only]
        named = dict(zip([a.name for a in schema], args), **kwargs)
        if len(args) > len(schema) or len(named) < len(args) + len(kwargs):
            continue
        try:
            called._op(**named)     # torch 1.13 means itself by self
        except (RuntimeError, IndexError, TypeError, ValueError):
            continue
        ask = {"op": "call_function",
               "target": "torch.ops.aten.%s.%s" % (name, overload)}
        return [dict(ask, args=text(tuple(args)), kwargs=text(kwargs)),
                dict(ask, args="()", kwargs=text(named))]
    return []


def count_differing_names(program, rounds):
    """Calls of operators that fxdb understands by place only."""
    pairs = []
    for targets, make, _, _ in CASES:
        for target in targets:
            for _ in range(rounds):
                pairs += by_keyword(target, *make())
    said = ask(program, [(question,) for question in pairs])
    wrong = [i for i in range(0, len(pairs), 2) if said[i] != said[i + 1]]
    for i in wrong:
        print("%s%s\n  by keyword: %s\n  by place: %s" % (
            pairs[i]["target"], pairs[i + 1]["kwargs"], said[i + 1], said[i]))
    print("%d calls by keyword, %d differ" % (len(pairs) // 2, len(wrong)))
    return len(wrong)


def ask(program, questions):
    lines = "".join(json.dumps(q[0]) + "\n" for q in questions)
    out = subprocess.run([program], input=lines, capture_output=True,
                         text=True, check=True).stdout.split("\n")
    return out


def same(ours, theirs):
    return ours.replace("torch.Size([", "(").replace("])", ")") == theirs or \
        ours == theirs


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 12
    questions = collect(rounds)
    answers = ask(program, questions)
    wrong = 0
    kernel = 0
    unsure = 0
    for (question, unknown, theirs, why), ours in zip(questions, answers):
        if theirs == "error" and not ours.startswith("error") and any(
                k in why for k in KERNEL):
            kernel += 1
            continue
        if theirs == "error" and ours.startswith("error"):
            continue
        if same(ours, theirs) or (unknown and ours.startswith("?")):
            continue
        if ours.startswith("?") and "tensor(" not in question["args"]:
            unsure += 1             # never a wrong number
            continue
        if is_about_nothing(question, ours):
            kernel += 1
            continue
        wrong += 1
        if wrong <= 60:
            print("%s(%s, %s)\n  torch: %s %s\n  fxdb:  %s" % (
                question["target"], question["args"], question["kwargs"],
                theirs, why, ours))
    refused = sum(q[2] == "error" for q in questions)
    print("%d calls of %d functions and methods, %d of them refused by torch,"
          " %d of these only for want of a kernel; %d plain results not known;"
          " %d differ" % (len(questions), sum(len(c[0]) for c in CASES),
                          refused, kernel, unsure, wrong))
    return wrong + count_differing_names(program, rounds) != 0


if __name__ == "__main__":
    sys.exit(main())
