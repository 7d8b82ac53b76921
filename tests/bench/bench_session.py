"""What a person at the prompt waits for: starting, and commands in graphs of
10,000 nodes that ran and of a million that did not.  Medians, from the line to
its whole answer, through pipes.
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
    million(folder)
sys.exit(not good)
