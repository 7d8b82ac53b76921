"""Commands of `diff --script` keep what nobody touched: ids, values and
breakpoints; of two that were loaded apart, where all is called otherwise, they
are renames alone.

usage: diff_keeps.py FXDB EXAMPLES, in an empty folder
"""
import json
import random
import subprocess
import sys

MODELS = ["mlp.fxg", "transformer.fxg", "resnet18.fxg"]
EDITS = 12
ROUNDS = 1  # of each model


def ask(fxdb, lines):
    """What each of LINES answers, as objects."""
    said = subprocess.run(
        [fxdb, "-nx", "-q", "-batch", "--keep-going", "--json"] +
        [word for line in lines for word in ("-ex", line)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL).stdout.decode()
    answers = [json.loads(line) for line in said.splitlines()]
    return [answer for answer in answers if "command" in answer]


def edits(nodes, chance):
    """Random edits of a graph with NODES; some are refused."""
    names = [node["name"] for node in nodes if node["op"] != "output"]
    made = [node["name"] for node in nodes if node["op"].startswith("call")]
    for i in range(EDITS):
        name, other = chance.choice(made), chance.choice(names)
        yield chance.choice([
            "insert after %%%s : new_%d = torch.neg(%%%s) --splice",
            "rename %%%s called_%d",
            "replace %%%s = torch.abs(%%%s)",
            "insert after %%%s : lone_%d = torch.tanh(%%%s)",
            "set %%%s.args[0] = %%%s",
            "rewrite torch.relu(a) => F.gelu(a) where %%%s"]).replace(
                "%d", str(i)).replace("%%", "%").replace(
                "%s", name, 1).replace("%s", other if chance.random() < .3
                                       else name)


def texts(nodes):
    return [(node["name"], node["op"], node["target"], node["args"],
             node["kwargs"]) for node in nodes]


def untouched(before, after):
    """Names of what computes the same in both, so that its value holds."""
    same = dict(zip((node["name"] for node in before), texts(before)))
    kept = set()
    for node, text in zip(after, texts(after)):
        if same.get(node["name"]) == text and kept.issuperset(node["inputs"]):
            kept.add(node["name"])
    return kept


def check_edits(fxdb, path, seed):
    chance = random.Random(seed)
    begin = ["load %s as base" % path, "weights random", "run"]
    nodes = ask(fxdb, begin + ["nodes"])[-1]["nodes"]
    stops = ["break %%%s" % node["name"] for node in nodes]
    lines = begin + stops + [
        "graph copy base as exp", "graph exp", *edits(nodes, chance), "nodes",
        "graph base", "diff base exp --script -o edits.fxdb", "nodes",
        "source edits.fxdb", "nodes", "info breakpoints"]
    said = ask(fxdb, lines)
    wanted, before, after = [one["nodes"] for one in said
                             if one["command"] == "nodes"]
    stops = {row["where"].lstrip("%")
             for row in said[-1]["breakpoints"] if row["nodes"]}
    if texts(after) != texts(wanted):
        yield "the script does not make it"
    if texts(before) == texts(wanted):
        yield "no edit was made"
    kept = untouched(before, after)
    # One stands before the first node that has not run, or not as it is now.
    first = next((i for i, node in enumerate(after)
                  if node["name"] not in kept), len(after))
    for node in after[:first]:
        if "V" not in node["state"]:
            yield "%s lost its value" % node["name"]
    for name in {node["name"] for node in before} & \
            {node["name"] for node in after}:
        if name not in stops:
            yield "%s lost its breakpoint" % name


def check_names(fxdb, path):
    nodes = ask(fxdb, ["load %s as base" % path, "nodes"])[-1]["nodes"]
    ask(fxdb, ["load %s as base" % path, "load %s as other" % path] +
        ["rename %%%s called_%d" % (node["name"], i)
         for i, node in enumerate(nodes)] +
        ["diff base other --script -o names.fxdb"])
    with open("names.fxdb") as file:
        lines = [line for line in file if not line.startswith("#")]
    if lines[0] != "begin\n" or lines[-1] != "commit\n":
        yield "no transaction"
    for line in lines[1:-1]:
        if not line.startswith("rename "):
            yield line.strip()
    if len(lines) - 2 != len(nodes):
        yield "%d lines for %d names" % (len(lines) - 2, len(nodes))


def main():
    fxdb, examples = sys.argv[1:]
    failed = 0
    for model in MODELS:
        path = "%s/%s" % (examples, model)
        cases = [("names", check_names(fxdb, path))]
        cases += [("seed %d" % seed, check_edits(fxdb, path, seed))
                  for seed in range(ROUNDS)]
        for name, problems in cases:
            for problem in problems:
                print("%s, %s: %s" % (model, name, problem))
                failed += 1
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
