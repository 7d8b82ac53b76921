"""Wrong passes of torch.fx on a model of many parts, each at one place, among
more than a hundred others where it is right: verification has to refuse it and to
name the change that is to blame.  What is right everywhere is verified.

usage: [FXDB_ALL_PASSES=1] wrong_passes.py FXDB
"""
import os
import re
import subprocess
import sys

import wrong_passes_parts

FILE = os.path.abspath(wrong_passes_parts.__file__)
# What was let through once; all of them take a while.
FEW = ("epsilon_of_one", "momentum", "input_written", "clamp_lost", "nan_allowed",
       "casts_lost")
NAMES = wrong_passes_parts.WRONG if os.environ.get("FXDB_ALL_PASSES") else FEW
INPUTS = ("x=f32[2,5,6]", "image=f32[2,2,8,8]", "ids=i64[2,5]",
          "mask=bool[2,5,5]", "bias=f32[5,5]", "draws=f32[4]", "held=f32[3]")


def is_named(guilty, said):
    """Whether the change that is blamed has that node, among enough others."""
    found = re.search(r"refused: .* first in change \d+ of (\d+): (.*); graph kept",
                      said)
    return found and int(found[1]) > 100 and \
        re.search(r"[-+~]%%%s\b" % guilty, found[2])


def main():
    lines = ["trace %s:parts() --train" % FILE]
    lines += ["input " + text for text in INPUTS]
    for name in NAMES:
        lines += ["echo == " + name,
                  "pass run 'python:%s:among(%s)'" % (FILE, name)]
    lines += ["echo == right", "pass run python:%s:right" % FILE]
    lines += ["echo == end", "info undo"]
    done = subprocess.run(
        [sys.argv[1], "-nx", "-q", "-batch", "--keep-going", "--python",
         sys.executable] + [word for line in lines for word in ("-ex", line)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        universal_newlines=True)
    parts = done.stdout.split("== ")[1:]
    said = dict(part.split("\n", 1) for part in parts)
    wrong = [name for name in NAMES if not is_named(
        wrong_passes_parts.WRONG[name], said.get(name, ""))]
    for name in wrong:
        print("not refused, or for another: %s: %s" % (
            name, said.get(name, done.stdout)[-1000:]))
    if "verified on " not in said.get("right", ""):
        wrong.append("right")
        print("the right one: " + said.get("right", done.stdout))
    if "undo: 1," not in said.get("end", ""):
        wrong.append("undo")
        print("what was refused left something: " + said.get("end", ""))
    print("%d of %d wrong passes refused, each for its change" %
          (len([name for name in NAMES if name not in wrong]),
           len(NAMES)))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
