#!/usr/bin/env python3
"""Compare ops/layers.py and functionals.py with the modules they describe.

usage: layers.py SRCDIR META_EVAL

Each layer is made in several configurations three times: by torch, by running
layers.py as Python, and by fxdb's partial evaluator.  Attributes, parameters
and buffers of all three must agree, and the results for random inputs: values
of the first two, shapes of all.
"""
import json
import math
import os
import subprocess
import sys
import warnings

import torch
import torch.nn.functional as F

from export_fxg import SHORT_OF

warnings.simplefilter("ignore")
torch.set_grad_enabled(False)
torch.manual_seed(1)

SRC = os.path.join(sys.argv[1], "src", "ops")


class Registered:
    def __init__(self, tensor, kind):
        self.tensor, self.kind = tensor, kind


def maker(kind):
    def make(*sizes, dtype=None):
        if sizes == (None,):
            return Registered(None, kind)
        dtype = dtype or torch.float32
        t = torch.rand(sizes) if dtype.is_floating_point else \
            torch.zeros(sizes)
        return Registered(t.to(dtype), kind)
    return make


def run_file(name, space):
    with open(os.path.join(SRC, name)) as f:
        exec(compile(f.read(), name, "exec"), space)


def with_registration(cls):
    """CLS whose attribute assignments register parameters and buffers."""
    def assign(self, name, value):
        registered = self.__dict__.setdefault("_registered", {})
        if isinstance(value, Registered):
            registered[name] = value
            self.__dict__[name] = value.tensor
        else:
            self.__dict__[name] = value
    cls.__setattr__ = assign
    cls.__call__ = lambda self, *a, **k: self.forward(*a, **k)
    cls.children = lambda self: [v for v in self.__dict__.values()
                                 if hasattr(type(v), "forward")]
    return cls


SPACE = {"torch": torch, "F": F, "math": math, "Parameter": maker("p"),
         "Buffer": maker("b"), "__name__": "layers"}
run_file("layers.py", SPACE)
LAYERS = {k: with_registration(v) for k, v in SPACE.items()
          if isinstance(v, type) and hasattr(v, "forward")}

X4 = (2, 4, 8, 9)
# class: [(arguments, keywords, shapes of inputs or (low-high) for integers)]
CASES = {
    "Identity": [((), {}, [X4])],
    "Linear": [((4, 5), {}, [(3, 4)]), ((4, 5, False), {}, [(2, 3, 4)]),
               ((4, 5), {"dtype": torch.float64}, [(4,)])],
    "Bilinear": [((2, 3, 4), {}, [(5, 2), (5, 3)])],
    "Conv1d": [((4, 6, 3), {"padding": 1, "stride": 2}, [(2, 4, 9)]),
               ((4, 6, 3), {"padding_mode": "circular", "padding": 1},
                [(2, 4, 9)])],
    "Conv2d": [((4, 6, 3), {}, [X4]),
               ((4, 6, (3, 2)), {"padding": (1, 0), "dilation": 2,
                                 "bias": False}, [X4]),
               ((4, 6, 3), {"groups": 2, "stride": (2, 1)}, [X4]),
               ((4, 6, 3), {"padding": "same"}, [X4]),
               ((4, 6, (3, 4)), {"padding": "same", "dilation": (1, 2),
                                 "padding_mode": "reflect"}, [X4]),
               ((4, 6, 3), {"padding": "valid"}, [X4]),
               ((4, 6, 3), {"padding": 2, "padding_mode": "replicate"},
                [X4]),
               ((4, 6, 3), {}, [X4[1:]])],
    "Conv3d": [((2, 4, 2), {"padding": 1}, [(1, 2, 4, 5, 6)])],
    "ConvTranspose1d": [((4, 6, 3), {"stride": 2}, [(2, 4, 7)])],
    "ConvTranspose2d": [((4, 6, 3), {"stride": 2, "padding": 1,
                                     "output_padding": 1}, [X4]),
                        ((4, 6, 3), {"groups": 2, "dilation": 2,
                                     "bias": False}, [X4])],
    "ConvTranspose3d": [((2, 4, 2), {"stride": 2}, [(1, 2, 3, 3, 3)])],
    "BatchNorm1d": [((4,), {}, [(3, 4)]), ((4,), {}, [(3, 4, 5)]),
                    ((4,), {"affine": False}, [(3, 4)])],
    "BatchNorm2d": [((4,), {}, [X4]), ((4,), {"momentum": None}, [X4]),
                    ((4,), {"track_running_stats": False}, [X4])],
    "BatchNorm3d": [((2,), {"eps": 1e-3}, [(2, 2, 3, 4, 5)])],
    "InstanceNorm1d": [((4,), {}, [(2, 4, 5)])],
    "InstanceNorm2d": [((4,), {"affine": True}, [X4]), ((4,), {}, [X4[1:]]),
                       ((4,), {"track_running_stats": True}, [X4])],
    "InstanceNorm3d": [((2,), {}, [(2, 2, 3, 4, 5)])],
    "LayerNorm": [((9,), {}, [X4]), (((8, 9),), {"eps": 1e-3}, [X4]),
                  ((9,), {"elementwise_affine": False}, [X4])],
    "GroupNorm": [((2, 4), {}, [X4]), ((4, 4), {"affine": False}, [X4])],
    "LocalResponseNorm": [((2,), {}, [X4])],
    "Embedding": [((10, 3), {}, [("i", 10, (2, 5))]),
                  ((10, 3), {"padding_idx": -1}, [("i", 10, (4,))])],
    "EmbeddingBag": [((10, 3), {"mode": "sum"}, [("i", 10, (2, 5))])],
    "MultiheadAttention": [
        ((8, 2), {}, [(5, 3, 8)] * 3),
        ((8, 2), {"batch_first": True}, [(3, 5, 8), (3, 6, 8), (3, 6, 8)]),
        ((8, 2), {"bias": False}, [(5, 8)] * 3),
        ((8, 2), {"add_bias_kv": True, "add_zero_attn": True},
         [(5, 3, 8), (4, 3, 8), (4, 3, 8)]),
        ((8, 4), {"kdim": 6, "vdim": 7}, [(5, 3, 8), (4, 3, 6), (4, 3, 7)])],
    "LSTM": [((4, 5), {}, [(6, 3, 4)]),
             ((4, 5, 2), {"batch_first": True, "bidirectional": True},
              [(3, 6, 4)]),
             ((4, 5), {"proj_size": 2, "bias": False}, [(6, 4)])],
    "GRU": [((4, 5), {}, [(6, 3, 4)]),
            ((4, 5, 2), {"bidirectional": True, "dropout": 0.5},
             [(6, 3, 4), (4, 3, 5)]),
            ((4, 5), {"batch_first": True}, [(6, 4), (1, 5)])],
    "RNN": [((4, 5), {}, [(6, 3, 4)]),
            ((4, 5, 2), {"nonlinearity": "relu"}, [(6, 3, 4)])],
    "RNNCell": [((4, 5), {}, [(3, 4), (3, 5)]),
                ((4, 5, False, "relu"), {}, [(3, 4), (3, 5)]),
                ((4, 5, False), {}, [(4,)])],
    "LSTMCell": [((4, 5), {}, [(3, 4)]), ((4, 5, False), {}, [(4,)])],
    "GRUCell": [((4, 5), {}, [(3, 4), (3, 5)]),
                ((4, 5, False), {}, [(4,), (5,)])],
    "TransformerEncoderLayer": [
        ((8, 2, 16), {}, [(5, 3, 8)]),
        ((8, 2, 16), {"batch_first": True, "norm_first": True,
                      "activation": "gelu"}, [(3, 5, 8)]),
        ((8, 2, 16), {"dropout": 0.0}, [(5, 3, 8), (5, 5)])],
    "TransformerDecoderLayer": [
        ((8, 2, 16), {}, [(5, 3, 8), (6, 3, 8)]),
        ((8, 2, 16), {"batch_first": True, "norm_first": True},
         [(3, 5, 8), (3, 6, 8)])],
    "Dropout": [((), {}, [X4]), ((0.2,), {"inplace": True}, [X4])],
    "Dropout1d": [((), {}, [X4[:3]])], "Dropout2d": [((), {}, [X4])],
    "Dropout3d": [((), {}, [(2, 3, 4, 5, 6)])],
    "AlphaDropout": [((), {}, [X4])],
    "FeatureAlphaDropout": [((0.3,), {}, [X4])],
    "MaxUnpool1d": [((2,), {}, [(2, 4, 9), ("i", 18, (2, 4, 9))]),
                    ((3, 2, 1), {}, [(4, 9), ("i", 17, (4, 9))])],
    "MaxUnpool2d": [((2,), {}, [X4, ("i", 288, X4)]),
                    (((3, 2),), {"stride": (2, 1)}, [X4, ("i", 100, X4)])],
    "MaxUnpool3d": [((2,), {}, [(1, 2, 2, 3, 4), ("i", 192, (1, 2, 2, 3, 4))])],
    "MaxPool1d": [((3,), {"stride": 2, "padding": 1}, [(2, 4, 9)])],
    "MaxPool2d": [((2,), {}, [X4]), ((3, 2, 1), {"ceil_mode": True}, [X4]),
                  (((2, 3),), {"return_indices": True}, [X4]),
                  ((3,), {"dilation": 2}, [X4])],
    "MaxPool3d": [((2,), {}, [(1, 2, 4, 5, 6)])],
    "AvgPool1d": [((3,), {"stride": 2}, [(2, 4, 9)])],
    "AvgPool2d": [((2,), {}, [X4]),
                  ((3, 2, 1), {"count_include_pad": False}, [X4])],
    "AvgPool3d": [((2,), {}, [(1, 2, 4, 5, 6)])],
    "AdaptiveAvgPool1d": [((3,), {}, [(2, 4, 9)])],
    "AdaptiveAvgPool2d": [((1,), {}, [X4]), (((None, 3),), {}, [X4])],
    "AdaptiveAvgPool3d": [((2,), {}, [(1, 2, 4, 5, 6)])],
    "AdaptiveMaxPool1d": [((3,), {}, [(2, 4, 9)])],
    "AdaptiveMaxPool2d": [((2,), {}, [X4]),
                          ((2,), {"return_indices": True}, [X4])],
    "AdaptiveMaxPool3d": [((2,), {}, [(1, 2, 4, 5, 6)])],
    "LPPool2d": [((2, 2), {}, [X4])],
    "Flatten": [((), {}, [X4]), ((0, 1), {}, [X4])],
    "Unflatten": [((1, (2, 2)), {}, [X4])],
    "PixelShuffle": [((2,), {}, [X4])],
    "PixelUnshuffle": [((2,), {}, [(2, 4, 8, 6)])],
    "ChannelShuffle": [((2,), {}, [X4])],
    "Upsample": [((), {"scale_factor": 2}, [X4]),
                 (((5, 6),), {"mode": "bilinear", "align_corners": True},
                  [X4]),
                 ((), {"scale_factor": (1.5, 2.0)}, [X4])],
    "Softmax": [((1,), {}, [X4]), ((), {}, [(3, 4)]), ((), {}, [(3, 4, 5)])],
    "Softmin": [((1,), {}, [X4])], "LogSoftmax": [((-1,), {}, [X4])],
    "Softmax2d": [((), {}, [X4])],
    "LeakyReLU": [((0.2,), {}, [X4])], "ELU": [((0.5,), {}, [X4])],
    "CELU": [((0.5,), {}, [X4])], "PReLU": [((), {}, [X4]), ((4,), {}, [X4])],
    "GELU": [((), {}, [X4]), (("tanh",), {}, [X4])],
    "Hardtanh": [((), {}, [X4]), ((0.0, 2.0), {}, [X4])],
    "Threshold": [((0.3, 1.0), {}, [X4])], "GLU": [((1,), {}, [X4])],
    "Softplus": [((), {}, [X4]), ((2, 10), {}, [X4])],
    "Softshrink": [((), {}, [X4])], "Hardshrink": [((), {}, [X4])],
    "ZeroPad2d": [((1,), {}, [X4]), (((1, 2, 0, 3),), {}, [X4])],
    "ConstantPad1d": [((1, 2.0), {}, [(2, 4, 9)])],
    "ConstantPad2d": [((1, 2.0), {}, [X4])],
    "ConstantPad3d": [((1, 2.0), {}, [(1, 2, 4, 5, 6)])],
    "ReflectionPad1d": [((2,), {}, [(2, 4, 9)])],
    "ReflectionPad2d": [((1,), {}, [X4])],
    "ReplicationPad1d": [((2,), {}, [(2, 4, 9)])],
    "ReplicationPad2d": [((1,), {}, [X4])],
    "CosineSimilarity": [((1,), {}, [X4, X4])],
    "MSELoss": [((), {}, [X4, X4]), ((), {"reduction": "none"}, [X4, X4])],
    "L1Loss": [((), {"reduction": "sum"}, [X4, X4])],
    "CrossEntropyLoss": [((), {}, [(3, 5), ("i", 5, (3,))])],
    "NLLLoss": [((), {"ignore_index": 2}, [(3, 5), ("i", 5, (3,))])],
    "KLDivLoss": [((), {"reduction": "batchmean", "log_target": True},
                   [X4, X4])],
    "SmoothL1Loss": [((), {"beta": 0.5}, [X4, X4])],
    "HuberLoss": [((), {"delta": 0.5, "reduction": "sum"}, [X4, X4])],
    "BCEWithLogitsLoss": [((), {"reduction": "none"}, [X4, X4])],
    "HingeEmbeddingLoss": [((0.5,), {}, [X4, X4])],
    "PairwiseDistance": [((), {"keepdim": True}, [(3, 4)] * 2)],
    "Unfold": [(((2, 3),), {"padding": 1}, [X4])],
    "Fold": [(((4, 5), 2), {}, [(2, 8, 12)])],
    "LPPool1d": [((2, 3), {}, [(2, 4, 9)])],
    "ReflectionPad3d": [((1,), {}, [(2, 2, 3, 4, 5)])],
    "ReplicationPad3d": [((2,), {}, [(2, 2, 3, 4, 5)])],
    "RReLU": [((), {}, [X4]), ((0.1, 0.2), {"inplace": True}, [X4])],
    "Sequential": [((), {}, [X4])],
}
for _name in ("ReLU", "ReLU6", "SiLU", "Mish", "Hardswish", "Hardsigmoid",
              "SELU"):
    CASES[_name] = [((), {}, [X4]), ((), {"inplace": True}, [X4])]
for _name in ("SoftMarginLoss", "MultiLabelSoftMarginLoss",
              "PoissonNLLLoss"):
    CASES[_name] = [((), {}, [X4, X4]), ((), {"reduction": "sum"}, [X4, X4])]
for _name in ("Sigmoid", "Tanh", "Softsign", "Tanhshrink", "LogSigmoid"):
    CASES[_name] = [((), {}, [X4])]
# Not in torch 1.13; the tuple arithmetic is that of another class.
# Stacks are made by copying modules, and compared in whole models.
# Losses whose shapes have no rule, or whose inputs have to be probabilities or
# lengths, are in run_own.py.
UNTESTED = {"BCELoss", "CTCLoss", "CosineEmbeddingLoss", "GaussianNLLLoss",
            "MarginRankingLoss", "MultiLabelMarginLoss", "MultiMarginLoss",
            "TripletMarginLoss", "RMSNorm", "NonDynamicallyQuantizableLinear", "ModuleList",
            "TransformerEncoder", "TransformerDecoder", "Transformer"}
# What torch 1.13 lacks.
LATER = {"torch.nn.functional.linear_cross_entropy",
         "torch.nn.functional.scaled_dot_product_attention",
         "torch._C._nn.scaled_dot_product_attention",
         "torch.ops.aten.scaled_dot_product_attention.default"}
# What torch itself computes by other means, so that modules keep no attribute
# for it, or keep one that only its code needs.
PRIVATE = {"training", "_registered", "_flat_weights"}


def text(value):
    if isinstance(value, torch.dtype):
        return str(value)
    return repr(value)


def attributes(module):
    registered = vars(module).get("_registered", {})
    return {k: v for k, v in vars(module).items()
            if not isinstance(v, (dict, set, torch.Tensor)) and
            not hasattr(v, "forward") and not callable(v) and
            k not in PRIVATE and k not in registered}


def set_training(layer, training):
    layer.__dict__["training"] = training
    for child in layer.children():
        set_training(child, training)


def copy_tensors(ours, module):
    """Our attributes become torch's tensors; lists what disagrees."""
    problems = []
    registered = vars(ours).get("_registered", {})
    tensors = dict(module._parameters, **module._buffers)
    for name in set(registered) | set(tensors):
        if name not in registered or name not in tensors:
            problems.append("%s only on one side" % name)
            continue
        mine, real = registered[name].tensor, tensors[name]
        kind = "p" if name in module._parameters else "b"
        if registered[name].kind != kind:
            problems.append("%s is a %s" % (name, kind))
        if (mine is None) != (real is None) or mine is not None and (
                mine.shape != real.shape or mine.dtype != real.dtype):
            problems.append("%s differs" % name)
        ours.__dict__[name] = real
    for name, child in module._modules.items():
        problems += copy_tensors(getattr(ours, name), child)
    return problems


# Layers whose operators come in the order that torch's own kernel has.
SAME_BITS = {"GRUCell"}


def close(a, b):
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(close, a, b))
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and torch.allclose(a, b, 1e-4, 1e-5,
                                                 equal_nan=True)


def describe(value):
    if torch.is_tensor(value):
        return SHORT_OF[value.dtype] + str(list(value.shape))
    if isinstance(value, tuple):
        return "(%s)" % ", ".join(map(describe, value))
    return str(value)


def inputs_of(shapes, dtype):
    made = []
    for s in shapes:
        if s and s[0] == "i":
            made.append(torch.randint(0, s[1], s[2]))
        else:
            made.append(torch.randn(s).to(dtype))
    return made


def tensors_text(module, prefix=""):
    parts = []
    kinds = [("p", module._parameters), ("b", module._buffers)]
    for kind, members in kinds:
        for name, t in members.items():
            parts.append("%s%s=%s %s" % (prefix, name, kind, describe(t)))
    for name, child in module._modules.items():
        parts += tensors_text(child, name + ".")
    return parts


def check(name, case, training):
    """Problems of one configuration, and a question for fxdb with the answer
    that it should give."""
    args, kwargs, shapes = case
    problems = []
    real = getattr(torch.nn, name)(*args, **kwargs).train(training)
    ours = LAYERS[name](*args, **kwargs)
    set_training(ours, training)
    want = {k: v for k, v in attributes(real).items()
            if k not in ("_is_full_backward_hook", "call_super_init")}
    have = attributes(ours)
    if have != want:
        problems.append("attributes %s, torch has %s" % (have, want))
    if type(real).__module__ != LAYERS[name].__module__:
        problems.append("lives in %s" % type(real).__module__)
    problems += copy_tensors(ours, real)
    inputs = inputs_of(shapes, kwargs.get("dtype", torch.float32))
    torch.manual_seed(3)
    expected = real(*[i.clone() for i in inputs])
    torch.manual_seed(3)
    same = torch.equal if name in SAME_BITS else close
    if not same(expected, ours.forward(*[i.clone() for i in inputs])):
        problems.append("results differ")
    question = {
        "op": "layer", "target": name, "training": training,
        "args": "(%s)" % "".join(text(a) + ", " for a in args),
        "kwargs": "{%s}" % ", ".join("%r: %s" % (k, text(v))
                                     for k, v in kwargs.items()),
        "call": "(%s)" % "".join("tensor('%s'), " % describe(i)
                                 for i in inputs)}
    answer = (type(real).__module__ + "." + name, have,
              sorted(tensors_text(real)), describe(expected))
    return problems, question, answer


def understand(line):
    """The answer of meta_eval in the form that check() expects."""
    head, result = line.rsplit("|-> ", 1) if "|-> " in line else (line, "")
    head, *tensors = head.split("|")
    name, config = head.split(" ", 1)
    return (name, eval(config, {"torch": torch}),
            sorted(tensors), result)


def check_functionals():
    """functionals.py beside torchvision's functions of the same names."""
    space = dict(SPACE)
    run_file("functionals.py", space)
    try:
        import importlib
        importlib.import_module("torchvision")
    except ImportError:
        return 0, ["torchvision is absent"]
    problems = []
    count = 0
    names = dict(space["NAMES"])
    names.update({f"{f.__module__}.{f.__name__}": f for f in space.values()
                  if getattr(f, "__module__", "") == space["__name__"]})
    for qualified, mine in names.items():
        module, name = qualified.rsplit(".", 1)
        try:
            real = getattr(torch.Tensor if module == "Tensor"
                           else importlib.import_module(module), name)
        except (ImportError, AttributeError) as e:
            if qualified in LATER and torch.__version__ < "2":
                continue
            problems.append("%s: %s" % (qualified, e))
            continue
        for args in {
                "stochastic_depth": [(torch.randn(X4), 0.5, "row", True),
                                     (torch.randn(X4), 0.5, "batch", True),
                                     (torch.randn(X4), 0.5, "row", False)],
                "_unsqueeze": [(torch.randn(2, 3, 4), 4, 1),
                               (torch.randn(2, 3, 4, 5), 4, 1)],
                "_squeeze": [(torch.randn(2, 1, 4, 5), 4, 1, 3),
                             (torch.randn(2, 3, 4, 5), 4, 1, 4)],
                "_patch_merging_pad": [(torch.randn(2, 5, 6, 3),),
                                       (torch.randn(2, 4, 7, 3),)],
                "_get_relative_position_bias": [
                    (torch.randn(9, 3), torch.randint(0, 9, (16,)),
                     [2, 2])]}.get(name, []):
            torch.manual_seed(5)
            expected = real(*args)
            torch.manual_seed(5)
            count += 1
            if isinstance(expected, tuple):
                same = close(expected[0], mine(*args)[0]) and \
                    expected[1:] == mine(*args)[1:]
            else:
                same = close(expected, mine(*args))
            if not same:
                problems.append("%s differs" % qualified)
    return count, problems


def main():
    failed = 0
    questions = []
    for name in sorted(CASES.keys() | LAYERS):
        if name in UNTESTED:
            continue
        if name not in LAYERS:
            print("%s is not known" % name)
            failed += 1
            continue
        if name not in CASES:
            print("%s is not tested" % name)
            failed += 1
            continue
        for case in CASES[name]:
            for training in (False, True):
                problems, question, answer = check(name, case, training)
                questions.append((question, answer))
                for problem in problems:
                    print("%s%s %s: %s" % (name, case[0], case[1], problem))
                failed += bool(problems)
    lines = "".join(json.dumps(q) + "\n" for q, _ in questions)
    out = subprocess.run([sys.argv[2]], input=lines, capture_output=True,
                         text=True, check=True).stdout.splitlines()
    for (question, answer), line in zip(questions, out):
        ours = understand(line) if "error:" not in line else line
        if ours != answer:
            failed += 1
            print("%(target)s%(args)s %(kwargs)s %(call)s" % question)
            print("  torch: %s\n  fxdb:  %s" % (answer, ours))
    count, problems = check_functionals()
    for problem in problems:
        print(problem)
    failed += len(problems)
    print("%d configurations of %d layers, %d calls of functionals; %d differ"
          % (len(questions), len(CASES), count, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
