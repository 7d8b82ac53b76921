#!/usr/bin/env python3
"""Every pass on torchvision's models and on small Hugging Face ones: what
verification says of each.

usage: sound.py [-l LIMIT] FXDB [MODEL...]

For running by hand, with a torch 2.x that has transformers for those; an hour
for all up to 30 million parameters.  Refused passes are errors of ours, as is
what cannot be verified.  MODEL is a name of torchvision or of transformers;
without any, all that have at most LIMIT million parameters (30), small ones
first.  A line for each pass that changed something, one for each model.  What
neither is traced nor recorded is said and counted.
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
# By the first letters of a name: the side of its pictures, as small as the model
# allows, and what the model is built with so that it allows it.
SIDES = {"vit_h": (56, "image_size=56"), "vit": (64, "image_size=64"), "s3d": (224, ""),
         "maxvit": (224, ""), "mvit": (224, ""), "inception": (96, "")}
CLIPS = ("r3d", "mc3", "r2plus1d", "s3d", "mvit", "swin3d")
# Detectors make their pictures as large as they like them.
DETECTOR = "min_size=128, max_size=160"


def lines_of_torchvision(name):
    """What opens a model and gives it inputs."""
    kind = name.split("_")[0]
    side, options = next((SIDES[word] for word in SIDES
                          if name.startswith(word)), (64, ""))
    # The larger ones take long enough once.
    shape = "%d,3,%d,%d" % (2 if zoo.parameters_of(name) < 30e6 else 1,
                            side, side)
    if kind in CLIPS:
        frames = 16 if kind in ("s3d", "mvit") else 4
        shape = "1,3,%d,%d,%d" % (frames, side, side)
    if zoo.is_detector(name):
        how = "(\"%s\", %s) --example -i images=list_of_images()" % (
            name, "" if "ssd" in name else DETECTOR)
        return ["trace %s:build%s" % (ZOO, how)]
    how = "trace %s:model(\"%s\", %s)" % (SEEDED, name, options)
    if kind == "raft":
        return [how + " --example -i image1=f32[1,3,128,128] "
                "-i image2=f32[1,3,128,128]"]
    if kind in ("mvit", "swin3d"):
        return [how + " --example -i x=f32[%s]" % shape]
    return [how, "input %s = f32[%s]" % (
        "input" if kind == "lraspp" else "x", shape)]


def lines_of_hugging_face(index, row):
    return ["trace %s:model(%d) --example %s" % (HUGGING, index, " ".join(
        "-i %s=%s" % (name, "given(%d,\"%s\")" % (index, name)
                      if isinstance(value, torch.Tensor) else value)
        for name, value in row[3].items()))]


def verdict(text):
    """The line that says what is wrong, or what was verified; "nothing" where
    the pass found nothing to do."""
    for word in ("refused", "error", "not verified", "verified"):
        for line in text.split("\n"):
            if word in line:
                return line.strip()
    return "nothing"


def kind_of(text):
    if text == "nothing" or text.startswith("verified"):
        return text.split()[0].rstrip(":")
    return "wrong"


def check(program, lines):
    """What was said of each pass, in one session."""
    # A copy of the weights of the largest is more than undo keeps else.
    lines = ["set undo limit 0"] + lines + ["lint"]
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
    """name -> lines, of all that are wanted, small ones first."""
    ret = {}
    if not torch.__version__.startswith("1."):
        import hugging
        for index, row in enumerate(hugging.MODELS):
            if not wanted or row[1] in wanted:
                ret["%s.%d" % (row[1], index)] = lines_of_hugging_face(
                    index, row)
    for name in sorted(zoo.all_names(), key=zoo.parameters_of):
        if name in wanted or (not wanted and
                              zoo.parameters_of(name) <= limit * 1e6):
            ret[name] = lines_of_torchvision(name)
            if zoo.is_detector(name):
                ret[name + ".heads"] = [
                    "trace %s:heads(\"%s\")" % (ZOO, name),
                    "input x = f32[1,3,%d,%d]" % ((300, 300) if "ssd" in name
                                                  else (128, 128))]
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
        counts = collections.Counter(map(kind_of, said.values()))
        total += counts
        wrong += counts["wrong"]
        for words, text in said.items():
            if text != "nothing":
                print("  %s: %s" % (words, text), flush=True)
        print("%s: %s (%.0f s)" % (name, dict(counts), time.time() - start),
              flush=True)
    print("%d models, %d not opened: %s" %
          (len(chosen), unopened, dict(total)))
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main())
