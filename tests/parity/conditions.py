"""Conditions on symbolic sizes beside eager PyTorch: conditions.py FXDB

Each model is given symbolic sizes; for many sizes, eager PyTorch runs exactly
where all conditions that fxdb shows hold, and where they do not, fxdb names the
first one that is broken.
"""
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile

import torch

SOURCE = '''
import torch
import torch.nn as nn
import torchvision

class Flat(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 32, 3, stride=2, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(512, 5)
    def forward(self, x):
        return self.fc(torch.flatten(self.pool(self.conv(x)), 1))

class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 4, 3, padding=1)
        self.pool = nn.MaxPool2d(2)
        self.up = nn.ConvTranspose2d(4, 4, 2, stride=2)
    def forward(self, x):
        down = self.down(x)
        return torch.cat([down, self.up(self.pool(down))], 1)

class Views(nn.Module):
    def forward(self, x):
        return x.view(x.size(0), -1, 6) + x.view(x.size(0), -1, 4).sum()

class Product(nn.Module):
    def forward(self, x, y):
        return torch.matmul(x, y) + x

class Clash(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 8)
        self.b = nn.Linear(5, 8)
    def forward(self, x):
        return self.a(x) + self.b(x)

def vgg():
    model = torchvision.models.vgg11(num_classes=4)
    model.avgpool = nn.Identity()
    model.classifier = nn.Linear(512 * 2, 4)
    return model

def alexnet():
    return torchvision.models.alexnet(num_classes=4)

def resnet():
    return torchvision.models.resnet18(num_classes=4)
'''

# Maker, the sizes of its inputs, what each symbol is tried as.
CASES = [
    ("Flat", ["N,C,H,W"], dict(N=[2], C=[3, 4], H=range(9, 24, 3),
                               W=range(9, 24, 3))),
    ("UNet", ["2,3,H,W"], dict(H=range(4, 9), W=range(4, 9))),
    ("Views", ["N,C"], dict(N=[2, 3], C=range(2, 30))),
    ("Product", ["A,B", "C,D"], dict(A=[2, 3], B=[2, 3], C=[2, 3], D=[2, 3])),
    ("Clash", ["N,K"], dict(N=[2], K=[3, 4, 5])),
    ("vgg", ["1,C,H,W"], dict(C=[3, 4], H=[32, 63, 64], W=[32, 64, 96])),
    ("alexnet", ["1,C,H,W"], dict(C=[3, 4], H=[64], W=[64, 71])),
    ("resnet", ["1,C,H,W"], dict(C=[3, 1], H=[33], W=[32, 47])),
]


def holds(text, sizes):
    return eval(re.sub(r"(?<![<>])=", "==", text.replace("<=", "<\x00"))
                .replace("<\x00", "<="), {}, sizes)


def spec(shapes, sizes):
    names = ["x", "y"]
    said = []
    for name, shape in zip(names, shapes):
        numbers = [str(sizes.get(part, part)) for part in shape.split(",")]
        said.append("%s=f32[%s]" % (name, ",".join(numbers)))
    return " ".join(said)


def runs(model, shapes, sizes):
    inputs = [torch.zeros([int(sizes.get(part, part))
                           for part in shape.split(",")]) for shape in shapes]
    try:
        with torch.no_grad():
            model(*inputs)
        return True
    except RuntimeError:
        return False


def ask(fxdb, path, maker, lines):
    script = "".join(line + " -j\n" for line in lines)
    name = os.path.join(os.path.dirname(path), "script.fxdb")
    with open(name, "w") as file:
        file.write(script)
    call = maker + "()" if maker.islower() else maker
    done = subprocess.run([fxdb, "--python", sys.executable,
                           path + ":" + call, "-batch", "-x", name],
                          stdout=subprocess.PIPE, universal_newlines=True)
    return [json.loads(line) for line in done.stdout.splitlines()
            if line.startswith("{")]


def check(fxdb, path, scope, case):
    maker, shapes, tried = case
    model = scope[maker]().eval()
    all_sizes = [dict(zip(tried, values))
                 for values in itertools.product(*tried.values())]
    lines = ["shapes " + spec(shapes, {})]
    lines += ["shapes " + spec(shapes, sizes) for sizes in all_sizes]
    answers = ask(fxdb, path, maker, lines)
    if len(answers) != len(lines):
        print("%s: %d answers to %d lines" % (maker, len(answers), len(lines)))
        return 1, 0, 0
    conditions = answers[0]["conditions"]
    failed = good = 0
    for sizes, answer in zip(all_sizes, answers[1:]):
        wanted = runs(model, shapes, sizes)
        told = all(c["possible"] and holds(c["needs"], sizes)
                   for c in conditions)
        named = any("; needs " in row["problem"]
                    for row in answer["problems"])
        good += wanted
        if told != wanted or named == wanted:
            failed += 1
            print("%s %s: eager %s, conditions %s, named %s: %s" % (maker,
                  sizes, wanted, told, named,
                  [c["needs"] for c in conditions]))
    return failed, good, len(all_sizes)


def main():
    torch.set_num_threads(1)
    failed = good = count = 0
    scope = {}
    exec(SOURCE, scope)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "models.py")
        with open(path, "w") as file:
            file.write(SOURCE)
        for case in CASES:
            one = check(sys.argv[1], path, scope, case)
            failed += one[0]
            good += one[1]
            count += one[2]
    print("conditions: %d sizes, %d of them run in eager, %d wrong"
          % (count, good, failed))
    return failed > 0 or good < 20 or count - good < 20


sys.exit(main())
