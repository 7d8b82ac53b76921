"""What fxdb says of the decisions of a recording on other inputs, beside the
recording of these inputs: where the model decides the same, all hold.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))
sys.path.insert(0, os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace"))

import torch

import fxdb
import sizes
from fxdb import _example, _find
from session import Session

OTHERS = "f32[5,4]", "f32[3,6]", "f32[3,4]", "f32[4,9]"
failures = []


def decided(function, text):
    """Places and values of what FUNCTION decides of the input TEXT; None: it
    takes none such."""
    given = {"x": _find.example("x", text, 0, sizes)}
    try:
        _, recorder = _example.record(fxdb.Tracer(), function, given)
    except Exception:
        return None
    return list(recorder.notes), sum(map(bool, recorder.tests.values()))


def main():
    session = Session("--readonly")
    tested = broken = 0
    for name, function in vars(sizes).items():
        if getattr(function, "__module__", "") != "sizes":
            continue
        first, count = decided(function, "f32[3,4]")
        said = session.run("trace sizes.py:%s --example --no-check "
                           "-i x=f32[3,4]" % name)
        said = session.run("info trace")
        if "no longer" in said or "not known" in said or \
                said.count(" holds\n") != count:
            failures.append("%s: right after it was recorded:\n%s" % (name,
                                                                      said))
        for text in OTHERS:
            other = decided(function, text)
            said = session.run("input x = " + text) + session.run("run")
            trace = session.run("info trace")
            if not count or not other:
                continue
            tested += 1
            is_broken = "no longer holds" in trace
            broken += is_broken
            if other[0] == first and is_broken:
                failures.append("%s, %s decides the same:\n%s%s" % (
                    name, text, said, trace))
            if other[0] != first and len(first) == count and not is_broken:
                failures.append("%s, %s decides otherwise: %s\n%s%s" % (
                    name, text, other[0], said, trace))
    session.rest()
    if tested < 60 or broken < 20:
        failures.append("only %d tested, %d of them broken" % (tested, broken))
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
