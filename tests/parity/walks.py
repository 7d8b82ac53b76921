#!/usr/bin/env python3
"""Random models of operators that write in place, share memory and draw random
numbers, and random walks through them: back and forth, with values set and
nodes replaced.  At every stop all values, parameters and buffers must be what
eager PyTorch has there, bit for bit.

usage: walks.py [COUNT [FIRST]]
"""
import copy
import json
import os
import random
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "capture"))
import numpy
import torch

from session import Session

warnings.simplefilter("ignore")
COUNT = 60
MOVES = 10
MODEL = """
class Walk%d(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.linear = torch.nn.Linear(4, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.drop = torch.nn.Dropout(0.5)
        self.drop_in = torch.nn.Dropout(0.25, inplace=True)
        self.relu_in = torch.nn.ReLU(inplace=True)
        self.weight = torch.nn.Parameter(torch.randn(4, 4))

    def forward(self, x, y):
%s
"""
STATE = ["norm.running_mean", "norm.num_batches_tracked", "weight",
         "linear.weight"]
# As the node that it becomes.
ATTRIBUTES = ["self.weight", "self.linear.weight"]
# Each is one node, of a 4 x 4 tensor and for most of them another, to one.
PURE = ["{0} + {1}", "{0} - {1}", "{0} * 0.5", "torch.tanh({0})",
        "torch.matmul({0}, {1})", "{0}.clone()", "{0}.cumsum(0)",
        "self.linear({0})", "torch.nn.functional.softmax({0}, dim=1)"]
VIEWS = ["{0}.t()", "{0}.view(4, 4)", "{0}.transpose(0, 1)", "{0}.detach()",
         "{0}.reshape(4, 4)", "{0}.expand(4, 4)", "{0}.contiguous()"]
WRITES = ["{0}.add_({1})", "{0}.mul_(0.5)", "{0}.copy_({1})", "{0}.t_()",
          "{0}.clamp_(-1, 1)", "{0}.zero_()", "torch.sigmoid_({0})",
          "self.relu_in({0})", "torch.nn.functional.relu({0}, inplace=True)"]
DRAWS = ["self.drop({0})", "self.drop_in({0})", "torch.rand_like({0})",
         "{0}.normal_()", "{0}.bernoulli_(0.5)", "self.norm({0})",
         "torch.nn.functional.dropout({0}, 0.3, True, True)"]
KINDS = [PURE, VIEWS, WRITES, DRAWS]
WEIGHTS = [3, 2, 4, 3]
# A part of one, and what is done to that.
PARTS = ["{0}[:, 1:3]", "{0}[1]", "{0}.select(0, 2)", "{0}.narrow(0, 1, 2)",
         "{0}.unsqueeze(0)", "{0}.flatten()"]
# There and back: nothing in between but itself knows that it is no whole one.
SHAPES = [("{0}.unsqueeze_(0)", "{0}.squeeze_()"),
          ("{0}.resize_(2, 8)", "{0}.resize_(4, 4)"),
          ("{0}.resize_((3, 4))", "{0}.resize_((4, 4))"),
          ("{0}.swapaxes_(0, 1)", "{0}.t_()"),
          ("{0}.as_strided_((2, 2), (1, 4))", "{0}.as_strided_((4, 4), (4, 1))")]
ON_PARTS = ["{0}.mul_(2)", "{0}.add_(1)", "{0}.normal_()", "torch.neg({0})"]


class Refused(Exception):
    """Eager PyTorch does not do that: it writes into memory that overlaps what
    it reads.
    """


class Line:
    """NAME = TEXT, where TEXT speaks of OPERANDS by their place."""

    def __init__(self, name, text, operands):
        self.name = name
        self.text = text
        self.operands = operands

    def code(self, names):
        return self.text.format(*(names[one] for one in self.operands))


class Graph:
    """Lines of code, as many nodes; which values are whole, 4 x 4."""

    def __init__(self, rng):
        self.lines = []
        self.whole = ["x", "y"]
        for text in ATTRIBUTES:
            if rng.random() < 0.4:
                self.add(text, [])
        for _ in range(rng.randint(5, 12)):
            if rng.random() < 0.1:
                self.reshape(rng)
            elif rng.random() < 0.15:
                part = self.add(rng.choice(PARTS), [self.pick(rng)], False)
                self.add(rng.choice(ON_PARTS), [part], False)
            else:
                self.add(self.operation(rng), [self.pick(rng), self.pick(rng)])

    def operation(self, rng):
        return rng.choice(rng.choices(KINDS, WEIGHTS)[0])

    def reshape(self, rng):
        """One gets another shape in place, for a while."""
        there, back = rng.choice(SHAPES)
        one = self.pick(rng)
        self.add(there, [one], False)
        if rng.random() < 0.5:
            self.add("{0}.mul(2)", [one], False)
        self.add(back, [one], False)

    def pick(self, rng):
        return rng.choice(self.whole[-4:])

    def add(self, text, operands, is_whole=True):
        name = "v%d" % len(self.lines)
        self.lines.append(Line(name, text, operands))
        if is_whole:
            self.whole.append(name)
        return name

    def names(self):
        return ["x", "y"] + [line.name for line in self.lines]

    def python(self, number):
        same = {name: name for name in self.names()}
        body = ["%s = %s" % (line.name, line.code(same))
                for line in self.lines]
        body.append("return %s, %s" % (self.whole[-1], self.whole[-2]))
        return MODEL % (number, "\n".join(" " * 8 + line for line in body))


class Walk:
    """What was done so far, and what must be there."""

    def __init__(self, session, seed, folder):
        self.rng = random.Random(seed)
        self.session = session
        self.seed = seed
        self.folder = folder
        self.graph = Graph(self.rng)
        self.lines = self.graph.lines
        self.undone = []
        self.done = []
        self.given = {}  # line or input -> tensor that was set
        self.typed = []
        generator = torch.Generator().manual_seed(seed)
        self.inputs = {name: torch.randn(4, 4, generator=generator)
                       for name in "xy"}
        self.begin()

    def type(self, line):
        self.typed.append(line)
        return self.session.run(line)

    def ask(self, line):
        return json.loads(self.session.run(line + " -j"))

    def begin(self):
        path = os.path.join(self.folder, "walk%d.py" % self.seed)
        source = "import torch\n" + self.graph.python(self.seed)
        with open(path, "w") as file:
            file.write(source)
        scope = {}
        exec(source, scope)
        self.module = scope["Walk%d" % self.seed]().train()
        for name, tensor in self.inputs.items():
            numpy.save(os.path.join(self.folder, name), tensor.numpy())
        self.type("set record limit " + self.rng.choice(["200", "2G"]))
        self.type("set record values " + self.rng.choice(["on", "on", "off"]))
        self.type("set backend " + self.rng.choice(
            ["torch", "torch", "torch", "python"]))
        self.type("seed %d" % self.seed)
        said = self.type("trace %s:Walk%d --train" % (path, self.seed))
        for name in self.inputs:
            self.type('input %s = file("%s/%s.npy")' % (
                name, self.folder, name))
        nodes = [node["name"] for node in self.ask("nodes")["nodes"]]
        assert len(nodes) == len(self.lines) + 3, said
        self.nodes = dict(zip(self.graph.names(), nodes))
        self.type("start")

    def eager(self, position, lines=None):
        """The values and the module after POSITION nodes, or Refused."""
        module = copy.deepcopy(self.module)
        scope = {"self": module, "torch": torch}
        values = {}
        same = {name: name for name in self.graph.names()}
        torch.manual_seed(self.seed)
        with torch.no_grad():
            for name, tensor in list(self.inputs.items())[:position]:
                values[name] = self.given.get(name, tensor).clone()
            for line in (lines or self.lines)[:max(0, position - 2)]:
                try:
                    values[line.name] = self.given[line].clone() \
                        if line in self.given \
                        else eval(line.code(same), scope, values)
                except RuntimeError as error:
                    raise Refused from error
        return values, module

    # --- what one does ------------------------------------------------------

    def move(self):
        last = len(self.lines) + 2
        self.type(self.rng.choice([
            "reverse-step %d" % self.rng.randint(1, 5),
            "step %d" % self.rng.randint(1, 5),
            "goto @%d" % self.rng.randint(0, last),
            "goto @%d" % self.rng.randint(0, last),
            "continue", "reverse-continue", "run",
            "print torch.rand(3)"]))

    def set_value(self):
        key = self.rng.choice([line for line in self.lines
                               if line.name in self.graph.whole] + ["x"])
        name = self.nodes[key if key == "x" else key.name]
        if key in self.given:
            self.type("unset value %%%s" % name)
            del self.given[key]
            return
        number = self.rng.choice([0.5, -1.25, 2.0])
        self.type("set value %%%s = torch.full((4, 4), %r)" % (name, number))
        self.given[key] = torch.full((4, 4), number)

    def replace(self):
        at = self.rng.randrange(len(self.lines))
        old = self.lines[at]
        above = self.graph.names()[:at + 2]
        above = [name for name in above if name in self.graph.whole]
        if old.name not in self.graph.whole or old.text in ATTRIBUTES:
            return
        new = Line(old.name, self.graph.operation(self.rng),
                   [self.rng.choice(above), self.rng.choice(above)])
        lines = self.lines[:at] + [new] + self.lines[at + 1:]
        self.eager(len(lines) + 2, lines)
        self.type("replace %%%s = %s" % (self.nodes[old.name], new.code(
            {name: "%" + node for name, node in self.nodes.items()})))
        self.done.append(self.lines)
        self.undone = []
        self.lines = lines

    def undo(self):
        if self.done and self.rng.random() < 0.6:
            self.type("undo")
            self.undone.append(self.lines)
            self.lines = self.done.pop()
        elif self.undone:
            self.type("redo")
            self.done.append(self.lines)
            self.lines = self.undone.pop()

    # --- what must be there -------------------------------------------------

    def seen(self, expression):
        path = os.path.join(self.folder, "seen.npy")
        if os.path.exists(path):
            os.unlink(path)
        said = self.session.run("dump value -f %s %s" % (expression, path))
        return numpy.load(path) if os.path.exists(path) else said

    def compare(self, what, expression, want):
        have = self.seen(expression)
        want = want.detach().numpy()
        if isinstance(have, numpy.ndarray) and have.shape == want.shape and \
                have.dtype == want.dtype and \
                numpy.array_equal(have, want, equal_nan=True):
            return
        raise AssertionError("%s is\n%s\nnot\n%s" % (what, have, want))

    def check(self):
        position = self.ask("when")["position"]
        values, module = self.eager(position)
        names = list(values)
        self.rng.shuffle(names)
        for name in names:
            self.compare("%s after @%d" % (self.nodes[name], position),
                         "%" + self.nodes[name], values[name])
        for name in STATE:
            self.compare("%s after @%d" % (name, position), "self." + name,
                         module.state_dict()[name])

    def go(self):
        steps = [self.move, self.set_value, self.replace, self.undo]
        for _ in range(MOVES):
            self.rng.choices(steps, [5, 1.5, 1.5, 1])[0]()
            if self.rng.random() < 0.6:
                self.check()
        self.type("continue")
        self.check()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    # As fxdb: sums are split by threads.
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    session = Session("-q")
    session.run("set confirm off")
    failed = 0
    refused = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            walk = Walk(session, seed, folder)
            try:
                walk.go()
            except Refused:
                refused += 1
            except AssertionError as error:
                failed += 1
                print("walk %d: %s\n%s\n%s\n" % (
                    seed, error, walk.graph.python(seed),
                    "\n".join(walk.typed)))
            session.run("graph drop -f")
    session.end()
    print("%d walks, %d differ, %d ended where PyTorch refuses" % (
        count, failed, refused))
    return failed > 0 or refused > count / 4


if __name__ == "__main__":
    sys.exit(main())
