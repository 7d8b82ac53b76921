#!/usr/bin/env python3
"""Compare shapes through whole models with torch.fx's ShapeProp.

usage: models.py META_EVAL [MODEL...]

torchvision's models are traced by torch.fx, exported as .fxg without their
weights' values, and every node's shape and dtype compared.
"""
import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings

import torch
import torch.fx
from torch.fx.passes.shape_prop import ShapeProp

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import export_fxg
import oracle                                   # repairs torch.fx 1.13

warnings.simplefilter("ignore")
SHORT = export_fxg.SHORT

# The first few by default, as each takes seconds; "all" means all of them.
FEW = 3
MODELS = ["resnet18", "shufflenet_v2_x0_5", "mobilenet_v3_small", "mobilenet_v2", "alexnet",
          "squeezenet1_1", "densenet121", "googlenet", "efficientnet_b0",
          "regnet_y_400mf", "mnasnet0_5",
          "convnext_tiny", "vgg11_bn", "inception_v3", "vit_b_32",
          "swin_t"]


def answer(meta):
    if isinstance(meta, torch.fx.passes.shape_prop.TensorMetadata):
        return "%s%s" % (SHORT[str(meta.dtype).split(".")[1]],
                         list(meta.shape))
    if isinstance(meta, (tuple, list)) and not isinstance(meta, torch.Size):
        parts = [answer(one) for one in meta]
        return None if None in parts else "(%s)" % ", ".join(parts)
    return None


def check(program, name, folder):
    import torchvision.models
    make = getattr(torchvision.models, name)
    kwargs = {"init_weights": False} if name in ("googlenet",
                                                 "inception_v3") else {}
    try:
        gm = torch.fx.symbolic_trace(make(**kwargs).eval())
    except Exception as e:                      # not every model traces here
        return None, "not traced: %s" % str(e).split("\n")[0]
    side = 299 if name == "inception_v3" else 224
    with torch.no_grad():
        ShapeProp(gm).propagate(torch.randn(2, 3, side, side))
    path = os.path.join(folder, name + ".fxg")
    export_fxg.save(gm, path)
    question = {"op": "fxg", "target": path,
                "inputs": ["f32[2, 3, %d, %d]" % (side, side)]}
    out = subprocess.run([program], input=json.dumps(question) + "\n",
                         capture_output=True, text=True, check=True).stdout
    ours = dict(line.split(" ", 1) for line in out.splitlines() if line)
    wrong = []
    known = 0
    for node in gm.graph.nodes:
        want = answer(node.meta.get("tensor_meta")) \
            if "tensor_meta" in node.meta else None
        have = ours.get(node.name, "missing")
        if have.startswith("?") or have == "missing":
            wrong.append("%s %s: %s" % (node.name, node.target, have))
        elif want is not None and have != want and node.op != "output":
            wrong.append("%s: torch %s, fxdb %s" % (node.name, want, have))
        else:
            known += 1
    return len(gm.graph.nodes), wrong


def main():
    program = sys.argv[1]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        names = sys.argv[2:] or MODELS[:FEW]
        for name in MODELS if names == ["all"] else names:
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
