#!/usr/bin/env python3
"""Odd models through fxdb's commands, beside eager PyTorch.

usage: odd.py FXDB [MODEL...]

A fact is a model of odd.py, commands, what is said (!TEXT: is not), the exit
status, and whether the output is what eager PyTorch gives, bit for bit.  NEW
goes on with m.fxg in another fxdb.
"""
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
import odd  # noqa: E402

TORCH2 = torch.__version__ >= "2"
SAVED = ["save m.fxg", "NEW", "run"]
FACTS = [
    # A leaf whose instance differs from its class.
    ("hook", ["run"], ["runs act (a forward hook)"], 0, True),
    ("pre_hook", ["run"], ["runs act (a forward pre-hook)"], 0, True),
    ("writing_hook", ["run"], [], 0, True),
    ("writing_hook", ["run", "reverse-step 3", "continue"], [], 0, True),
    ("own_forward", ["run"], ["runs fc (its own forward)"], 0, True),
    ("hook_below", ["run"], ["linear1 (a forward hook)"], 0, True),
    ("parametrized", ["run"], [], 0, True),
    ("hook", ["set backend torch", "run"],
     ["a ReLU with a forward hook runs in Python only"], 2, False),
    ("hook", SAVED, ["without the Python of act (a forward hook)",
                     "a ReLU with a forward hook runs in Python only"],
     2, False),
    ("hook", ["node act"], ["with a forward hook"], 0, False),
    ("hook", ["dump folder out"],
     ["act is a ReLU with a forward hook, which a folder cannot hold"],
     2, False),
    ("hook_below", ["dump folder out"], ["no call is known"], 2, False),
    ("Net", ["dump folder out", "save m.fxg"], ["!hook", "!without"], 0,
     False),
    ("hook", ["set module act = nn.ReLU()", "run", "info record"],
     ["backend      torch"], 0, False),
    ("hook", ["set module act = nn.ReLU()", "undo", "run"], ["in Python"], 0,
     True),
    ("raising_hook", ["run"],
     ["Stopped at @2 act: ValueError: the hook of act", "=>   2 E  act"], 2,
     False),
    # Values that libtorch's side cannot have.
    ("Complex", ["run"], ["only it has the values of w"], 0, True),
    ("Complex", SAVED, ["without the values of w", ": w has no values"], 2,
     False),
    ("Complex", SAVED[:2] + ["run --to last", "print last.shape"],
     ["!shapes only"], 0, False),
    ("Sparse", ["run"], ["only it has the values of table"], 0, True),
    ("Sparse", SAVED, ["without the values of table",
                       "table has no values"], 2, False),
    ("Unregistered", ["run", "info params"],
     ["!in Python", "scale", "fc.alias", "!idle"], 0, True),
    ("Unregistered", SAVED, ["!without"], 0, True),
    ("Unregistered", ["set backend python", "run"], [], 0, True),
    ("Unregistered", ["info params"], ["!no  "], 0, False),
    ("Cell", ["run"], [], 0, True),
    # What is written to out= is resized for it.
    ("Resized", ["print output.shape", "run"],
     ["$1 = torch.Size([2, 4])"], 0, True),
    ("WithoutValues", ["run"],
     ["only it has the values of last.", "Stopped at @3 last:",
      "meta" if TORCH2 else "weight has no values"], 2, False),
    ("TiedWithoutValues", SAVED[:2] + [
        "weights random", "print allclose(first.weight, last.weight)"],
     ["= True"], 0, False),
    ("WithoutValues", ["run --to act"], ["!shapes only"], 0, False),
    ("WithoutValues", SAVED,
     ["last.weight has no values", "set value last.weight = "], 2, False),
]


def run(fxdb, fact, folder):
    model, commands = fact[0], fact[1]
    words = [fxdb, "-nx", "-q", "-batch", "--python", sys.executable,
             "-ex", "trace %s/odd.py:%s -i x=f32[2,4]" % (DATA, model),
             "-ex", "input x = file(\"x.npy\")"]
    said = ""
    for command in commands + ["dump value %output out.npy"] * fact[4]:
        if command == "NEW":
            said += spawn(words, folder).stdout
            words = words[:6] + ["m.fxg", "-ex", "input x = file(\"x.npy\")"]
        else:
            words += ["-ex", command]
    done = spawn(words, folder)
    return said + done.stdout, done.returncode


def spawn(words, folder):
    return subprocess.run(words, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=folder)


def eager(model, x):
    torch.manual_seed(0)
    with torch.no_grad():
        return getattr(odd, model)().eval()(x.clone())


def problem_of(fxdb, fact, x):
    model, commands, texts, status, is_equal = fact
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(os.path.join(folder, "x.npy"), x.numpy())
        said, got = run(fxdb, fact, folder)
        for text in texts:
            if (text.lstrip("!") in said) == text.startswith("!"):
                return "said, or not: %s\n%s" % (text, said)
        if got != status:
            return "status %d, not %d\n%s" % (got, status, said)
        # What was saved is run by the libtorch of this build, 1.13.
        if not is_equal or TORCH2 and "NEW" in commands:
            return None
        have = numpy.load(os.path.join(folder, "out.npy"))
        want = eager(model, x).numpy()
    return None if have.tobytes() == want.tobytes() else \
        "%s, not %s" % (have, want)


def main():
    facts = [fact for fact in FACTS
             if not sys.argv[2:] or fact[0] in sys.argv[2:]]
    x = torch.randn(2, 4, generator=torch.Generator().manual_seed(5))
    failed = 0
    for fact in facts:
        problem = problem_of(sys.argv[1], fact, x)
        if problem:
            print("%s, %s: %s" % (fact[0], "; ".join(fact[1]), problem),
                  flush=True)
            failed += 1
    print("%d of %d facts fail" % (failed, len(facts)))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
