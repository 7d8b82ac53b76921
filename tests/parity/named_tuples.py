#!/usr/bin/env python3
"""Results with names, as those of torch.max along a dimension: the python
backend shows what the torch backend does, a tuple of tensors.

usage: named_tuples.py
"""
import os
import re
import runpy
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "capture")]
from session import DATA, Session  # noqa: E402

NAMES = ["topk", "max_1", "min_1", "sort", "median", "mode", "kthvalue",
         "aminmax", "cummax", "frexp", "cummin"]
SEEN = ["nodes", "print top.values", "print %topk.indices[0, 1]",
        "print both.min", "print %max_1[0] + 1", "print %output",
        "goto @2", "nodes", "print %topk.values", "continue"]
SEEN += [command % name for name in NAMES
         for command in ("print %%%s", "stats %s", "why %s[0]")]
WRONG = ["why nan", "why topk[0][0,0]", "why mul[0,0]", "nodes", "stats topk",
         "watch nan topk", "run", "print %topk.values", "delete"]
CASES = [("Named", "torch.arange(24.).sin().reshape(4, 6)", SEEN),
         ("Wrong", "torch.tensor([[1., -2., 3.], [4., 5., 6.]])", WRONG)]
# The user's own: parts of them, on both backends.
USERS = ["print pair_of.mean[0, 1]", "print %pair_of[1] + 1",
         "print mixed_of.count", "stats mixed_of.scale", "print mixed_of[2]"]
# They are tuples.
OPENED = [("why pair_of[0][1,0]", "finite"), ("stats pair_of", "pair_of[1]"),
          ("explain pair_of[1][0,0]", "0.73105"),
          ("nodes name=mixed_of", "(7,f32[2,2],'n',f32[2,2])")]
# What is kept whole takes what has names.
KEPT = ["print %reader", "goto @2", "continue", "print %output"]
NUMBERS = re.compile(r"\$\d+|stdin:\d+|[Ww]atch \d+")


def heard(session, backend, model, x, commands):
    """What is said to each command."""
    session.run("trace named_tuples.py:%s --leaf named_tuples.Reader" % model)
    begin = ["input x = " + x, "set backend " + backend, "run"]
    said = [NUMBERS.sub("#", session.run(command))
            for command in begin + commands]
    while "no graph" not in session.run("close -f"):
        pass
    return said[2:]


def of_users(session):
    """Tuples of the user's; returns how much is wrong."""
    import torch
    models = runpy.run_path(os.path.join(DATA, "named_tuples.py"))
    x = torch.tensor([[1., 2.], [3., 4.]])
    leaf = "Users --leaf named_tuples.Part"
    right = "print allclose(%%output, torch.tensor(%s), 1e-5)" % (
        models["Users"]()(x).tolist())
    said = {}
    failed = 0
    for backend in "auto", "python":
        said[backend] = heard(session, backend, leaf,
                              "torch.tensor(%s)" % x.tolist(),
                              USERS + [right] + [ask for ask, _ in OPENED])
        if "True" not in said[backend][len(USERS) + 1]:
            print("Users on %s: %s" % (backend, "".join(said[backend])))
            failed += 1
    for at, command in enumerate(USERS, 1):
        if said["auto"][at] != said["python"][at] or \
                "error" in said["auto"][at]:
            print("%s: %s\nnot %s" % (command, said["auto"][at],
                                      said["python"][at]))
            failed += 1
    for at, (command, wanted) in enumerate(OPENED, len(USERS) + 2):
        for backend in said:
            if wanted not in said[backend][at]:
                print("%s on %s: %s" % (command, backend, said[backend][at]))
                failed += 1
    return failed


def compared(session):
    """What is said of the same on both backends, as far as they differ."""
    for name, backend in ("one", "auto"), ("other", "python"):
        for command in ("trace named_tuples.py:Named as " + name,
                        "input x = " + CASES[0][1], "set backend " + backend,
                        "run"):
            session.run(command)
    return session.run("compare one other")


# What is kept whole is recorded with what it takes, and what it gives is read
# where Python runs the one node.
KEPT_WHOLE = [("Kept", "Reader", "python"), ("Given", "Writer", "auto"),
              ("Given", "Writer", "python")]
X = "torch.arange(24.).sin().reshape(4, 6)"


def kept_whole(session, model, leaf, backend, how):
    """What is wrong with MODEL traced with LEAF, as HOW says, on BACKEND."""
    said = session.run("trace named_tuples.py:%s -i x=%s --leaf "
                       "named_tuples.%s%s" % (model, X, leaf, how))
    session.run("set backend " + backend)
    said += session.run("run") + session.run("print %output.shape")
    graph = session.run("dump listing")
    session.run("close -f")
    if "warning: on other values" in said or "Finished" not in said:
        return said
    return graph if how and model == "Kept" and "args = (%topk,)" not in graph \
        else ""


def main():
    failed = 0
    session = Session("-q", python=sys.executable)
    for model, x, commands in CASES:
        torch, python = (heard(session, backend, model, x, commands)
                         for backend in ("auto", "python"))
        for command, want, have in zip(["run"] + commands, torch, python):
            if want != have or "Stopped at" in have:
                print("%s, %s: %s\nnot %s" % (model, command, have, want))
                failed += 1
    said = heard(session, "python", "Kept", CASES[0][1], KEPT)
    if any("error" in text or "Stopped" in text for text in said):
        print("Kept: %s" % "".join(said))
        failed += 1
    for case in KEPT_WHOLE:
        for how in "", " --example":
            wrong = kept_whole(session, *case, how)
            if wrong:
                print("%s%s: %s" % (" ".join(case), how, wrong))
                failed += 1
    failed += of_users(session)
    said = heard(session, "auto", "Changes", "torch.ones(2, 2)", [])
    if "output f32[]  9" not in said[0]:
        print("Changes: %s" % "".join(said))
        failed += 1
    said = compared(session)
    if not said.startswith("0 of "):
        print("compare: " + said)
        failed += 1
    session.end()
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
