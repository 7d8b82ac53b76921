#!/usr/bin/env python3
"""Odd models through fxdb's commands, beside eager PyTorch.

usage: odd.py [MODEL...]

A fact is a model of odd.py, commands, what is said (!TEXT: is not), whether all
goes well, and whether the output is what eager PyTorch gives, bit for bit.  NEW
goes on with m.fxg in another fxdb.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch

warnings.simplefilter("ignore")
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path[:0] = [DATA, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "capture")]
import odd  # noqa: E402
from session import FXDB, Session  # noqa: E402

TORCH2 = torch.__version__ >= "2"
SAVED = ["save m.fxg", "NEW", "run"]
FACTS = [
    # A leaf whose instance differs from its class.
    ("hook", ["run"], ["runs act (a forward hook)"], True, True),
    ("pre_hook", ["run"], ["runs act (a forward pre-hook)"], True, True),
    ("writing_hook", ["run"], [], True, True),
    ("writing_hook", ["run", "reverse-step 3", "continue"], [], True, True),
    ("own_forward", ["run"], ["runs fc (its own forward)"], True, True),
    ("hook_below", ["run"], ["linear1 (a forward hook)"], True, True),
    ("parametrized", ["run"], [], True, True),
    ("hook", ["set backend torch", "run"],
     ["a ReLU with a forward hook runs in Python only"], False, False),
    ("hook", SAVED, ["without the Python of act (a forward hook)",
                     "a ReLU with a forward hook runs in Python only"],
     False, False),
    ("hook", ["node act"], ["with a forward hook"], True, False),
    ("hook", ["dump folder out"],
     ["act is a ReLU with a forward hook, which a folder cannot hold"],
     False, False),
    ("hook_below", ["dump folder out"], ["no call is known"], False, False),
    ("Net", ["dump folder out", "save m.fxg"], ["!hook", "!without"], True,
     False),
    ("hook", ["set module act = nn.ReLU()", "run", "info record"],
     ["backend      torch"], True, False),
    ("hook", ["set module act = nn.ReLU()", "undo", "run"], ["in Python"], True,
     True),
    ("raising_hook", ["run"],
     ["Stopped at @2 act: ValueError: the hook of act", "=>   2 E  act"], False,
     False),
    # Classes that are not known here run in Python, whole where they may write.
    ("Blocks --leaf odd.Block", ["run"],
     ["only it runs act (which may write what it gets)"], True, True),
    ("Blocks --leaf odd.Block", ["run", "reverse-step 3", "continue"], [], True,
     True),
    ("Scripted --example", ["run", "info record"], ["backend      torch"], True,
     True),
    ("ScriptedWriting --example", ["run"], ["only it runs act (which may"],
     True, True),
    # Values that libtorch's side cannot have.
    ("Complex", ["run"], ["only it has the values of w"], True, True),
    ("Complex", SAVED, ["without the values of w", ": w has no values"], False,
     False),
    ("Complex", SAVED[:2] + ["run --to last", "print last.shape"],
     ["!shapes only"], True, False),
    ("Sparse", ["run"], ["only it has the values of table"], True, True),
    ("Sparse", SAVED, ["without the values of table",
                       "table has no values"], False, False),
    ("Unregistered", ["run", "info params"],
     ["!in Python", "scale", "fc.alias", "!idle"], True, True),
    ("Unregistered", SAVED, ["!without"], True, True),
    ("Unregistered", ["set backend python", "run"], [], True, True),
    ("Unregistered", ["info params"], ["!no  "], True, False),
    ("Cell", ["run"], [], True, True),
    # What is written to out= is resized for it.
    ("Resized", ["print output.shape", "run"],
     ["$1 = torch.Size([2, 4])"], True, True),
    ("WithoutValues", ["run"],
     ["only it has the values of last.", "Stopped at @3 last:",
      "meta" if TORCH2 else "weight has no values"], False, False),
    ("TiedWithoutValues", SAVED[:2] + [
        "weights random", "print allclose(first.weight, last.weight)"],
     ["= True"], True, False),
    ("WithoutValues", ["run --to act"], ["!shapes only"], True, False),
    ("WithoutValues", SAVED,
     ["last.weight has no values", "set value last.weight = "], False, False),
    ("Literals --example", ["run", "info record", "print tensor_4.dtype",
                            "print tensor_7.dtype"],
     ["backend      torch", "= torch.float32", "= torch.complex128"], True,
     True),
    ("Lazy", ["run"], [], True, True),
    ("static --example", ["run", "info record", "print begin"],
     ["backend      torch", "= qu8[2,4]"], True, True),
]
FACTS += [
    (model + " --example", commands + ["run"], ["!warning: "], True, True)
    for model in ("Lazy", "pruned", "weight_norm", "dynamic", "static",
                  "Parallel", "Profiled", "Checkpointed", "Functional",
                  "Product", "Listed", "Unrolled", "Spectrum", "Nested",
                  "Packed")
    for commands in ([], ["set backend python"])]


def run(session, fact, folder):
    """What is said; each fact is a graph of one session, whose Python and
    libtorch have begun."""
    model, commands, _, _, is_equal = fact
    commands = ["trace %s/odd.py:%s -i x=f32[2,4] as m" % (DATA, model),
                "input x = file(\"x.npy\")"] + commands + \
        ["dump value %output out.npy"] * is_equal
    at = commands.index("NEW") if "NEW" in commands else len(commands)
    said = [session.run(command) for command in commands[:at]]
    for command in "graph drop m -f", "set backend auto":
        session.run(command)
    return "".join(said) + new(commands[at + 1:], folder)


def new(commands, folder):
    """What another fxdb says, which has not the process that traced."""
    if not commands:
        return ""
    words = [FXDB, "-nx", "-q", "-batch", "--keep-going",
             "--python", sys.executable, "m.fxg"]
    for command in ["input x = file(\"x.npy\")"] + commands:
        words += ["-ex", command]
    return subprocess.run(words, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          cwd=folder).stdout


def eager(model, x):
    torch.manual_seed(0)
    with torch.no_grad():
        return getattr(odd, model.split()[0])().eval()(x.clone())


def problem_of(session, fact, x, folder):
    model, commands, texts, is_good, is_equal = fact
    said = run(session, fact, folder)
    for text in texts:
        if (text.lstrip("!") in said) == text.startswith("!"):
            return "said, or not: %s\n%s" % (text, said)
    if is_good == ("error: " in said or "Stopped at" in said):
        return "good: %s, not %s\n%s" % (not is_good, is_good, said)
    # What was saved is run by the libtorch of this build, 1.13.
    if not is_equal or TORCH2 and "NEW" in commands:
        return None
    have = numpy.load(os.path.join(folder, "out.npy"))
    want = eager(model, x).numpy()
    return None if have.tobytes() == want.tobytes() else \
        "%s, not %s" % (have, want)


def main():
    facts = [fact for fact in FACTS
             if not sys.argv[1:] or
             fact[0].split()[0] in sys.argv[1:]]
    x = torch.randn(2, 4, generator=torch.Generator().manual_seed(5))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        session = Session("-q", python=sys.executable, cwd=folder)
        for fact in facts:
            for name in os.listdir(folder):
                path = os.path.join(folder, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
            numpy.save(os.path.join(folder, "x.npy"), x.numpy())
            problem = problem_of(session, fact, x, folder)
            if problem:
                print("%s, %s: %s" % (fact[0], "; ".join(fact[1]), problem),
                      flush=True)
                failed += 1
        session.end()
    print("%d of %d facts fail" % (failed, len(facts)))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
