"""why NODE[i] --against FILE.npz, where one element of the input is another: it
ends at that element, for random elements of random nodes.

WHY_ELEMENTS says how many (of five models alike), WHY_ELEMENTS_ON where they
lie; what differs is known from eager PyTorch.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy
import torch
import torch.fx

SOURCE = """
import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.one = nn.Conv2d(n, n, 3, padding=1)
        self.norm = nn.BatchNorm2d(n)
        self.two = nn.Conv2d(n, n, 3, padding=1)

    def forward(self, x):
        return F.relu(x + self.two(F.relu(self.norm(self.one(x)))))


class Residual(nn.Module):
    shape = (2, 3, 12, 12)

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 6, 3, stride=2)
        self.blocks = nn.Sequential(Block(6), Block(6))
        self.head = nn.Linear(6, 4)

    def forward(self, x):
        y = self.blocks(self.stem(x))
        return self.head(y.mean((2, 3))).log_softmax(1)


class Mixer(nn.Module):
    shape = (2, 8, 10)

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(10)
        self.tokens = nn.Sequential(nn.Linear(8, 12), nn.GELU(), nn.Linear(12, 8))
        self.channels = nn.Sequential(nn.Linear(10, 14), nn.GELU(), nn.Linear(14, 10))

    def forward(self, x):
        for _ in range(2):
            x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
            x = x + self.channels(self.norm(x))
        return torch.tanh(x.flatten(1))


class Attention(nn.Module):
    shape = (2, 7, 12)

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(12, 36)
        self.out = nn.Linear(12, 12)
        self.register_buffer("mask", torch.tril(torch.ones(7, 7)) == 0)

    def forward(self, x):
        z = self.qkv(x)
        q, k, v = z[..., :12], z[..., 12:24], z[..., 24:]
        q = q.view(2, 7, 3, 4).permute(0, 2, 1, 3)
        k = k.view(2, 7, 3, 4).permute(0, 2, 1, 3)
        v = v.view(2, 7, 3, 4).permute(0, 2, 1, 3)
        score = (q @ k.transpose(2, 3)) * 0.5
        weight = score.masked_fill(self.mask, float("-inf")).softmax(-1)
        y = (weight @ v).permute(0, 2, 1, 3).reshape(2, 7, 12)
        return x + self.out(y)


class Unet(nn.Module):
    shape = (1, 2, 16, 16)

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(2, 4, 3, padding=1)
        self.deep = nn.Conv2d(4, 8, 3, padding=1)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2)
        self.last = nn.Conv2d(8, 2, 1)

    def forward(self, x):
        a = F.silu(self.down(x))
        b = F.silu(self.deep(F.max_pool2d(a, 2)))
        c = torch.cat([a, self.up(b)], 1)
        d = F.interpolate(self.last(c), scale_factor=2.0, mode="nearest")
        return d[:, :, 1:-1, ::2].clamp(-2, 2)


class Sequence(nn.Module):
    shape = (3, 6, 5)

    def __init__(self):
        super().__init__()
        self.gates = nn.Linear(5 + 7, 21)
        self.last = nn.Linear(7, 3)

    def forward(self, x):
        h = x.new_zeros(3, 7)
        steps = []
        for t in range(6):
            z = self.gates(torch.cat([x[:, t], h], 1))
            r, u, n = z[:, :7].sigmoid(), z[:, 7:14].sigmoid(), z[:, 14:]
            h = (1 - u) * torch.tanh(n * r) + u * h
            steps.append(self.last(h))
        return torch.stack(steps, 1).cumsum(1)
"""
MODELS = ("Residual", "Mixer", "Attention", "Unet", "Sequence")
EACH = 5  # elements asked for in one session
ON = os.environ.get("WHY_ELEMENTS_ON", "cpu")


class Keeps(torch.fx.Interpreter):
    def run_node(self, node):
        value = super().run_node(node)
        if isinstance(value, torch.Tensor):
            self.kept[node.name] = value.detach().cpu().numpy().copy()
        return value


def values(graph, x):
    keeps = Keeps(graph)
    keeps.kept = {}
    keeps.run(x.to(ON))
    return keeps.kept


def spot(index):
    return "[%s]" % ",".join(str(int(i)) for i in index)


def ask(name, asked):
    lines = ["trace net.py:%s().to('%s')" % (name, ON),
             "set backend %s" % ("torch" if ON == "cpu" else "python"),
             "input x = file(\"wrong.npy\")", "run"]
    arguments = [os.environ["FXDB"], "-nx", "-batch", "--json", "--keep-going", "--python",
                 sys.executable]
    for line in lines + asked:
        arguments += ["-ex", line]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=300)
    return [json.loads(line) for line in done.stdout.splitlines()][len(lines):]


def choose(draw, right, wrong):
    """Elements that differ by more than rounding does, of random nodes."""
    differing = []
    for node in wrong:
        if wrong[node].dtype.kind != "f" or node == "x":
            continue
        with numpy.errstate(invalid="ignore"):
            large = numpy.abs(wrong[node] - right[node]) > 1e-3 * (1 + numpy.abs(right[node]))
        if large.any():
            differing.append((node, numpy.argwhere(large)))
    if not differing:
        return []
    chosen = []
    for _ in range(EACH):
        node, where = draw.choice(differing)
        chosen.append((node, spot(draw.choice(list(where)))))
    return chosen


def main():
    count = int(os.environ.get("WHY_ELEMENTS", "500"))
    good = bad = 0
    draw = random.Random(int(os.environ.get("WHY_ELEMENTS_SEED", "1")))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        with open("net.py", "w") as out:
            out.write(SOURCE.replace("super().__init__()\n",
                                     "super().__init__()\n        torch.manual_seed(3)\n"))
        import net
        i = 0
        while good + bad < count:
            i += 1
            name = MODELS[i % len(MODELS)]
            module = getattr(net, name)().to(ON).eval()
            graph = torch.fx.symbolic_trace(module)
            torch.manual_seed(draw.randrange(1 << 30))
            x = torch.randn(module.shape)
            y = x.clone()
            index = tuple(draw.randrange(n) for n in x.shape)
            y[index] = draw.choice((-1, 1)) * draw.uniform(2, 9)
            right, wrong = values(graph, x), values(graph, y)
            chosen = choose(draw, right, wrong)
            if not chosen:  # a stride passes over it
                continue
            numpy.savez("right.npz", **right)
            numpy.save("wrong.npy", y.numpy())
            answers = ask(name, ["why %s%s --against right.npz --rtol %s" % (
                *one, 0 if ON == "cpu" else 1e-4) for one in chosen])
            for one, answer in zip(chosen, answers):
                if answer.get("from") == "x" and answer.get("from_element") == spot(index):
                    good += 1
                    continue
                bad += 1
                print("%s: %s%s: wanted x%s: %s" % (name, *one, spot(index),
                                                    json.dumps(answer)[:600]))
            bad += len(chosen) - len(answers)
    print("%d of %d elements led to the one that was changed" % (good, good + bad))
    sys.exit(bad > 0)


main()
