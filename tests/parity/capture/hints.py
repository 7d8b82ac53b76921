"""Every line that fxdb offers for a model that torch.fx refuses, typed as it
stands in the same session, opens a graph that gives what the model gives, or
leads to another such line.
"""
import inspect
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace"))

import numpy
import torch

import constructs
from session import Session

SHAPE = "f32[2,3]"
failures = []


def expect(truth, *what):
    if not truth:
        failures.append(" ".join(map(str, what)))


def offered(said):
    """The lines that SAID offers, shapes in their places."""
    return [re.sub(r"(-i \w+=)\.\.\.", r"\1" + SHAPE, line) for line in
            re.findall(r"(trace constructs\.py:.*)$", said, re.M)]


def value(session, name, folder):
    path = os.path.join(folder, "value.npy")
    session.run("dump value %s %s" % (name, path))
    if not os.path.exists(path):
        return None
    array = torch.from_numpy(numpy.load(path))
    os.remove(path)
    return array


def check_opened(session, name, line, said, folder):
    """What LINE opened does what the model NAME does."""
    if "given" not in line and "-i x=" not in line:
        session.run("input x = " + SHAPE)
    ran = session.run("run")
    if "Finished" not in ran and "--example" not in line:
        # What it is then: a line to type for that too.
        more = offered(said) + offered(ran)
        expect(more, line, "opens what cannot run:", said, ran)
        return more
    torch.manual_seed(0)
    model = getattr(constructs, name)().eval()
    x, got = value(session, "x", folder), value(session, "output", folder)
    with torch.no_grad():
        torch.manual_seed(0)
        want = model(x.clone()) if x is not None else None
    if isinstance(want, torch.Tensor) and name not in ("Draws", "InPlace"):
        expect(got is not None and torch.equal(got, want), line, "gives", got,
               "not", want, said, ran)
    else:
        expect("Finished" in ran or "--example" in line, line, ran)
    return []


def follow(session, name, line, folder, depth=0):
    """The number of lines typed that opened a graph."""
    said = session.run(line)
    if re.search(r"(?m)^%s(-\d+)?: \d+ nodes, " % name, said):
        more = check_opened(session, name, line, said, folder)
        session.run("graph drop " + (re.findall(r"^(\S+): ", said) + [""])[0])
        opened = not more
    else:
        more, opened = offered(said), False
        expect(more, line, "offers nothing:", said)
    expect(depth < 5, line, "leads nowhere:", said)
    return opened + sum(follow(session, name, each, folder, depth + 1)
                        for each in more if depth < 5)


def main():
    session = Session()
    opened = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, kind in vars(constructs).items():
            if not inspect.isclass(kind) or not issubclass(
                    kind, torch.nn.Module):
                continue
            for flags in "", " -i x=" + SHAPE:
                opened += follow(session, name, "trace constructs.py:%s%s" % (
                    name, flags), folder)
    session.end()
    expect(opened > 60, "only", opened, "lines opened a graph")
    for failure in failures:
        print(failure)
    print("%d opened" % opened)
    sys.exit(bool(failures))


main()
