"""explain's numbers beside eager PyTorch.

Of random elements of every node of torchvision's models, and of a module that
calls each family of sums, the formula with its numbers is computed again in
Python and has to give the element, which has to be what PyTorch gives; and how
many terms there are is counted by what a gradient reaches.

EXPLAIN_COUNT elements of each of EXPLAIN_MODELS models.
"""
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile

import torch
import torch.fx

import oracle  # noqa: F401  (repairs torch.fx 1.13)

MODELS = """resnet18 mobilenet_v2 squeezenet1_1 shufflenet_v2_x0_5 densenet121
mnasnet0_5 regnet_y_400mf efficientnet_b0 convnext_tiny alexnet""".split()

FAMILIES = """
import torch
from torch import nn
import torch.nn.functional as F


class Families(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.same = nn.Conv2d(4, 6, 3, padding="same", dilation=2)
        self.grouped = nn.Conv2d(6, 8, (3, 2), stride=(2, 1), padding=1, groups=2)
        self.up = nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1, groups=2)
        self.line = nn.Conv1d(4, 5, 3, bias=False)
        self.layer = nn.LayerNorm((3, 8))
        self.groups = nn.GroupNorm(2, 4)
        self.instance = nn.InstanceNorm2d(4, affine=True)
        self.embed = nn.Embedding(7, 8)

    def forward(self, x, ids):
        a = self.groups(self.instance(x))
        b = self.grouped(self.same(a))
        up = self.up(b)
        flat = torch.flatten(a, 2)
        line = self.line(flat)
        rows = self.layer(self.embed(ids))
        first = torch.matmul(rows, rows.transpose(1, 2))
        second = torch.bmm(first, rows)
        third = torch.addmm(rows[0, 0], first[0], rows[0], beta=0.5, alpha=2)
        vector = torch.matmul(rows, rows[0, 0])
        pools = [F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2, ceil_mode=True),
                 F.avg_pool2d(x, 3, 2, 1, count_include_pad=False),
                 F.max_pool2d(x, 3, 2, 1), F.adaptive_avg_pool2d(x, (3, 4)),
                 F.adaptive_max_pool2d(x, 4), F.avg_pool1d(flat, 5, 3),
                 F.max_pool2d(x, 2, dilation=2)]
        sums = [x.sum(1), x.sum((1, 3), keepdim=True), x.mean(-1), x.amax(1),
                x.amin((2, 3)), torch.prod(x, 3), x.var(1), x.std((1, 2)),
                torch.var(x, 1, unbiased=False), torch.norm(x, dim=1),
                torch.linalg.vector_norm(x, 3, (1, 2)), torch.logsumexp(x, 1),
                x.sum(), x.mean(), torch.sum(ids.float(), 1)]
        softs = [torch.softmax(x, 1), F.log_softmax(rows, -1)]
        places = [torch.gather(rows, 2, ids[:, :, None]), rows.argmax(1).float(),
                  torch.index_select(x, 1, ids[0])]
        return (up, line, second, third, vector, *pools, *sums, *softs, *places)
"""


# Element by element, and what only moves elements though it has no formula.
ELEMENTS = """
import torch
from torch import nn
import torch.nn.functional as F


class Elements(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.one = nn.PReLU()
        self.each = nn.PReLU(4)
        self.soft = nn.Softplus(2)
        self.up = nn.Upsample(scale_factor=2)
        self.hard = nn.Sequential(nn.Hardswish(), nn.Hardsigmoid(), nn.Hardtanh(-0.1, 0.3))

    def forward(self, x):
        layers = [self.one(x), self.each(x), self.soft(x), self.hard(x), F.mish(x), F.elu(x, 0.5),
                  F.selu(x), F.threshold(x, 0.1, 2.0), F.softshrink(x), F.logsigmoid(x),
                  F.softsign(x), F.tanhshrink(x), F.relu6(x), F.gelu(x), -x, x ** 2, 2 ** x]
        plain = [torch.sign(x), x.trunc(), torch.round(x), torch.round(x, decimals=1),
                 torch.exp2(x), torch.sinh(x), torch.cosh(x), torch.asinh(x),
                 torch.acosh(x.abs() + 1), torch.erfc(x), torch.xlogy(x, x.abs()),
                 torch.sigmoid(x), x - (x - 3), torch.isnan(x), torch.isfinite(x),
                 torch.logical_and(x > 0, x < 1), torch.logical_not(x > 0)]
        moved = [self.up(x), F.pad(x, (1, 2, 1, 0), "reflect"), torch.tril(x, 2), F.pixel_shuffle(x, 2),
                 torch.rot90(x, 1, (2, 3)), x.repeat_interleave(2, 1), F.dropout(x, 0.5, False)]
        return layers, plain, moved
"""


# What gives several tensors, and what names its dimensions itself.
PARTS = """
import torch
from torch import nn
import torch.nn.functional as F


class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(6) + 0.5)

    def forward(self, x):
        return F.rms_norm(x, (6,), self.weight, 1e-3) + F.rms_norm(x, (5, 6))


class Attention(nn.Module):
    def forward(self, x):
        return torch.einsum("bqd,bkd->bqk", x, x) / 2


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(2)
        self.lstm = nn.LSTM(6, 4, 2, batch_first=True, bidirectional=True)
        self.plain = nn.LSTM(6, 3, bias=False)
        self.gru = nn.GRU(6, 4, 2, bidirectional=True)
        self.rnn = nn.RNN(6, 4, batch_first=True)
        self.relu = nn.RNN(6, 4, nonlinearity="relu")
        self.attention = Attention()
        self.heads = nn.MultiheadAttention(6, 2, batch_first=True)
        self.norm = Norm() if hasattr(F, "rms_norm") else nn.ReLU()

    def forward(self, x):
        y = self.attention(x) + self.heads(x, x, x)[1]
        sums = [torch.einsum("bij,bkj->bik", x, x), torch.einsum("bij->j", [x]),
                torch.einsum("...ij,...jk", y, y), torch.einsum("bii->bi", y),
                torch.einsum("bij,bij,bij->b", x, x, x),
                torch.einsum(" b i j , b k j -> k b ", x, x)]
        several = [torch.var_mean(x, 1), torch.std_mean(x, (0, 2), unbiased=False),
                   torch.split(x, 2, 1), torch.chunk(x, 3, 2), torch.unbind(x, 0),
                   x.topk(2), torch.topk(x, 3, 1, largest=False), x.sort(1),
                   torch.sort(x, descending=True), torch.kthvalue(x, 2, 1),
                   torch.kthvalue(x, 2, 2, True), x.median(1), torch.cummax(x, 1),
                   x.max(1), x.min(2, keepdim=True), torch.aminmax(x, dim=1),
                   self.lstm(x), self.plain(x), self.gru(x), self.rnn(x), self.relu(x)]
        return sums, several, torch.argsort(x, 1), self.norm(x)
"""

REACH = """
import torch
from torch import nn
import torch.nn.functional as F


class Reach(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.conv = nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=2, dilation=2, groups=2)
        self.up = nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2)
        self.line = nn.Linear(5, 3)
        self.layer = nn.LayerNorm((6, 5))
        self.group = nn.GroupNorm(2, 4)
        self.pool = nn.AvgPool2d(3, 2, 1)

    def forward(self, x):
        y = (F.softmax(x, 0), F.softmax(x, dim=2), x.log_softmax(-1), x.sum((1, 3)), x.mean(),
             x.mean(0, keepdim=True), torch.var(x, 2), torch.norm(x, dim=1), torch.logsumexp(x, 3))
        z = (torch.einsum("bchw,bdhw->cd", x, x), F.adaptive_avg_pool2d(x, (3, 2)))
        return (self.conv(x), self.up(x), self.line(x), self.layer(x), self.group(x),
                self.pool(x), y, z)
"""


def fxdb(folder, lines):
    arguments = [os.environ["FXDB"], "-nx", "-batch", "--json", "--keep-going", "--python",
                 sys.executable]
    for line in lines:
        arguments += ["-ex", line]
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=550)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Keeps(torch.fx.Interpreter):
    """All values, as each node gave them."""

    def run_node(self, node):
        value = super().run_node(node)
        for path, part in leaves(value):
            self.kept[node.name + path] = part.clone() if isinstance(part, torch.Tensor) else part
        return value


def leaves(value, path=""):
    """What a node gave: of a tuple the parts, as they are written."""
    if isinstance(value, (tuple, list)) and any(
            isinstance(part, (torch.Tensor, tuple, list)) for part in value):
        for i, part in enumerate(value):
            yield from leaves(part, "%s[%d]" % (path, i))
    else:
        yield path, value


def named(text):
    """The numbers of a formula as Python: |x| is abs(x), what is said of a rest
    goes.
    """
    text = re.sub(r"\(\d+ more terms?: ([^)]*)\)", r"(\1)", text)
    text = re.sub(r", \d+ more\)", ")", text)
    text = re.sub(r"\|([^|]*)\|", r"abs(\1)", text)
    return re.sub(r"([-+.\w()]+) within ([-\w.]+) \.\. ([-\w.]+)", r"within(\1, \2, \3)", text)


def within(x, low, high):
    return min(max(x, low if low is not None else -math.inf),
               high if high is not None else math.inf)


WORDS = {name: getattr(math, name) for name in
         "sqrt exp log log2 log10 sin cos tan tanh erf floor ceil".split()}
WORDS.update({name: getattr(math, name) for name in
              "trunc sinh cosh asinh acosh isnan isinf isfinite".split()})
WORDS.update(round=round, sign=lambda x: math.copysign(x != 0, x))
WORDS.update(max=max, min=min, abs=abs, within=within, nan=math.nan, inf=math.inf, true=True,
             false=False)


def check(answer, value, seen):
    """What is wrong with ANSWER, to an element that is VALUE in PyTorch."""
    if not answer["ok"]:
        return str(answer["error"])
    told = {"True": "1", "False": "0"}.get(answer["value"], answer["value"])
    if abs(float(told) - value) > 1e-4 * max(1, abs(value)):
        return "the element is %s, not %r" % (told, value)
    if any(re.match(r"  over %\w+\.", line) for line in answer["lines"]):
        return "a parameter is no node: %s" % answer["lines"]
    if any("is given goes into it" in line for line in answer["lines"]):
        return "" if value == 0 else "a constant %r" % value
    if "numbers" not in answer:
        seen["without"] += 1
        if os.environ.get("EXPLAIN_TELLS"):
            print(answer["lines"])
        return "" if not answer.get("formula") else "no numbers: %s" % answer["lines"]
    text = answer["numbers"]
    if text.startswith("the place of "):
        place = re.search(r"\[([\d,]+)\]", answer["formula"]).group(1)
        return "" if told in place.split(",") else answer["formula"]
    if text.startswith("arg"):
        place = re.search(r" at (\d+)", text).group(1)
        return "" if float(place) == float(told) else text
    if re.match(r"%|[A-Za-z_]\w*\[", text):
        return ""
    again = eval(named(text), dict(WORDS))
    seen["with"] += 1
    seen["sums"] += "terms" in answer
    # Beside a long sum each term has its own rounding.
    room = 2e-5 * max(1, abs(value))
    return "" if abs(again - float(told)) <= room else "%r of %s" % (again, text)


def elements_of(kept, rng, count):
    """Node, place and value of COUNT elements."""
    names = [name for name, value in kept.items() if isinstance(value, torch.Tensor)
             and value.numel() and not value.is_complex()]
    for _ in range(count):
        name = rng.choice(names)
        place = [rng.randrange(size) for size in kept[name].shape]
        yield name, place, float(kept[name][tuple(place)])


def try_model(folder, where, module, inputs, count, wants_all):
    seen = {"with": 0, "without": 0, "sums": 0, "inputs": 0}
    keeps = Keeps(torch.fx.symbolic_trace(module))
    keeps.kept = {}
    with torch.no_grad():
        keeps.run(*inputs.values())
    rng = random.Random(where)
    chosen = list(elements_of(keeps.kept, rng, count))
    if wants_all:
        for name, value in keeps.kept.items():
            if isinstance(value, torch.Tensor) and value.numel():
                place = [rng.randrange(size) for size in value.shape]
                chosen.append((name, place, float(value[tuple(place)])))
    lines = ["trace " + where, "set backend torch"]
    for name, value in inputs.items():
        path = os.path.join(folder, name + ".npy")
        __import__("numpy").save(path, value.numpy())
        lines.append("input %s = file(\"%s.npy\")" % (name, name))
    lines.append("run")
    asked = ["explain %s[%s]" % (name, ",".join(map(str, place))) if place else
             "explain %s[]" % name for name, place, _ in chosen]
    answers = fxdb(folder, lines + asked)[len(lines):]
    given = {node.name for node in keeps.module.graph.nodes
             if node.op in ("placeholder", "get_attr")}
    wrong = 0
    for (name, place, value), answer in zip(chosen, answers):
        seen["inputs"] += name in given
        problem = check(answer, value, seen)
        if problem:
            wrong += 1
            print("%s: %s%s: %s" % (where, name, place, problem))
    if where.startswith(("parts", "elements")) and seen["without"] > seen["inputs"]:
        wrong += 1
        print("%s: %d without a formula" % (where, seen["without"]))
    print("%s: %d elements, %d computed again, %d of them sums, %d without a formula, %d wrong" %
          (where, len(chosen), seen["with"], seen["sums"], seen["without"], wrong))
    return wrong + (len(answers) != len(chosen))


def reached(gradient):
    """The elements of GRADIENT that are not 0, as explain writes an index."""
    parts = []
    for axis, size in enumerate(gradient.shape):
        places = sorted(set(gradient.nonzero()[:, axis].tolist()))
        step = math.gcd(*(place - places[0] for place in places))
        text = "%d:%d" % (places[0], places[-1] + 1) if step else str(places[0])
        text += ":%d" % step if step > 1 else ""
        parts.append(":" if len(places) == size > 1 else text)
    return "[%s]" % ",".join(parts)


def try_reach(folder, module, x):
    """Whether the elements that a sum is said to be over are those that a gradient
    reaches.
    """
    keeps = Keeps(torch.fx.symbolic_trace(module))
    keeps.kept = {}
    keeps.run(x.requires_grad_())
    rng = random.Random(7)
    chosen = [(node.name, [rng.randrange(size) for size in keeps.kept[node.name].shape])
              for node in keeps.module.graph.nodes
              if node.op.startswith("call_") for _ in range(4)]
    __import__("numpy").save(os.path.join(folder, "x.npy"), x.detach().numpy())
    lines = ["trace reach.py:Reach()", "input x = file(\"x.npy\")", "run"]
    answers = fxdb(folder, lines + ["explain %s[%s]" % (name, ",".join(map(str, place)))
                                    for name, place in chosen])[len(lines):]
    wrong = len(answers) != len(chosen)
    compared = 0
    tensors = dict(module.named_parameters(), x=x)
    for (name, place), answer in zip(chosen, answers):
        said = [line[7:] for line in answer["lines"] if line.startswith("  over ")]
        for text in said[0].split(" and ") if said else []:
            of, index = re.fullmatch(r"%?([\w.]+)(\[.*\])", text).groups()
            # Of einsum both operands are x: what reaches it is reached by both.
            if name == "einsum":
                continue
            wanted = reached(torch.autograd.grad(keeps.kept[name][tuple(place)], tensors[of],
                                                 retain_graph=True)[0])
            compared += 1
            if index != wanted:
                wrong += 1
                print("reach: %s%s: over %s, not %s" % (name, place, text, wanted))
        if not said:
            wrong += 1
            print("reach: %s%s: %s" % (name, place, answer["lines"]))
    print("reach: %d compared with gradients, %d wrong" % (compared, wrong))
    return wrong + (compared < 60)


def main():
    count = int(os.environ.get("EXPLAIN_COUNT", 12))
    models = int(os.environ.get("EXPLAIN_MODELS", 1))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        with open("families.py", "w") as out:
            out.write(FAMILIES)
        torch.manual_seed(0)
        families = __import__("families").Families().eval()
        with open("parts.py", "w") as out:
            out.write(PARTS)
        parts = __import__("parts").Parts().eval()
        with open("reach.py", "w") as out:
            out.write(REACH)
        with open("elements.py", "w") as out:
            out.write(ELEMENTS)
        elements = __import__("elements").Elements().eval()
        failed += try_reach(folder, __import__("reach").Reach().eval(), torch.randn(3, 4, 6, 5))
        failed += try_model(folder, "elements.py:Elements()", elements,
                            {"x": torch.randn(2, 4, 6, 6)}, count, True)
        failed += try_model(folder, "parts.py:Parts()", parts, {"x": torch.randn(3, 5, 6)}, count,
                            True)
        failed += try_model(folder, "families.py:Families()", families,
                            {"x": torch.randn(3, 4, 9, 10),
                             "ids": torch.tensor([[1, 2, 3], [0, 2, 1], [3, 3, 0]])}, count, True)
        # Of torch 2.x it may lack compiled operators, in the traced process too.
        try:
            import torchvision
        except (ImportError, RuntimeError):
            print("no torchvision here: its models are not tried")
            models = 0
        for name in MODELS[:models]:
            torch.manual_seed(0)
            with open("one.py", "w") as out:
                out.write("import torch, torchvision\ntorch.manual_seed(0)\n"
                          "model = torchvision.models.%s().eval()\n" % name)
            module = getattr(torchvision.models, name)().eval()
            with open("%s_.py" % name, "w") as out:
                out.write("import torch, torchvision\n\n\ndef make():\n    torch.manual_seed(0)\n"
                          "    return torchvision.models.%s()\n" % name)
            failed += try_model(folder, "%s_.py:make()" % name, module,
                                {"x": torch.randn(1, 3, 64, 64)}, count, False)
    sys.exit(failed > 0)


main()
