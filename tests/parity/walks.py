#!/usr/bin/env python3
"""Random models of operators that write in place, share memory and draw random
numbers, with tied parameters, hooks on leaves and, in the user's Python,
parameters that view one another, and random walks through them: back and forth,
with values set, nodes and modules replaced, and transactions committed or
aborted.  At every stop all values, parameters and buffers must be what eager
PyTorch has there, bit for bit.

usage: walks.py [COUNT [FIRST]]
"""
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
import threads

warnings.simplefilter("ignore")
COUNT = 60
MOVES = 10
MODEL = """
class Walk%d(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.linear = torch.nn.Linear(4, 4)
        self.tied = torch.nn.Linear(4, 4)
        self.tied.weight = self.linear.weight
        self.table = torch.nn.Parameter(torch.randn(8, 4))
        self.window = torch.nn.Parameter(self.table.data[2:6])
        self.norm = torch.nn.BatchNorm1d(4)
        self.drop = torch.nn.Dropout(0.5)
        self.drop_in = torch.nn.Dropout(0.25, inplace=True)
        self.relu_in = torch.nn.ReLU(inplace=True)
        self.weight = torch.nn.Parameter(torch.randn(4, 4))
%s
    def forward(self, x, y):
%s
"""
HOOKS = ["self.linear.register_forward_hook(lambda m, i, o: o * 2)",
         "self.norm.register_forward_pre_hook(lambda m, i: (i[0] + 1,))",
         "self.tied.register_forward_hook(lambda m, i, o: o.neg_())"]
STATE = ["norm.running_mean", "norm.num_batches_tracked", "weight",
         "linear.weight", "tied.weight", "tied.bias", "table", "window"]
# As the node that it becomes.
ATTRIBUTES = ["self.weight", "self.linear.weight"]
# Libtorch gives each parameter bytes of its own, a part of another too.
VIEWED = ["self.window"]
# What a module may become, by its name in the model; none has parameters.
MODULES = {"drop": ["Dropout(0.1)", "ReLU()", "Identity()"],
           "drop_in": ["Dropout(0.75, inplace=True)", "Hardtanh(inplace=True)"],
           "relu_in": ["ReLU()", "Dropout(0.5)", "ELU(inplace=True)"]}
# Each is one node, of a 4 x 4 tensor and for most of them another, to one.
PURE = ["{0} + {1}", "{0} - {1}", "{0} * 0.5", "torch.tanh({0})",
        "torch.matmul({0}, {1})", "{0}.clone()", "{0}.cumsum(0)",
        "self.linear({0})", "self.tied({0})", "torch.nn.functional.softmax({0}, dim=1)"]
VIEWS = ["{0}.t()", "{0}.view(4, 4)", "{0}.transpose(0, 1)", "{0}.detach()",
         "{0}.reshape(4, 4)", "{0}.expand(4, 4)", "{0}.contiguous()"]
WRITES = ["{0}.add_({1})", "{0}.mul_(0.5)", "{0}.copy_({1})", "{0}.t_()",
          "{0}.clamp_(-1, 1)", "{0}.zero_()", "torch.sigmoid_({0})",
          "self.relu_in({0})", "torch.nn.functional.relu({0}, inplace=True)"]
DRAWS = ["self.drop({0})", "self.drop_in({0})", "torch.rand_like({0})",
         "{0}.normal_()", "{0}.bernoulli_(0.5)", "self.norm({0})",
         "torch.nn.functional.dropout({0}, 0.3, True, True)"]
# What stands in a line that draws, or that does with another module.
DRAWING = ["drop", "rand_like", "normal_", "bernoulli_", "relu_in"]
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


def draw_aside(code, scope, values):
    """What CODE draws, if it does, is drawn; nothing else of it stays."""
    if not any(word in code for word in DRAWING):
        return
    tensors = list(values.values()) + list(scope["self"].parameters())
    saved = [(tensor, tensor.clone()) for tensor in tensors]
    try:
        eval(code, scope, values)
    except RuntimeError:
        return
    finally:
        for tensor, before in saved:
            if tensor.shape == before.shape and not torch.equal(
                    tensor.nan_to_num(), before.nan_to_num()):
                tensor.data.copy_(before)


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

    def __init__(self, rng, has_views):
        self.lines = []
        self.whole = ["x", "y"]
        for text in ATTRIBUTES + VIEWED * has_views:
            if rng.random() < 0.4:
                self.add(text, [])
        if has_views and rng.random() < 0.3:
            table = self.add("self.table", [], False)
            self.add(rng.choice(ON_PARTS), [table], False)
        self.hooks = [hook for hook in HOOKS if rng.random() < 0.1]
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
        return MODEL % (number, "\n".join(" " * 8 + line
                                          for line in self.hooks),
                        "\n".join(" " * 8 + line for line in body))


class Walk:
    """What was done so far, and what must be there."""

    def __init__(self, session, seed, folder):
        self.rng = random.Random(seed)
        self.session = session
        self.seed = seed
        self.folder = folder
        self.backend = self.rng.choice(["torch", "torch", "torch", "python"])
        self.graph = Graph(self.rng, self.backend == "python")
        self.lines = self.graph.lines
        self.modules = {}  # name -> the module that an edit made of it
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
        self.make = scope["Walk%d" % self.seed]
        for name, tensor in self.inputs.items():
            numpy.save(os.path.join(self.folder, name), tensor.numpy())
        self.type("set record limit " + self.rng.choice(["200", "2G"]))
        self.type("set record values " + self.rng.choice(["on", "on", "off"]))
        self.type("set backend " + self.backend)
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
        # No deep copy: that of a parameter views nothing any more.
        module = self.make().train()
        for name, text in self.modules.items():
            setattr(module, name, eval("torch.nn." + text).train())
        scope = {"self": module, "torch": torch}
        values = {}
        same = {name: name for name in self.graph.names()}
        torch.manual_seed(self.seed)
        with torch.no_grad():
            for name, tensor in list(self.inputs.items())[:position]:
                values[name] = self.given.get(name, tensor).clone()
            for line in (lines or self.lines)[:max(0, position - 2)]:
                if line in self.given:
                    draw_aside(line.code(same), scope, values)
                    values[line.name] = self.given[line].clone()
                    continue
                try:
                    values[line.name] = eval(line.code(same), scope, values)
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
        if old.name not in self.graph.whole or \
                old.text in ATTRIBUTES + VIEWED:
            return
        new = Line(old.name, self.graph.operation(self.rng),
                   [self.rng.choice(above), self.rng.choice(above)])
        lines = self.lines[:at] + [new] + self.lines[at + 1:]
        self.eager(len(lines) + 2, lines)
        self.type("replace %%%s = %s" % (self.nodes[old.name], new.code(
            {name: "%" + node for name, node in self.nodes.items()})))
        self.edited()
        self.lines = lines

    def set_module(self):
        name = self.rng.choice(list(MODULES))
        text = self.rng.choice(MODULES[name])
        self.type("set module %s = nn.%s" % (name, text))
        self.edited()
        self.modules = dict(self.modules, **{name: text})

    def edited(self):
        """The graph is about to be another one."""
        self.done.append((self.lines, self.modules))
        self.undone = []

    def undo(self):
        if self.done and self.rng.random() < 0.6:
            self.type("undo")
            self.undone.append((self.lines, self.modules))
            self.lines, self.modules = self.done.pop()
        elif self.undone:
            self.type("redo")
            self.done.append((self.lines, self.modules))
            self.lines, self.modules = self.undone.pop()

    def transaction(self):
        """Edits that become one, or none."""
        before = self.lines, self.modules, self.done, self.undone
        self.done = list(self.done)
        self.type("begin")
        for _ in range(self.rng.randint(0, 3)):
            self.rng.choice([self.replace, self.set_module, self.move])()
            if self.rng.random() < 0.3:
                self.check()
        is_edited = len(self.done) > len(before[2])
        if self.rng.random() < 0.5:
            self.type("abort")
            self.lines, self.modules, self.done, self.undone = before
        else:
            self.type("commit")
            self.done = before[2]
            if is_edited:
                self.done.append(before[:2])

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
        steps = [self.move, self.set_value, self.replace, self.set_module,
                 self.undo, self.transaction]
        for _ in range(MOVES):
            self.rng.choices(steps, [5, 1.5, 1.5, 0.5, 1, 0.7])[0]()
            if self.rng.random() < 0.6:
                self.check()
        self.type("continue")
        self.check()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    threads.as_fxdb()  # sums are split by them
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
            session.run("close -f")
    session.end()
    print("%d walks, %d differ, %d ended where PyTorch refuses" % (
        count, failed, refused))
    return failed > 0 or refused > count / 4


if __name__ == "__main__":
    sys.exit(main())
