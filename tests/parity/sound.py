#!/usr/bin/env python3
"""Every pass on torchvision's models and on small Hugging Face ones: what
verification says of each.

usage: sound.py [-l LIMIT] FXDB [MODEL...]

For running by hand, with a torch 2.x that has transformers for those; an hour
for all up to 30 million parameters.  Refused passes are errors of ours, as is
what cannot be verified.  MODEL is a name of torchvision or of transformers;
without any, all that have at most LIMIT million parameters (30).  What neither
is traced nor recorded is said and counted.
"""
import collections
import os
import subprocess
import sys
import time

import torch

import zoo

zoo.declare_operators()

PASSES = ["dce", "cse", "const-fold", "normalize",
          "normalize args=places spelling=operator",
          "normalize args=keep spelling=function", "reorder",
          "reorder order=memory", "reorder order=original", "fuse-conv-bn",
          "fuse-linear", "merge-linear", "remove-dropout", "remove-identity",
          "inline-all"]
HERE = os.path.dirname(os.path.abspath(__file__))
SEEDED = os.path.join(HERE, "..", "data", "trace", "seeded.py")
ZOO = os.path.join(HERE, "zoo.py")
HUGGING = os.path.join(HERE, "hugging.py")
# As small as the model allows.
SIDES = {"vit": 224, "swin": 224, "maxvit": 224, "inception": 96, "mvit": 224}
CLIPS = ("r3d", "mc3", "r2plus1d", "s3d", "mvit", "swin3d")


def lines_of_torchvision(name):
    """What opens a model and gives it inputs."""
    kind = name.split("_")[0]
    side = next((SIDES[word] for word in SIDES if name.startswith(word)), 64)
    shape = "2,3,%d,%d" % (side, side)
    if kind in CLIPS:
        frames = 16 if kind in ("s3d", "mvit") else 4
        shape = "1,3,%d,%d,%d" % (frames, side, side)
    how = "trace %s:model(\"%s\")" % (SEEDED, name)
    if zoo.is_detector(name):
        return ["trace %s:build(\"%s\") --example "
                "-i images=list_of_images()" % (ZOO, name)]
    if kind == "raft":
        return [how + " --example -i image1=f32[1,3,128,128] "
                "-i image2=f32[1,3,128,128]"]
    if kind in ("mvit", "swin3d"):
        return [how + " --example -i x=f32[%s]" % shape]
    return [how, "input x = f32[%s]" % shape]


def lines_of_hugging_face(index, row):
    return ["trace %s:model(%d) --example %s" % (HUGGING, index, " ".join(
        "-i %s=%s" % (name, "given(%d,\"%s\")" % (index, name)
                      if isinstance(value, torch.Tensor) else value)
        for name, value in row[3].items()))]


def verdict(text):
    for word in ("refused", "error", "not verified"):
        for line in text.split("\n"):
            if word in line:
                return line
    return "verified" if "verified" in text else "nothing"


def check(program, lines):
    """What was said of each pass, in one session."""
    lines = lines + ["lint"]
    for words in PASSES:
        lines += ["echo == " + words, "pass run " + words, "lint", "goto t0"]
    lines += ["echo == end"]
    done = subprocess.run(
        [program, "-nx", "-q", "-batch", "--keep-going", "--python",
         sys.executable] + [w for line in lines for w in ("-ex", line)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        stdin=subprocess.DEVNULL)
    parts = done.stdout.split("== ")
    if len(parts) != len(PASSES) + 2:
        return {"the session": "ended early: " + done.stdout[-300:]}
    opened = verdict(parts[0])
    if "error" in opened:
        return {"trace": opened}
    return {words: verdict(text) for words, _, text in
            (part.partition("\n") for part in parts[1:-1])}


def models(wanted, limit):
    """name -> lines, of all that are wanted."""
    ret = {}
    for name in zoo.all_names():
        if name in wanted or (not wanted and
                              zoo.parameters_of(name) <= limit * 1e6):
            ret[name] = lines_of_torchvision(name)
    if torch.__version__.startswith("1."):
        return ret
    import hugging
    for index, row in enumerate(hugging.MODELS):
        if not wanted or row[1] in wanted:
            ret["%s.%d" % (row[1], index)] = lines_of_hugging_face(index, row)
    return ret


def main():
    args = sys.argv[1:]
    limit = 30
    if args[0] == "-l":
        limit = float(args[1])
        args = args[2:]
    total = collections.Counter()
    wrong = unopened = 0
    chosen = models(args[1:], limit)
    for name, lines in chosen.items():
        start = time.time()
        said = check(args[0], lines)
        if "trace" in said:
            print("%s: not opened: %s" % (name, said["trace"]), flush=True)
            unopened += 1
            continue
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
    print("%d models, %d not opened: %s" %
          (len(chosen), unopened, dict(total)))
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
