#!/usr/bin/env python3
"""print(gm) in a file, opened by fxdb: code equal to gm.code, and parameters
of layers with the shapes that the model has.

usage: printed.py FXDB
"""
import contextlib
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


def main():
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models():
            check(sys.argv[1], folder, name, model)
            count += 1
    print("%d modules printed and read, torch %s" % (count, torch.__version__))
    return 0 if count >= 2 else 1


sys.exit(main())
