"""Wrong passes of torch.fx on a model of many parts, each of which verification
has to refuse; and a right one beside them.

usage: [FXDB_ALL_PASSES=1] wrong_passes.py FXDB
"""
import os
import subprocess
import sys

import wrong_passes_parts

FILE = os.path.abspath(wrong_passes_parts.__file__)
# What was let through once; all of them take a while.
FEW = ("momentum", "input_written", "clamp_lost", "nan_allowed")
NAMES = wrong_passes_parts.WRONG if os.environ.get("FXDB_ALL_PASSES") else FEW
INPUTS = ("x=f32[2,5,6]", "image=f32[2,2,8,8]", "ids=i64[2,5]",
          "mask=bool[2,5,5]", "bias=f32[5,5]", "draws=f32[4]", "held=f32[3]")


def main():
    lines = ["trace %s:parts() --train" % FILE]
    lines += ["input " + text for text in INPUTS]
    names = [*NAMES, "right"]
    for name in names:
        lines += ["echo == " + name, "pass run python:%s:%s" % (FILE, name)]
    lines += ["echo == end", "info undo"]
    done = subprocess.run(
        [sys.argv[1], "-nx", "-q", "-batch", "--keep-going", "--python",
         sys.executable] + [word for line in lines for word in ("-ex", line)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True)
    parts = done.stdout.split("== ")[1:]
    said = dict(part.split("\n", 1) for part in parts)
    wrong = [name for name in NAMES
             if "refused: " not in said.get(name, "")]
    for name in wrong:
        print("not refused: %s: %s" % (name, said.get(name, done.stdout)))
    if "verified on " not in said.get("right", ""):
        wrong.append("right")
        print("the right one: " + said.get("right", done.stdout))
    print("%d of %d wrong passes refused" %
          (len([name for name in NAMES if name not in wrong]),
           len(NAMES)))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
