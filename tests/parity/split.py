"""split beside torch.fx's split_module: the same nodes in the same parts.

The code of the parent and of each part has to be equal text, what the split
graph gives equal to what eager PyTorch gives, bit by bit, and what torch.fx
refuses as a cycle is refused.  Cases of torch's own tests are among them.
"""
import os
import random
import re
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch
from torch.fx import symbolic_trace
from torch.fx.passes.split_module import split_module

warnings.simplefilter("ignore")
FXDB = os.environ["FXDB"]
DUMP = os.path.join(os.environ["FXDB_BUILDDIR"], "tests", "parity", "dump")
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path.insert(0, DATA)
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import parts  # noqa: E402
import threads  # noqa: E402
import zoo  # noqa: E402


def operations(gm):
    return [n for n in gm.graph.nodes
            if n.op in ("call_function", "call_method", "call_module")]


# --- which part each node is in: lists of numbers, node by node ---

def modulo(count):
    return lambda gm, rng: [i % count for i in range(len(operations(gm)))]


def blocks(count):
    def numbers(gm, rng):
        size = len(operations(gm))
        return [i * count // size for i in range(size)]
    return numbers


def single(gm, rng):
    return list(range(len(operations(gm))))


def acyclic(gm, rng):
    """Random, never before what a node reads."""
    highest, numbers = {}, []
    for node in operations(gm):
        least = max([highest.get(n, 0) for n in node.all_input_nodes] or [0])
        highest[node] = rng.choice([least, least, least + rng.randrange(3)])
        numbers.append(highest[node])
    return numbers


def shuffled(gm, rng):
    """The same, with numbers that say nothing of the order."""
    numbers = acyclic(gm, rng)
    names = list(range(max(numbers) + 1))
    rng.shuffle(names)
    return [names[number] for number in numbers]


def wild(gm, rng):
    return [rng.randrange(3) for _ in operations(gm)]


WAYS = {"blocks of 3": blocks(3), "one": blocks(1), "single": single,
        "modulo 3": modulo(3), "acyclic": acyclic, "acyclic again": acyclic,
        "shuffled": shuffled, "wild": wild}
FEW = ["blocks of 3", "single", "shuffled"]  # of large models


# --- both sides ---

def attributes_first(code):
    """The code of the parent as 1.13 has it: 2.x with keep_original_order reads
    a parameter in front of the part that needs it, 1.13 and fxdb in front of all
    parts."""
    lines = code.strip().split("\n")
    read = [line for line in lines if re.match(r" +\w+ = self\.\w+$", line)]
    rest = [line for line in lines if line not in read]
    head = [line for line in rest if not line.startswith("    ")]
    return "\n".join(head + read + rest[len(head):])


def in_torch(gm, numbers, keep_order):
    """Code of the parent and of the parts by name, or what is raised."""
    of = dict(zip(operations(gm), numbers))
    try:
        made = split_module(gm, gm, lambda node: of[node],
                            keep_original_order=keep_order)
    except IndexError:
        return None  # a part without results, which fxdb keeps
    except (RuntimeError, KeyError) as error:
        return str(error)
    finally:
        for node in gm.graph.nodes:
            if hasattr(node, "_fx_partition"):
                del node._fx_partition
    code = {name: part.code for name, part in made.named_children()
            if name.startswith("submod_")}
    code[""] = made.code
    return code


def parts_of(path):
    """The code of each graph within the .fxg at PATH by its name."""
    done = subprocess.run([DUMP, "nested", path], capture_output=True,
                          text=True, check=True)
    return dict(part.split("\n", 1) for part in
                ("\n" + done.stdout).split("\ngraph ")[1:])


def run(commands):
    done = subprocess.run(
        [FXDB, "-nx", "-q", "-batch", "--keep-going", "--python",
         sys.executable, "-x", "-"],
        input="\n".join(commands) + "\n", capture_output=True, text=True)
    return done.stdout, done.stderr


def read(path):
    return open(path).read().strip() if os.path.exists(path) else None


class Case:
    """One split of the model that the session has."""
    def __init__(self, name, gm, way, numbers, keep_order, folder):
        self.name, self.gm, self.way = name, gm, way
        self.numbers, self.keep_order = numbers, keep_order
        self.folder = folder
        self.want = in_torch(gm, numbers, keep_order)
        os.mkdir(folder)

    def commands(self):
        words = ["%%%s=%d" % (node.name, number) for node, number
                 in zip(operations(self.gm), self.numbers)]
        split = "split %s%s" % (" ".join(words),
                                " --keep-order" * self.keep_order)
        if isinstance(self.want, str):
            return ["echo case " + self.folder, split, "diff"]
        return ["echo case " + self.folder, split, "lint",
                "save %s/all.fxg" % self.folder,
                "dump python -o %s/parent" % self.folder, "run"] + \
            ["dump value %s %s/out%d.npy" % (what, self.folder, i)
             for i, what in enumerate(parts.outputs(self.name))] + \
            ["undo", "diff", "redo", "lint", "undo"]

    def differs(self, said, eager):
        """What is different, or None."""
        if isinstance(self.want, str):
            ours = "cycle exists" if "cycle exists" in self.want \
                else "comes up first"
            return None if ours in said and "No differences." in said \
                else "torch.fx raises %s, fxdb says %s" % (self.want, said)
        if "error" in said or said.count("no problems") != 2 or \
                "No differences." not in said or \
                "verified on 3 inputs: bit for bit" not in said:
            return said
        have = parts_of(self.folder + "/all.fxg")
        if self.want is None:
            self.want = dict(have, **{"": read(self.folder + "/parent")})
        # split_module drops the annotation of the result, which fxdb keeps.
        have[""] = re.sub(r"\) -> [\w.]+:", "):",
                          read(self.folder + "/parent"))
        if self.keep_order:
            self.want[""] = attributes_first(self.want[""])
            have[""] = attributes_first(have[""])
        for part in sorted(set(self.want) | set(have)):
            if (self.want.get(part) or "").strip() != \
                    (have.get(part) or "").strip():
                return "%s is\n%s\nnot\n%s" % (
                    part or "the parent", have.get(part), self.want.get(part))
        for i, tensor in enumerate(eager):
            output = numpy.load("%s/out%d.npy" % (self.folder, i))
            if tensor.numpy().tobytes() != output.tobytes():
                return "another output"
        return None


def flat(value):
    if isinstance(value, (tuple, list)):
        return [each for item in value for each in flat(item)]
    return [value]


def cases(name, gm, folder):
    rng = random.Random(name)
    made = []
    is_large = len(gm.graph.nodes) > 50
    for way in FEW if is_large else WAYS:
        numbers = WAYS[way](gm, rng)
        for keep_order in (False,) if is_large else (False, True):
            made.append(Case(name, gm, way, numbers, keep_order,
                             "%s/%d" % (folder, len(made))))
    return made


def check(name):
    """How many splits there were, were refused, and differ."""
    try:
        gm = symbolic_trace(parts.make(name))
    except TypeError as error:
        # 1.13 cannot trace **kwargs in Python 3.11.
        print("%s: torch.fx: %s" % (name, error))
        return 0, 0, 0
    inputs = parts.inputs(name)
    failed = 0
    keywords = inputs.pop() if isinstance(inputs[-1], dict) else {}
    with torch.no_grad():
        eager = flat(gm(*inputs, **keywords))
    with tempfile.TemporaryDirectory() as folder:
        commands = ["trace %s/parts.py:make(\"%s\")" % (DATA, name)]
        for i, node in enumerate(list(gm.graph.nodes)[:len(inputs)]):
            numpy.save("%s/in%d.npy" % (folder, i), inputs[i].numpy())
            commands.append("input %s = file(\"%s/in%d.npy\")"
                            % (node.target, folder, i))
        if keywords:
            commands.append("input **kwargs = {%s}" % ", ".join(
                "\"%s\": torch.full(%s, %s)" % (
                    key, tuple(value.shape), value.flatten()[0].item())
                for key, value in keywords.items()))
        made = cases(name, gm, folder)
        for case in made:
            commands += case.commands()
        said, errors = run(commands + ["echo case end"])
        answers = dict(part.split("\n", 1) for part in said.split("case ")[1:])
        for number, case in enumerate(made):
            mine = answers[case.folder]
            if isinstance(case.want, str):
                mine = errors + mine
            wrong = case.differs(mine, eager)
            if wrong:
                failed += 1
                print("%s, %s%s: %s" % (name, case.way, ", in order" if
                                        case.keep_order else "", wrong))
    return len(made), sum(isinstance(c.want, str) for c in made), failed


def main():
    threads.as_fxdb()
    zoo.declare_operators()
    counts = [check(name) for name in sys.argv[1:] or parts.NAMES]
    done, refused, failed = map(sum, zip(*counts))
    print("%d splits, %d of them refused by both; %d differ"
          % (done, refused, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
