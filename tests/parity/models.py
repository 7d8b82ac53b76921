#!/usr/bin/env python3
"""Compare shapes through whole models with torch.fx's ShapeProp.

usage: models.py META_EVAL [MODEL... | all]

torchvision's models are traced by torch.fx, exported as .fxg without their
weights' values, and every node's shape and dtype compared; all: every
classification and video model that torch.fx can trace.
"""
import json
import os
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.fx
from torch.fx.passes.shape_prop import ShapeProp

import export_fxg
import oracle                                   # repairs torch.fx 1.13
import zoo

warnings.simplefilter("ignore")
# By default, as each takes seconds.
FEW = ["stacks", "resnet18", "shufflenet_v2_x0_5", "mobilenet_v3_small"]

class stacks(torch.nn.Module):
    """Layers that torchvision's models do not have."""
    def __init__(self):
        super().__init__()
        nn = torch.nn
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(
            8, 2, 16, batch_first=True), 2, nn.LayerNorm(8))
        self.both = nn.Transformer(8, 2, 1, 1, 16)
        self.lstm = nn.LSTM(8, 6, 2, bidirectional=True)
        self.gru = nn.GRU(12, 5)

    def forward(self, x):
        y = self.both(self.encoder(x), x)
        y, (h, c) = self.lstm(y)
        return self.gru(y)[0], h + c


def names():
    return ["stacks", *zoo.builders()]


def build(name):
    return stacks().eval() if name == "stacks" else zoo.build(name)


def input_shape(name):
    """Of two examples, of the size the model is made for."""
    if name == "stacks":
        return [3, 7, 8]
    if "3d" in name or name in ("mc3_18", "r2plus1d_18", "s3d") or \
            name.startswith("mvit"):
        return [2, 3, 16, 224, 224]
    side = {"inception_v3": 299, "vit_h_14": 224}.get(name, 224)
    return [2, 3, side, side]


def propagate(gm, shape):
    """ShapeProp, on the meta device, or where that has not all operators on
    values that nobody chose.
    """
    with torch.no_grad():
        try:
            ShapeProp(gm.to("meta")).propagate(
                torch.empty(shape, device="meta"))
        except RuntimeError:
            ShapeProp(gm.to_empty(device="cpu")).propagate(torch.empty(shape))


def answer(meta):
    if isinstance(meta, torch.fx.passes.shape_prop.TensorMetadata):
        return "%s%s" % (export_fxg.SHORT_OF[meta.dtype],
                         list(meta.shape))
    if isinstance(meta, (tuple, list)) and not isinstance(meta, torch.Size):
        parts = [answer(one) for one in meta]
        return None if None in parts else "(%s)" % ", ".join(parts)
    return None


def check(program, name, folder):
    try:
        gm = torch.fx.symbolic_trace(build(name))
    except Exception as e:                      # not every model traces here
        return None, "not traced: %s" % str(e).split("\n")[0]
    path = os.path.join(folder, name + ".fxg")
    export_fxg.save(gm, path)
    shape = input_shape(name)
    propagate(gm, shape)
    question = {"op": "fxg", "target": path, "inputs": ["f32%s" % shape]}
    out = subprocess.run([program], input=json.dumps(question) + "\n",
                         capture_output=True, text=True, check=True).stdout
    ours = dict(line.split(" ", 1) for line in out.splitlines() if line)
    wrong = []
    for node in gm.graph.nodes:
        want = answer(node.meta.get("tensor_meta")) \
            if "tensor_meta" in node.meta else None
        have = ours.get(node.name, "missing")
        if have.startswith("?") or have == "missing":
            wrong.append("%s %s: %s" % (node.name, node.target, have))
        elif want is not None and have != want and node.op != "output":
            wrong.append("%s: torch %s, fxdb %s" % (node.name, want, have))
    return len(gm.graph.nodes), wrong


def main():
    program = sys.argv[1]
    zoo.leave_weights()
    failed = 0
    chosen = sys.argv[2:] or FEW
    with tempfile.TemporaryDirectory() as folder:
        for name in names() if chosen == ["all"] else chosen:
            count, wrong = check(program, name, folder)
            if count is None:
                print("%s: %s" % (name, wrong))
                continue
            print("%s: %d nodes, %d differ" % (name, count, len(wrong)))
            for line in wrong[:10]:
                print("  " + line)
            failed += len(wrong)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
