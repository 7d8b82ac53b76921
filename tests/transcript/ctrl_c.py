"""Ctrl-C, typed on a terminal while something works: the prompt comes back,
the graph and its undo are as before, and the same command then succeeds.

usage: ctrl_c.py FXDB PYTHON
"""
import os
import re
import select
import signal
import sys
import tempfile
import time

import terminal

FXDB, PYTHON = sys.argv[1:3]
SLOW = os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace/slow.py")
# What is given up is no slow machine's: all of these take longer.
LIMIT = 60
PROMPT = re.compile(r"\(fxdb[^)\n]*\) $")
LARGE, SMALL = "input x = randn(8000,400)", "input x = randn(2,400)"
problems = []


class Session:
    def __init__(self, home):
        self.process, self.ours, self.theirs, self.before = terminal.start(
            [FXDB, "-nx", "-q", "--python", PYTHON],
            dict(os.environ, HOME=home, TERM="dumb", NO_COLOR="1",
                 LC_ALL="C.UTF-8"))
        self.text = ""
        self.answer()

    def read(self, seconds):
        if select.select([self.ours], [], [], seconds)[0]:
            self.text += os.read(self.ours, 65536).decode(errors="replace")

    def is_back(self):
        return bool(PROMPT.search(self.text))

    def answer(self):
        end = time.monotonic() + LIMIT
        while not self.is_back():
            if time.monotonic() > end:
                sys.exit("no prompt after %r" % self.text[-2000:])
            self.read(0.1)
        text, self.text = self.text.replace("\r", ""), ""
        return text

    def press_at_once(self, line):
        """The same, when it has begun to say something that nobody reads."""
        os.write(self.ours, line.encode() + b"\n")
        self.text = ""
        while line not in self.text:
            self.read(1)
        time.sleep(0.5)
        os.write(self.ours, b"\x03")
        return self.answer()

    def run(self, line):
        os.write(self.ours, line.encode() + b"\n")
        return self.answer()

    def press(self, line, delay):
        """What LINE says when it is broken off."""
        os.write(self.ours, line.encode() + b"\n")
        end = time.monotonic() + delay
        while time.monotonic() < end and not self.is_back():
            self.read(0.02)
        if self.is_back():
            return "too soon: " + self.answer()
        began = time.monotonic()
        os.write(self.ours, b"\x03")
        said = self.answer()
        print("%5.2f s  %s" % (time.monotonic() - began, line))
        return said

    def state(self):
        found = re.search(r"hash +(\w+)", self.run("info graph"))
        return found and found.group(1), self.run("info undo")


def broken_off(session, line, delay=0.7, first=None):
    """LINE, which follows on FIRST."""
    before = session.state()
    if first:
        session.run(first)
    said = session.press(line, delay)
    if not re.search(r"error: .*interrupted", said):
        problems.append("%s: %s" % (line, said[-500:]))
    elif session.state() != before:
        problems.append("%s: not as before: %s" % (line, said[-500:]))


def processes_of(parent):
    """All that PARENT started, and what these did."""
    path = "/proc/%d/task/%d/children" % (parent, parent)
    with open(path) as file:
        started = [int(word) for word in file.read().split()]
    return [found for pid in started for found in [pid] + processes_of(pid)]


def unheard(session, line):
    """Ctrl-C that finds nobody who listens, as what is to do the work has not
    begun with it.
    """
    before = session.state()
    stopped = processes_of(session.process.pid)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    os.write(session.ours, line.encode() + b"\n")
    time.sleep(1)
    os.write(session.ours, b"\x03")
    time.sleep(0.3)
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    said = session.answer()
    if not re.search(r"error: .*interrupted", said):
        problems.append("unheard: %s: %s" % (line, said[-500:]))
    elif session.state() != before:
        problems.append("unheard: %s: not as before" % line)


def succeeds(session, line, words):
    said = session.run(line)
    if not re.search(words, said):
        problems.append("afterwards %s: %s" % (line, said[-500:]))


def values(session, backend):
    """What runs the model."""
    python = "pass run python:%s:" % SLOW
    session.run("trace %s:Net() as two" % SLOW)
    session.run("rewrite relu(x) => F.gelu(x) --force")
    session.run(LARGE)
    session.run("trace %s:Net() as net" % SLOW)
    session.run("set backend " + backend)
    session.run("set verify on")
    session.run("graph net")
    session.run(LARGE)
    lines = [("pass run inline-all", "verified"),
             ("compare two", "differ|part"),
             ("diff two --values", "differ|part")]
    if backend == "torch":
        lines += [("rewrite relu(x) => F.gelu(x) --same", "refused: "),
                  ("rewrite relu(x) => relu(relu(x)) --same", "verified"),
                  (python + "swapped", "verified"),
                  (python + "planted", "refused: .* hangs together: ~%add")]
    for line, _ in lines:
        broken_off(session, line)
    for name in "loops", "stubborn":
        broken_off(session, python + name, 2)
    unheard(session, python + "loops")
    broken_off(session, "a", first="pass run inline-all -s")
    if backend == "torch":
        broken_off(session, python + "planted", 4)
        broken_off(session, "a", first=python + "swapped -s")
    session.run("set verify off")
    session.run("pass run normalize")
    session.run("pass run inline-all")
    if backend == "torch":
        broken_off(session, "bisect")
    session.run("undo 2")
    session.run("set verify on")
    for graph in "two", "net":
        session.run("graph " + graph)
        session.run(SMALL)
    for line, words in lines:
        succeeds(session, line, words)
        session.run("goto t0")
    succeeds(session, python + "copied", r"\+0 -0 ~0")
    session.run("trace %s:Bad() as bad" % SLOW)
    session.run(LARGE)
    broken_off(session, "reduce", 0.7)
    session.run(SMALL)
    succeeds(session, "reduce", "nodes fail alike")
    for name in "bad_reduced", "bad", "net", "two":
        session.run("close " + name)


def write_chain(path, last):
    """A graph of 40,000 nodes, each of which the next one reads."""
    calls = ["torch.relu(%s)", "%s + 1", "torch.neg(%s)", "%s * 2", last]
    with open(path, "w") as file:
        file.write("def forward(self, x):\n")
        name = "x"
        for i in range(40000):
            file.write("    a%d = %s\n" % (
                i, calls[(i * i + i // 7) % len(calls)] % name))
            name = "a%d" % i
        file.write("    return %s\n" % name)


def graphs(session, folder):
    """What only looks at graphs."""
    for name, last in (("one", "torch.tanh(%s)"), ("other", "%s / 3")):
        path = os.path.join(folder, name + ".py")
        write_chain(path, last)
        session.run("load %s as %s" % (path, name))
    session.run("graph one")
    for line, delay in (("rewrite relu(x) => relu(x + 1) --fixpoint", 0.5),
                        ("pass run" + " reorder order=memory" * 8, 0.05),
                        ("match relu(x) where count{name~\"a1*\"} > "
                         "users(x)", 0.2),
                        ("diff other", 0.1), ("diff other --script", 0.1)):
        broken_off(session, line, delay)
    succeeds(session, "match relu(x) where users(x) = 1", "[0-9] matches")
    succeeds(session, "rewrite relu(neg(x)) => x --fixpoint", "rewritten")
    session.run("undo")
    succeeds(session, "diff other -o %s/diff" % folder, "bytes")
    for line, last in (("dump python", "return a39999"),
                       ("rewrite relu(x) => F.gelu(x) -n", "dry run")):
        if last in session.press_at_once(line):
            problems.append("%s went on to its end" % line)
    succeeds(session, "match -m 1 relu(x)", "[0-9] matches")
    # While the graph is handed over, and just after that.
    for delay in 0.05, 0.5, 1:
        broken_off(session, "pass run python:%s:copied" % SLOW, delay)


def main():
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder)
        session.run("set pagination off")
        session.run("set confirm off")
        for backend in "torch", "python":
            values(session, backend)
        graphs(session, folder)
        os.write(session.ours, b"quit\n")
        if session.process.wait(LIMIT):
            problems.append("status %d" % session.process.returncode)
    for problem in problems:
        print(problem)
    return int(bool(problems))


sys.exit(main())
