"""What a person at the prompt waits for: starting, commands in graphs of 10,000
nodes that ran and of a million that did not, and how the cost of those that go
over all nodes grows.  Medians, or the best where growth is looked at, from the
line to its whole answer, through pipes.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../parity/capture"))
from session import FXDB, Session

good = True


def row(what, milliseconds, bar=None, beside=""):
    global good
    over = bar is not None and milliseconds > bar
    good &= not over
    print("%s\t%.2f ms%s\t%s\t%s" % (
        what, milliseconds, "  OVER" if over else "",
        "%g ms" % bar if bar is not None else "", beside), flush=True)


def milliseconds(function):
    begin = time.perf_counter()
    function()
    return 1e3 * (time.perf_counter() - begin)


def median(function, times=15):
    return statistics.median(milliseconds(function) for _ in range(times))


def start():
    with tempfile.TemporaryDirectory() as home:
        environment = dict(os.environ, HOME=home)
        row("start and leave, -batch -ex quit", median(
            lambda: subprocess.run([FXDB, "-batch", "-ex", "quit"],
                                   env=environment, check=True), 31), 20)


def write_code(path, count):
    """A residual chain as torch.fx prints it."""
    with open(path, "w") as file:
        file.write("def forward(self, x : \"f32[4]\"):\n")
        last = "x"
        for i in range(count - 2):
            name = "n%d" % i
            file.write("    %s = torch.neg(%s)\n" % (name, last) if i % 10
                       else "    %s = %s + x\n" % (name, last))
            last = name
        file.write("    return %s\n" % last)


def step(folder):
    """In a graph that runs: the cost of a stop beside the operator's."""
    path = os.path.join(folder, "many.py")
    write_code(path, 10000)
    session = Session(python=None)
    session.run("load %s" % path)
    session.run("input x = randn(4)")
    session.run("run")
    row("run, 10,000 nodes of 4 elements", median(
        lambda: session.run("run")))
    session.run("goto @5000")
    row("step, from Enter to prompt, 10,000 nodes", median(
        lambda: session.run("step")), 5)
    row("reverse-step, 10,000 nodes", median(
        lambda: session.run("reverse-step")), 1)
    jumps = iter(range(100, 9000, 100))
    row("goto back and forth, 10,000 nodes", median(
        lambda: session.run("goto @%d" % next(jumps))))
    session.end()


# Looking at all nodes, at a page of them, and propagating through all: none may
# cost more than MOST_RATIO times as much for ten times the nodes.
LINEAR = [
    ("nodes, a query that tests each",
     lambda i, count: "nodes target~\"*neg*\" and users=%d -m 20" % (i % 3)),
    ("nodes, all of them", lambda i, count: "nodes -m 0"),
    ("list, a page after an edit",
     lambda i, count: "rename n%d m%d; list n%d" % (i, i, count // 2 + i)),
    ("list, another page", lambda i, count: "list n%d" % (count // 2 + i)),
    ("ll, all of it", lambda i, count: "ll --all"),
    ("shapes", lambda i, count: "shapes"),
]
MOST_RATIO = 15
FEW, MANY = 10000, 100000
SWEPT = 64 << 20


def cost_of(folder, count):
    """Of each row of LINEAR, in milliseconds."""
    path = os.path.join(folder, "linear.py")
    write_code(path, count)
    session = Session(python=None)
    session.run("load %s" % path, 600)
    numbers = iter(range(1, 1000))

    def run(line):
        number = next(numbers)
        *before, last = line(number, count).split("; ")
        for command in before:
            session.run(command)
        # The small graph would lie in the processor's cache, the large not.
        b"x" * SWEPT
        return milliseconds(lambda: session.run(last, 600))

    costs = [min(run(line) for _ in range(9)) for _, line in LINEAR]
    session.end()
    return costs


def linear(folder):
    global good
    for (what, _), few, many in zip(LINEAR, cost_of(folder, FEW),
                                    cost_of(folder, MANY)):
        # Below half a millisecond it is the pipes that are measured.
        steep = max(many, .5) > MOST_RATIO * max(few, .5)
        good &= not steep
        print("%s, %d nodes\t%.2f ms, %.1f times %d nodes%s\t%d times\t" % (
            what, MANY, many, many / few, FEW,
            "  NOT LINEAR" if steep else "", MOST_RATIO), flush=True)


def past_writes(folder):
    """What run --to needs, with everything before it written in place."""
    global good
    few, many = 10000, 40000
    took = {}
    for count in few, many:
        path = os.path.join(folder, "writes.py")
        with open(path, "w") as file:
            file.write("import torch\nclass M(torch.nn.Module):\n"
                       "    def forward(self, x, y):\n"
                       "        a0 = torch.neg(x)\n")
            for i in range(count):
                file.write("        a%d = a%d.add_(1)\n" % (i + 1, i))
            file.write("        out = torch.relu(y)\n        return out\n")
        session = Session(python=None)
        session.run("load %s" % path, 600)
        session.run("input x = f32[2]")
        session.run("input y = f32[2]")
        took[count] = min(milliseconds(lambda: session.run("run --to out",
                                                           600))
                          for _ in range(5))
        session.end()
    steep = took[many] > 6 * took[few]
    good &= not steep
    print("run --to past %d writes\t%.1f ms, %.1f times %d writes%s\t6 times\t"
          % (many, took[many], took[many] / took[few], few,
             "  NOT LINEAR" if steep else ""), flush=True)


def resident(pid):
    with open("/proc/%d/status" % pid) as file:
        return 1024 * int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))


def million(folder, count=1000000):
    path = os.path.join(folder, "million.py")
    write_code(path, count)
    session = Session(python=None)
    before = resident(session.process.pid)
    loaded = milliseconds(lambda: session.run("load %s" % path, 600))
    each = (resident(session.process.pid) - before) / count
    rows = [
        ("load of Python code", loaded, ""),
        ("list a page in the middle", median(
            lambda: session.run("list n%d" % (count // 2)), 5), ""),
        ("goto the middle, shapes only", milliseconds(
            lambda: session.run("goto @%d" % (count // 2), 600)), ""),
        ("shapes", milliseconds(lambda: session.run("shapes", 600)), ""),
        ("dump python", milliseconds(lambda: session.run(
            "dump python -o %s" % os.path.join(folder, "out.py"), 600)), ""),
        ("save", milliseconds(lambda: session.run(
            "save %s" % os.path.join(folder, "million.fxg"), 600)), ""),
        ("lint", milliseconds(lambda: session.run("lint", 600)), ""),
        ("pass run dce", milliseconds(
            lambda: session.run("pass run dce", 600)), ""),
    ]
    session.end()
    session = Session(python=None)
    rows.append(("load of .fxg", milliseconds(lambda: session.run(
        "load %s" % os.path.join(folder, "million.fxg"), 600)), ""))
    session.end()
    for what, took, beside in rows:
        row("%s, %d nodes" % (what, count), took, None, beside)
    print("resident memory, %d nodes\t%.0f bytes a node\t\t" % (
        count, each))


with tempfile.TemporaryDirectory() as folder:
    start()
    step(folder)
    linear(folder)
    past_writes(folder)
    million(folder)
sys.exit(not good)
