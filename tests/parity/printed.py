#!/usr/bin/env python3
"""print(gm) in a file, opened by fxdb: code equal to gm.code, and parameters
of layers with the shapes that the model has; the same pasted into an issue, a
mail, a terminal, and so of all else that torch.fx prints.

usage: printed.py FXDB
"""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile

import torch
from torch import nn

import oracle  # noqa: F401  which repairs torch.fx


class Blocks(nn.Module):
    """Lists, names that are numbers, layers of many kinds, equal ones that
    torch 2 prints once, a parameter of its own."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(4)])
        self.parts = nn.ModuleDict({
            "a": nn.Sequential(nn.LayerNorm(4), nn.GELU()),
            "b": nn.Embedding(5, 4, padding_idx=0)})
        self.conv = nn.Conv1d(4, 4, 3, padding=1, padding_mode="circular",
                              bias=False)
        self.norm = nn.BatchNorm1d(4, affine=False)
        self.drop = nn.Dropout(0.25)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x, ids):
        for layer in self.layers:
            x = torch.relu(layer(x))
        x = self.parts["a"](x) * self.scale + self.parts["b"](ids)
        return self.drop(self.norm(self.conv(x.transpose(1, 2))))


class Plain(nn.Module):
    def forward(self, x, y=2, *, z=None):
        return (x + y).neg(), z


def models():
    yield "blocks", Blocks()
    yield "plain", Plain()
    with contextlib.suppress(Exception):
        import zoo
        with contextlib.suppress(Exception):
            zoo.declare_operators()
        import torchvision
        yield "resnet18", torchvision.models.resnet18()
        yield "swin", torchvision.models.swin_t()


def check(fxdb, folder, name, model):
    traced = torch.fx.symbolic_trace(model)
    path = os.path.join(folder, name + ".txt")
    with open(path, "w") as file:
        print(traced, file=file)
    said = subprocess.run(
        [fxdb, "-nx", "--batch", "-ex", "load " + path, "-ex",
         "dump python -o %s.code" % path, "-ex", "info params"],
        capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    with open(path + ".code") as file:
        code = file.read().rstrip()
    assert code == traced.code.rstrip(), "%s\n%s" % (code, traced.code)
    found = dict(re.findall(r"^(\S+) +(?:parameter|buffer) +\w+ +(\[.*?\])",
                            said.stdout, re.M))
    wanted = {key: str(list(tensor.shape)).replace(" ", "")
              for key, tensor in traced.state_dict().items()
              if not _is_own(traced, key)}
    assert found == wanted, "%s\n%s" % (
        sorted(found.items() - wanted.items()),
        sorted(wanted.items() - found.items()))


def _is_own(model, path):
    """Whether what lies at PATH is in a module that is no layer of torch.nn."""
    module = model.get_submodule(path.rpartition(".")[0])
    return type(module) is nn.Module or \
        not type(module).__module__.startswith("torch.nn.")


def _lines(mark):
    return lambda text: "".join(mark + line + "\n"
                                for line in text.splitlines())


SOURCE = ("import torch\nclass Net(torch.nn.Module):\n"
          "    def __init__(self):\n        super().__init__()\n"
          "    def forward(self, x):\n        return x\n")


PASTES = (
    lambda text: "```python\n%s\n```\n" % text,
    lambda text: "It's wrong (see below):\n\n```\n%s\n```\n\nIsn't it?\n"
                 "```\nTraceback (most recent call last):\n```\n" % text,
    lambda text: "```py\n%s```\nprints\n~~~\n%s\n~~~\n" % (SOURCE, text),
    lambda text: "1. do\n\n   ```\n%s   ```\n2. see\n" % _lines("   ")(text),
    lambda text: _lines("> ")("I get\n```\n%s\n```\n" % text) + "\nWhy?\n",
    lambda text: "He wrote:\n%s\nI don't see it.\n" % _lines("> ")(text),
    lambda text: ">>> import torch\n>>> for x in y:\n...     f(x)\n...\n"
                 ">>> print(it)\n%s\n>>> \n" % text,
    lambda text: "In [3]: print(it)\n%s\n\nIn [4]: \n" % text,
    lambda text: "$ python3 it.py\nIt's (slowly) traced...\n%s\n"
                 "me@home:~$ exit\n" % text)


def _printed(traced):
    yield str(traced)
    yield traced.code
    yield str(traced.graph)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        traced.print_readable()
    yield said.getvalue()


def _load(fxdb, folder, text):
    path = os.path.join(folder, "paste.txt")
    with open(path, "w") as file:
        file.write(text)
    said = subprocess.run(
        [fxdb, "-nx", "--batch", "-ex", "load " + path, "-ex", "dump python"],
        capture_output=True, text=True)
    assert said.returncode == 0, "%s\n%s" % (said.stderr, text)
    return said.stdout


def check_pastes(fxdb, folder, model):
    traced = torch.fx.symbolic_trace(model)
    count = 0
    for text in _printed(traced):
        alone = _load(fxdb, folder, text)
        for paste in PASTES:
            pasted = paste(text.rstrip("\n"))
            got = _load(fxdb, folder, pasted)
            assert got == alone, "%s\n%s" % (pasted, got)
            count += 1
    return count


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models():
            check(sys.argv[1], folder, name, model)
            count += 1
        pastes = sum(check_pastes(sys.argv[1], folder, model)
                     for model in (Blocks(), Plain()))
    print("%d modules printed and read, %d pastes, torch %s"
          % (count, pastes, torch.__version__))
    return 0 if count >= 2 else 1


sys.exit(main())
