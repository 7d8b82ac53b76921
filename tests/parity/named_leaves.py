#!/usr/bin/env python3
"""A module that is kept whole gets what torch gives with its names, traced and
recorded, on both backends: beside eager.

usage: named_leaves.py
"""
import os
import runpy
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "capture")]
from session import DATA, Session  # noqa: E402

import torch  # noqa: E402

X = "torch.arange(9.).sin().reshape(3,3)+torch.eye(3)*3"


def main():
    failed = 0
    names = list(runpy.run_path(os.path.join(DATA, "named_leaves.py"))["CALLS"])
    names += ["many", "fields of lu", "info"]
    model = runpy.run_path(os.path.join(DATA, "named_leaves.py"))["Whole"]()
    wanted = model(eval(X))
    session = Session("-q", python=sys.executable)
    for how in "", " --example":
        for backend in "auto", "python":
            said = session.run(
                "trace named_leaves.py:Whole%s --leaf named_leaves.Reads "
                "--leaf named_leaves.Many -i x=%s" % (how, X))
            session.run("set backend " + backend)
            said += session.run("run")
            for at, name in enumerate(names):
                right = session.run(
                    "print allclose(%%output[%d], torch.tensor(%s), 1e-4, "
                    "1e-4)" % (at, wanted[at].tolist()))
                if "True" not in right:
                    print("%s%s on %s: %s%s%snot %s" % (
                        name, how, backend, said, right,
                        session.run("print/v %%output[%d]" % at), wanted[at]))
                    failed += 1
            session.run("close -f")
    session.end()
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
