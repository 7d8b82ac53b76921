"""Models that set autocast, recorded: the graph gives the dtypes and bits that
the model gives, on other inputs too, computed by torch's library and by Python,
training and not; and it says nothing of autocast, which it does not need.
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace"))

import numpy
import torch

import autocast
from session import Session

# What each has: casts, and calls that Python runs under autocast in this torch.
CASTS = {"Regions": 4, "Decorated": 6, "Layers": 5, "Attention": 3,
         "Recurrent": None, "Plain": 0, "Scripted": 0}
failures = []


def expect(truth, *what):
    if not truth:
        failures.append(" ".join(map(str, what)))


def eager(name, trains):
    results = []
    for rows in 4, 6:
        torch.manual_seed(0)
        model = getattr(autocast, name)().train(trains)
        with torch.no_grad():
            torch.manual_seed(1)
            x = torch.randn(rows, 16)
            torch.manual_seed(0)
            found = model(x)
        results.append(found if isinstance(found, tuple) else (found,))
    return results


def values(session, count, folder):
    found = []
    path = os.path.join(folder, "value.npy")
    for at in range(count):
        element = "output[%d]" % at if count > 1 else "output"
        said = session.run("print " + element)
        session.run("dump value %s.float() %s" % (element, path))
        if os.path.exists(path):
            found.append((said.split("= ")[-1].partition("[")[0],
                          torch.from_numpy(numpy.load(path))))
            os.remove(path)
    return found


def check(session, name, flags, folder):
    case = name + flags
    said = session.run("trace autocast.py:%s%s --example -i x=randn(4,16)" %
                       (name, flags))
    expect("checked on other values" in said and "warning" not in said, case,
           said)
    casts = session.run("nodes {target=to}").count("call_method")
    expect(CASTS[name] in (casts, None), case, "has", casts, "casts")
    expect("does not keep" not in session.run("info trace"), case)
    for rows, want in zip((4, 6), eager(name, "--train" in flags)):
        session.run("seed 1")
        session.run("input x = randn(%d,16)" % rows)
        session.run("seed 0")
        session.run("run")
        got = values(session, len(want), folder)
        for a, (dtype, b) in zip(want, got):
            word = {"bfloat16": "bf16", "float32": "f32",
                    "float64": "f64"}[str(a.dtype)[6:]]
            expect(word == dtype, case, rows, "is", dtype, "not", word)
            expect(torch.equal(a.float(), b), case, rows, "differs")
        expect(len(got) == len(want), case, rows, "has no values")


def check_traced(session):
    """A symbolic trace has none of it, and says so."""
    for spec, places in (("Regions", " at autocast.py:24"), ("Decorated", ""),
                         ("Partly --partial", " at autocast.py:24")):
        said = session.run("trace autocast.py:" + spec)
        expect("warning: autocast%s is not in the graph" % places in said and
               "--example" in said, spec, "traced:", said)
    for spec in "torch.nn:ReLU()", "autocast.py:Within --partial":
        said = session.run("trace " + spec)
        expect("traced in" in said and "warning" not in said, said)


def main():
    session = Session()
    check_traced(session)
    with tempfile.TemporaryDirectory() as folder:
        for backend in "auto", "python":
            session.run("set backend " + backend)
            for name in CASTS:
                check(session, name, "", folder)
        session.run("set backend auto")
        check(session, "Layers", " --train", folder)
    session.end()
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


main()
