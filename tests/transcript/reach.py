"""Sets that dom, path and slice list, beside what is reached when a node is
taken away, for every node of two models and for random graphs."""
import json
import os
import random
import subprocess
import sys
import tempfile

FXDB = os.environ["FXDB"]
EXAMPLES = os.path.join(os.environ["FXDB_SRCDIR"], "doc/examples")


def ask(path, lines):
    with tempfile.NamedTemporaryFile("w", suffix=".fxdb") as script:
        script.write("".join(line + "\n" for line in lines))
        script.flush()
        said = subprocess.run(
            [FXDB, "-nx", "-batch", "--json", path, "-x", script.name],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            check=False).stdout.decode()
    answers = [json.loads(line) for line in said.splitlines()]
    return [a for a in answers if a["command"] in
            ("nodes", "dom", "path", "slice")]


def random_graph(r, path):
    """Generated code: sums of nodes shortly before."""
    names = ["x", "y"]
    lines = ["def forward(self, x, y):"]
    for i in range(1, 31):
        a, b = (r.choice(names[-6:]) for _ in "ab")
        names.append("add_%d" % i)
        lines.append("    add_%d = %s + %s" % (i, a, b))
    lines.append("    return " + names[-1])
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")


def reached(starts, edges, without=None):
    seen, todo = set(), [s for s in starts if s != without]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            todo += [n for n in edges[at] if n != without]
    return seen


def dominators(node, starts, edges):
    """Those without which NODE is not reached."""
    if node not in reached(starts, edges):
        return None
    return {n for n in edges
            if n == node or node not in reached(starts, edges, n)}


def check(path):
    nodes = ask(path, ["nodes -m 0"])[0]["nodes"]
    down = {n["name"]: n["users"] for n in nodes}
    up = {n["name"]: n["inputs"] for n in nodes}
    inputs = [n["name"] for n in nodes if n["op"] == "placeholder"]
    outputs = [n["name"] for n in nodes if n["op"] == "output"]
    r = random.Random(4)
    cases = []
    for name in down:
        cases.append(("dom %" + name, dominators(name, inputs, down)))
        cases.append(("dom %" + name + " -u", dominators(name, outputs, up)))
        cases.append(("slice %" + name, reached([name], up)))
        cases.append(("slice %" + name + " -u", reached([name], down)))
        other = r.choice(list(down))
        cases.append(("path %%%s %%%s --all" % (name, other),
                      reached([name], down) & reached([other], up)))
    answers = ask(path, [line + " -m 0" for line, _ in cases])
    if len(answers) != len(cases):
        sys.exit("%d answers to %d lines" % (len(answers), len(cases)))
    wrong = 0
    for (line, wanted), answer in zip(cases, answers):
        found = {n["name"] for n in answer["nodes"]}
        if wanted is not None and found != wanted:
            wrong += 1
            print("%s: %s: wanted %s, got %s" % (
                os.path.basename(path), line, sorted(wanted), sorted(found)))
    print("%s: %d sets, %d wrong" % (os.path.basename(path), len(cases), wrong))
    return wrong


def main():
    wrong = sum(check(os.path.join(EXAMPLES, name))
                for name in ("mlp.fxg", "resnet18.fxg", "transformer.fxg"))
    r = random.Random(16)
    with tempfile.TemporaryDirectory() as folder:
        for i in range(5):
            path = os.path.join(folder, "random%d.py" % i)
            random_graph(r, path)
            wrong += check(path)
    sys.exit(wrong > 0)


main()
