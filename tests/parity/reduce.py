#!/usr/bin/env python3
"""reduce on models with one thing wrong in each (tests/data/trace/planted.py).

usage: reduce.py FXDB [NAME... | all]

What is left has at most five nodes, and the program that is written fails in
torch alone as the whole model does in eager mode: with the same exception and
message, with NaN or infinities, or with a value that is another.
"""
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch

warnings.simplefilter("ignore")
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path.insert(0, DATA)
import planted  # noqa: E402

FEW = ["variance", "reshape", "strides", "view", "gelu"]
MOST = 5


def eager(model, x):
    """How MODEL fails: the exception's type and message, or its output."""
    with torch.no_grad():
        try:
            return None, model(x)
        except Exception as error:  # whatever a model raises is its failure
            return type(error).__name__, str(error)


def reduce(program, name, folder, x):
    """What reduce says, as an object."""
    numpy.save(os.path.join(folder, "x.npy"), x.numpy())
    spec = "%s/planted.py:" % DATA
    model, _, _, kind = planted.PLANTED[name]
    lines = ["trace %splain('%s') as base" % (spec, model),
             "input x = file(\"%s/x.npy\")" % folder] if kind == "value" else []
    lines += ["trace %sbuild('%s') as bad" % (spec, name),
              "input x = file(\"%s/x.npy\")" % folder,
              "reduce -o %s/out%s" % (folder, " --against base" if kind == "value" else ""),
              "lint"]
    done = subprocess.run(
        [program, "-nx", "-q", "-batch", "--json", "--python", sys.executable] +
        [word for line in lines for word in ("-ex", line)],
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    for line in done.stdout.splitlines():
        answer = json.loads(line) if line.startswith("{") else {}
        if "nodes_before" in answer:
            return answer
    return {"error": done.stdout[-600:] + done.stderr[-600:]}


def check(program, name, folder):
    """What is wrong, or None; and a line of figures."""
    kind = planted.PLANTED[name][3]
    torch.manual_seed(7)
    size = 299 if planted.PLANTED[name][0] == "inception_v3" else 64
    x = torch.randn(1, 3, size, size)
    error, value = eager(planted.build(name), x)
    answer = reduce(program, name, folder, x)
    if "error" in answer and "nodes" not in answer:
        return answer["error"], ""
    figures = "%d of %d nodes, %d tries, %s" % (
        answer["nodes"], answer["nodes_before"], answer["tries"], answer["what"][:70])
    if answer["failure"] != kind:
        return "it is %s, not %s" % (answer["failure"], kind), figures
    if answer["nodes"] > MOST:
        return "more than %d nodes" % MOST, figures
    done = subprocess.run([sys.executable, os.path.join(folder, "out", "run.py")],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 1:
        return "run.py: status %d, %s" % (done.returncode, done.stdout + done.stderr), figures
    if kind == "error":
        last = done.stderr.strip()
        if not error or "%s: %s" % (error, value.split("\n")[0]) not in last:
            return "%s: %s in the model, and\n%s" % (error, value, last), figures
    elif "Traceback" in done.stderr:
        return done.stderr, figures
    elif kind == "nonfinite" and bool(torch.isfinite(value).all()):
        return "the model's output is finite", figures
    return None, figures


def main():
    program, *names = sys.argv[1:]
    failures = 0
    for name in list(planted.PLANTED) if names == ["all"] else names or FEW:
        with tempfile.TemporaryDirectory() as folder:
            wrong, figures = check(program, name, folder)
        print("%-10s %-20s %s" % (name, planted.PLANTED[name][0], figures), flush=True)
        if wrong:
            failures += 1
            print("not ok:", name, wrong)
    return 1 if failures else 0


sys.exit(main())
