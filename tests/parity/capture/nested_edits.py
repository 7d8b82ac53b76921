"""GraphModules within a GraphModule, edited here and in torch.fx itself.

Models of random blocks, some called twice and some within others, get random
edits: the commands here, on the file that is saved then, the calls of torch.fx
there.  The code of every graph is the same, and so are the outputs in eager.
FXDB_NESTED (12) models.
"""
import os
import random
import subprocess
import sys
import tempfile

import torch
from torch import fx, nn

FXDB = os.environ["FXDB"]
BUILD = os.environ["FXDB_BUILDDIR"]
sys.path.insert(0, BUILD + "/src/capture")
import fxdb  # noqa: E402


class Tracer(fx.Tracer):
    def is_leaf_module(self, module, name):
        return isinstance(module, fx.GraphModule) or \
            super().is_leaf_module(module, name)


def traced(module):
    return fx.GraphModule(module, Tracer().trace(module))


class Block(nn.Module):
    def __init__(self, inner=None):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.act = nn.ReLU()
        self.drop = nn.Dropout(0.5)
        self.w = nn.Parameter(torch.randn(4))
        self.inner = inner

    def forward(self, x):
        y = self.drop(self.act(self.fc(x)))
        if self.inner is not None:
            y = self.inner(y) + self.inner(x)
        return torch.relu(y + x) * self.w


class Model(nn.Module):
    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        inner = traced(Block()) if seed % 2 else None
        self.one = traced(Block(inner))
        self.two = traced(Block())
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.two(self.one(x) + 1) - self.one(x))


def make(seed):
    return traced(Model(seed).eval()).eval()


def replace_relu(gm, command):
    [node] = [n for n in gm.graph.nodes if n.target is torch.relu]
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(torch.tanh, (node.args[0],))
    node.replace_all_uses_with(new)
    gm.graph.erase_node(node)
    new.name = "relu"
    command("replace relu = torch.tanh($v)")


def insert_neg(gm, command):
    node = next(n for n in gm.graph.nodes if n.name == "fc")
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(torch.neg, (node,))
    new.name = "less"
    node.replace_all_uses_with(new, lambda user: user is not new)
    command("insert after fc : less = torch.neg(fc) --splice")


def drop_dropout(gm, command):
    node = next(n for n in gm.graph.nodes if n.name == "drop")
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    command("pass run remove-dropout")


def other_module(gm, command):
    gm.act = nn.GELU()
    command("set module act = nn.GELU()")


def shift(gm, command):
    node = next(n for n in gm.graph.nodes if n.name == "mul")
    with gm.graph.inserting_after(node):
        new = gm.graph.call_method("add", (node, 2))
    new.name = "shifted"
    node.replace_all_uses_with(new, lambda user: user is not new)
    command("insert after mul : shifted = mul.add(2) --splice")


EDITS = [replace_relu, insert_neg, drop_dropout, other_module, shift]


def graphs(module, path=""):
    """Each GraphModule within, and where it is nested."""
    for name, child in module.named_children():
        if isinstance(child, fx.GraphModule):
            at = path + "." + name if path else name
            yield at, child
            yield from graphs(child, at)


def edit(seed, module):
    """Edit MODULE by torch.fx; the lines that do the same here."""
    chance = random.Random(seed)
    lines = []
    for path, gm in graphs(module):
        chosen = [e for e in EDITS if chance.random() < 0.6]
        for one in chosen:
            lines.append("graph /" + path)
            one(gm, lines.append)
        gm.graph.lint()
        gm.recompile()
    return lines + ["graph /"]


def look(seed, folder):
    model = make(seed)
    lines = edit(seed, model)
    file = f"{folder}/{seed}.fxg"
    undone = f"{folder}/{seed}_undone.fxg"
    count = sum(not line.startswith("graph") for line in lines)
    more = [f"save {file}", f"undo {count}", f"save {undone}"]
    command = [FXDB, "-nx", "-batch", "--python", sys.executable,
               f"{__file__}:make({seed})", "-ex", "input x = f32[3,4]"]
    for line in lines + (more if count else more[:1]):
        command += ["-ex", line]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if said.returncode:
        return f"{lines}: {said.stdout}{said.stderr}"
    x = torch.randn(3, 4)
    here = fxdb.load(file).to_torch().eval()
    if not torch.equal(here(x), model(x)):
        return f"{lines}: other outputs"
    codes = [{path: gm.code for path, gm in graphs(m)} for m in (here, model)]
    if codes[0] != codes[1]:
        return f"{lines}: {codes[0]}\nis not {codes[1]}"
    if count and not torch.equal(fxdb.load(undone).to_torch().eval()(x),
                                 make(seed)(x)):
        return f"{lines}: undone it is not what it was"
    return None


if __name__ == "__main__":
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(int(os.environ.get("FXDB_NESTED", "12"))):
            why = look(seed, folder)
            if why:
                failed += 1
                print(f"model {seed}: {why}")
    sys.exit(failed > 0)
