"""Numeric faults, planted in models and most of them hidden from the output:
why names the node, the element and what is to blame.

WHY_BLIND_COUNT says how many of the forty are tried, spread over all of them.
"""
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import numpy

import why_blind_models

# Of forty; of fewer all but two.
NODES, CAUSES = 38, 36


def fxdb(folder, lines):
    arguments = [os.environ["FXDB"], "-nx", "-batch", "--json", "--python", sys.executable]
    for line in lines:
        arguments += ["-ex", line]
    return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=500)


def ask(folder, name, found):
    """The answers of fxdb to a session with one fault."""
    names = list(inspect.signature(found.module.forward).parameters)
    lines = []
    if found.twin is not None:
        for file in ("base.fxg", "base.safetensors"):
            if os.path.exists(os.path.join(folder, file)):
                os.remove(os.path.join(folder, file))
        fxdb(folder, ["trace why_blind_models.py:twin('%s') as base" % name,
                      "save base.fxg"])
        lines.append("load base.fxg as base")
    lines += ["trace why_blind_models.py:module('%s') as bad" % name, "set backend torch"]
    for i, value in enumerate(found.inputs):
        numpy.save(os.path.join(folder, "%d.npy" % i), value.numpy())
        lines.append("input %s = file(\"%d.npy\")" % (names[i], i))
    lines.append("run")
    lines.append("why output --against base" if found.twin is not None else "why " + found.ask)
    done = fxdb(folder, lines)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if not answers or answers[-1]["command"] != "why":
        return None, done.stdout[-800:] + done.stderr
    return answers[-1], "\n".join(answers[-1].get("lines") or [json.dumps(answers[-1])])


def judge(found, answer):
    """Whether node and element are right, and whether the cause is."""
    steps = answer.get("way", [])
    way = [step for step in steps if step["role"] not in ("blamed", "leads", "passes")]
    # Inside of a layer the call that it is of counts, too.
    names = {name for step in way for name in (step["node"], step["inside"])}
    node = any(name in names for name in found.find) and any(
        re.fullmatch(found.element, step["element"]) for step in way)
    ends = [(name, step["element"]) for step in steps if step["role"] != "passes"
            for name in (step["node"], step["inside"])]
    cause = any(name == there and re.fullmatch(pattern, element)
                for name, pattern in found.cause for there, element in ends)
    if found.says:
        cause = cause and any(re.search(found.says, line) for line in answer["lines"])
    return node, cause


def main():
    every = list(why_blind_models.FAULTS)
    only = os.environ.get("WHY_BLIND_ONLY", "").split()
    count = int(os.environ.get("WHY_BLIND_COUNT", len(every)))
    chosen = only or [every[i * len(every) // count] for i in range(count)]
    nodes = causes = 0
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(why_blind_models.__file__, os.path.join(folder, "why_blind_models.py"))
        for name in chosen:
            found = why_blind_models.FAULTS[name]()
            answer, text = ask(folder, name, found)
            node, cause = judge(found, answer) if answer and answer["ok"] else (False, False)
            nodes += node
            causes += cause
            if not (node and cause) or os.environ.get("WHY_BLIND_TELLS"):
                print("%s: %s%s" % (name, "" if node else "not the node or element; ",
                                    "" if cause else "not the cause"))
                print("  " + text.replace("\n", "\n  "))
    print("%d of %d: node and element; %d: cause" % (nodes, len(chosen), causes))
    missed = max(len(chosen) - nodes - (len(every) - NODES),
                 len(chosen) - causes - (len(every) - CAUSES))
    sys.exit(missed > 0)


main()
