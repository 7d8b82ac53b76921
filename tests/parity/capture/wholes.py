"""What a recording does not see into is one node that Python runs: the graph
gives what the model gives on other inputs, and the report says so.
"""
import importlib
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace"))

import numpy
import torch

import wholes
from session import Session

TRANSFORM = "a function transform, which Python runs as one call"
MAKES = "makes tensors that no recording sees; Python runs it as one call"
SCRIPT = "a scripted function, which Python runs as one call"
MODULE = "a ScriptModule, which Python runs as one call"
# What is kept whole: how many nodes for it, and what is said.
CASES = {
    "mapped": ({"vmap": 1}, TRANSFORM),
    "mapped_twice": ({"vmap": 2}, TRANSFORM),
    "mapped_within": ({"vmap": 1}, TRANSFORM),
    "closes_over": ({"vmap": 1}, TRANSFORM),
    "derived": ({"grad": 1}, TRANSFORM),
    "pushed": ({"jvp": 1}, TRANSFORM),
    "scripted": ({"decides": 2}, SCRIPT),
    "HasScript": ({"inner": 1}, MODULE),
    "HasTraced": ({"inner": 1}, MODULE),
    "by_numpy": ({"sine": 1}, MAKES),
    "each_by_numpy": ({"sine": 4}, MAKES),
    "HasNumpy": ({"cosine": 1, "halved": 1}, MAKES),
    "by_extension": ({"compiled_code": 1}, MAKES),
}
failures = []


def expect(truth, *what):
    if not truth:
        failures.append(" ".join(map(str, what)))


def eager(name):
    torch.manual_seed(0)
    model = getattr(wholes, name)
    if isinstance(model, type):
        model = model().eval()
    results = []
    for shape in (3, 4), (5, 4):
        torch.manual_seed(0)
        with torch.no_grad():
            results.append(model(torch.randn(shape)))
    return results


def value(session, name, folder):
    path = os.path.join(folder, "output.npy")
    session.run("dump value output " + path)
    if not os.path.exists(path):
        expect(False, name, "has no output:", session.run("info status"))
        return None
    array = torch.from_numpy(numpy.load(path))
    os.remove(path)
    return array


def check(session, name, nodes, remark, folder):
    said = session.run("trace wholes.py:%s%s --example -i x=randn(3,4)" % (
        name, "()" if name[0].isupper() else ""))
    expect("checked on other values" in said, name, said)
    expect("kept whole (info trace)" in said, name, "does not say so:", said)
    expect("specialisation" not in said, name, "fixes something:", said)
    trace = session.run("info trace")
    expect(trace.count(remark) == len(nodes), name, trace)
    lines = session.run("nodes").splitlines()
    for target, count in nodes.items():
        found = [line for line in lines if " %s " % target in line or
                 " whole." + target in line or "." + target + " " in line]
        expect(len(found) == count, name, lines)
    want = eager(name)
    got = [value(session, name, folder)]
    session.run("input x = randn(5,4)")
    session.run("run")
    got.append(value(session, name, folder))
    for a, b in zip(want, got):
        expect(b is not None and torch.equal(a, b), name,
               "is not what the model gives:", b, a)


def check_folders(session, folder):
    """What a name in the model's file leads to is imported by a folder; of what
    is not, it says so."""
    sys.path.insert(0, folder)
    x = torch.randn(5, 4)
    for name in "scripted", "mapped_by_name":
        session.run("trace wholes.py:%s --example -i x=randn(3,4)" % name)
        said = session.run("dump folder %s/of_%s" % (folder, name))
        expect("error" not in said, name, said)
        if "error" not in said:
            made = importlib.import_module("of_" + name).FxModule()
            expect(torch.equal(made(x), getattr(wholes, name)(x)), name,
                   "in a folder gives something else")
    session.run("trace wholes.py:mapped --example -i x=randn(3,4)")
    said = session.run("dump folder %s/none" % folder)
    expect("a function of the model's file around it, marked with "
           "torch.fx.wrap, is imported" in said, said)


def main():
    session = Session()
    with tempfile.TemporaryDirectory() as folder:
        for name, (nodes, remark) in CASES.items():
            check(session, name, nodes, remark, folder)
        check_folders(session, folder)
    said = session.run("trace wholes.py:constant --example -i x=randn(3,4)")
    expect("checked on other values" in said and "whole" not in said, said)
    said = session.run("trace wholes.py:in_itself --example -i x=randn(3,4)")
    expect("gives something else than the model" in said, said)
    expect("a tensor that no recorded call made" in session.run("info trace"),
           "a constant that is wrong")
    session.end()
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


main()
