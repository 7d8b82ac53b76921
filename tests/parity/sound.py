#!/usr/bin/env python3
"""Every pass on torchvision's classifiers: what verification says of each.

usage: sound.py FXDB [MODEL...]

For running by hand, an hour for all.  Refused passes are errors of ours, as is
what cannot be verified.  Models with more parameters than LIMIT are left out
unless they are named.
"""
import collections
import os
import subprocess
import sys
import time

import zoo

LIMIT = 30e6
PASSES = ["dce", "cse", "const-fold", "normalize",
          "normalize args=places spelling=operator",
          "normalize args=keep spelling=function", "reorder",
          "reorder order=memory", "reorder order=original", "fuse-conv-bn",
          "fuse-linear", "merge-linear", "remove-dropout", "remove-identity",
          "inline-all"]
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "trace")


def side(name):
    """As small as the model allows."""
    if name.startswith(("vit", "swin", "maxvit")):
        return 224
    return 96 if name.startswith("inception") else 64


def check(program, name):
    """What was said of each pass, in one session."""
    lines = ["trace %s/seeded.py:model(\"%s\")" % (DATA, name),
             "input x = f32[2,3,%d,%d]" % (side(name), side(name))]
    for words in PASSES:
        lines += ["echo == " + words, "pass run " + words, "lint", "goto t0"]
    lines += ["echo == end"]
    done = subprocess.run(
        [program, "-nx", "-q", "-batch", "--keep-going", "--python",
         sys.executable] + [w for line in lines for w in ("-ex", line)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        stdin=subprocess.DEVNULL)
    said = {}
    parts = done.stdout.split("== ")
    if len(parts) != len(PASSES) + 2:
        return {"trace": parts[0].strip().split("\n")[-1]}
    for part in parts[1:-1]:
        words, _, text = part.partition("\n")
        if "refused" in text or "error" in text or "not verified" in text:
            said[words] = next(
                line for line in text.split("\n") if "refused" in line or
                "error" in line or "not verified" in line)
        else:
            said[words] = "verified" if "verified" in text else "nothing"
    return said


def main():
    import torchvision
    names = sys.argv[2:]
    if not names:
        names = [name for name in torchvision.models.list_models(
                     module=torchvision.models)
                 if torchvision.models.get_model_weights(name).DEFAULT.meta[
                     "num_params"] < LIMIT]
    total = collections.Counter()
    wrong = 0
    for name in names:
        start = time.time()
        said = check(sys.argv[1], name)
        counts = collections.Counter(
            word if word in ("verified", "nothing") else "wrong"
            for word in said.values())
        total += counts
        print("%s: %s (%.0f s)" % (name, dict(counts), time.time() - start),
              flush=True)
        for words, text in said.items():
            if text not in ("verified", "nothing"):
                print("  %s: %s" % (words, text), flush=True)
                wrong += 1
    print("%d models: %s" % (len(names), dict(total)))
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
