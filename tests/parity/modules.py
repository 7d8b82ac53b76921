"""modules.py FXDB: how print shows a module, beside its repr in PyTorch: each
layer that layers.py makes, and trees of them."""
import json
import os
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.fx

import export_fxg

warnings.simplefilter("ignore")


def cases():
    """The table CASES of layers.py, which as a program does more."""
    with open(os.path.join(os.path.dirname(__file__), "layers.py")) as f:
        text = f.read()
    space = {"torch": torch}
    exec(text[text.index("X4 ="):text.index("# Not in torch 1.13")], space)
    return space["CASES"]


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, (1, 2), padding="same",
                                    padding_mode="circular", groups=1)
        self.more = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Identity())
        self.nothing = None

    def forward(self, x):
        return self.more(self.conv(x))


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        made = [getattr(torch.nn, name)(*args, **kwargs)
                for name, rows in cases().items() if name != "Sequential"
                for args, kwargs, _ in rows if hasattr(torch.nn, name)]
        made.append(torch.nn.ConvTranspose2d(4, 4, 3, stride=2,
                                             output_padding=1, groups=2))
        made.append(torch.nn.Embedding(5, 3, max_norm=2.5, sparse=True))
        self.count = len(made)
        for i, layer in enumerate(made):
            self.add_module("l%d" % i, layer)
        self.block = Block()

    def forward(self, x):
        return [getattr(self, "l%d" % i)(x) for i in range(self.count)] + \
            [self.block(x)]


def main():
    gm = torch.fx.symbolic_trace(Layers().eval())
    paths = [n for n, _ in gm.named_modules() if n]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "layers.fxg")
        export_fxg.save(gm, path)
        script = os.path.join(folder, "lines")
        with open(script, "w") as f:
            f.write("".join("print self.%s\n" % p for p in paths))
        said = subprocess.run(
            [sys.argv[1], "-nx", "-batch", "--json", "--keep-going", path,
             "-x", script], stdout=subprocess.PIPE, check=False).stdout
    answers = [json.loads(line) for line in said.decode().splitlines()]
    answers = [a for a in answers if a["command"] == "print"]
    wrong = 0
    for path, answer in zip(paths, answers):
        wanted = repr(gm.get_submodule(path))
        if answer.get("value") != wanted:
            wrong += 1
            print("%s: wanted %s\n  got %s" % (
                path, wanted, answer.get("value", answer.get("error"))))
    print("%d modules, %d wrong" % (len(paths), wrong))
    sys.exit(wrong > 0 or len(answers) != len(paths))


main()
