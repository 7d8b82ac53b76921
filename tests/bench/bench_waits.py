"""What a person waits for besides commands: a first run, values that are
dropped, colours at a terminal, the shim for another torch, and the end.  At a
pseudo-terminal where the terminal is what is measured.
"""
import os
import pty
import re
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../parity/capture"))
from session import DATA, FXDB, PYTHON, Session

good = True
COUNTER = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
static long count;
int isatty(int file)
{
	count++;
	return ((int (*)(int))dlsym(RTLD_NEXT, "isatty"))(file);
}
int ioctl(int file, unsigned long what, ...)
{
	va_list list;
	va_start(list, what);
	void *last = va_arg(list, void *);
	va_end(list);
	count++;
	return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(
		file, what, last);
}
void _exit(int status)
{
	FILE *out = fopen(getenv("COUNTED"), "w");
	fprintf(out, "%ld", count);
	fclose(out);
	((void (*)(int))dlsym(RTLD_NEXT, "_exit"))(status);
	abort();
}
"""


def row(what, figure, is_over, bar, beside=""):
    global good
    good &= not is_over
    print("%s\t%s%s\t%s\t%s" % (what, figure, "  OVER" if is_over else "",
                                bar, beside), flush=True)


class Terminal:
    """A session at a pseudo-terminal."""

    def __init__(self, env=None):
        self.count = 0
        self.pid, self.file = pty.fork()
        if not self.pid:
            os.chdir(DATA)
            os.environ.update(env or {}, TERM="xterm", PAGER="")
            os.execv(FXDB, [FXDB, "-nx", "--python", PYTHON])
        self.run("set pagination off")

    def run(self, line):
        """Milliseconds from Enter to the end of what LINE says."""
        self.count += 1
        mark = b"=== %d ===" % self.count
        said = b""
        begin = time.perf_counter()
        os.write(self.file, b"%s\necho %s\n" % (line.encode(), mark))
        while not re.search(rb"[\r\n]" + mark, said[-200000:]):
            if not select.select([self.file], [], [], 30)[0]:
                raise AssertionError("waited, heard: %r" % said[-2000:])
            said += os.read(self.file, 1 << 20)
        return 1e3 * (time.perf_counter() - begin)

    def end(self):
        """Milliseconds from quit to the end of the process."""
        begin = time.perf_counter()
        os.write(self.file, b"quit\n")
        try:
            while os.read(self.file, 1 << 16):
                pass
        except OSError:
            pass
        os.waitpid(self.pid, 0)
        os.close(self.file)
        return 1e3 * (time.perf_counter() - begin)


def limit():
    """F2: runs in turn, with and without a limit that drops most values, of a
    session each: what one gave back to the system the other would ask for."""
    sessions = []
    for bytes_held in "16M", "0":
        session = Session()
        session.run("set backend torch")
        session.run("trace seeded.py:model(\"resnet50\")")
        session.run("input x = randn(1,3,224,224)")
        session.run("set record limit " + bytes_held)
        session.run("run")
        sessions.append(session)
    pairs = []
    for _ in range(10):
        times = []
        for session in sessions:
            begin = time.perf_counter()
            session.run("run")
            times.append(1e3 * (time.perf_counter() - begin))
        pairs.append(times)
    for session in sessions:
        session.end()
    ratio = statistics.median(a / b for a, b in pairs)
    row("F2 run resnet50, record limit 16M",
        "%.1f ms, median ratio %.3f" % (
            statistics.median(a for a, _ in pairs), ratio), ratio > 1.15,
        "1.15", "no limit %.1f ms" % statistics.median(b for _, b in pairs))


def first():
    """F3 and F10: the first input after a pause, and the end after a run."""
    firsts, agains, ends, others = [], [], [], []
    for _ in range(3):
        terminal = Terminal()
        terminal.run("trace seeded.py:model(\"resnet18\")")
        time.sleep(3)
        firsts.append(terminal.run("input x = randn(1,3,64,64)"))
        agains.append(terminal.run("input x = randn(1,3,64,64)"))
        terminal.run("run")
        ends.append(terminal.end())
        time.sleep(0.5)  # until the system has what it had
        others.append(Terminal().end())
    row("F3 first input after a trace and three seconds",
        "%.0f ms" % min(firsts), min(firsts) > 100, "100 ms",
        "the next one %.0f ms" % min(agains))
    bar = min(others) + 20
    row("F10 quit after a run, until the shell has its prompt",
        "%.0f ms" % min(ends), min(ends) > bar, "%.0f ms" % bar,
        "without torch %.0f ms" % min(others))


def colours(folder):
    """F4: questions about the terminal in a listing of 100,000 nodes."""
    source, library = (os.path.join(folder, name)
                       for name in ("count.c", "count.so"))
    with open(source, "w") as file:
        file.write(COUNTER)
    if subprocess.call(["cc", "-shared", "-fPIC", "-w", "-o", library, source,
                        "-ldl"]):
        return
    graph = os.path.join(folder, "many.py")
    with open(graph, "w") as file:
        file.write("def forward(self, x):\n    n0 = torch.relu(x)\n")
        for i in range(1, 100000):
            file.write("    n%d = torch.relu(n%d)\n" % (i, i - 1))
        file.write("    return n99999\n")
    counts = []
    for command in "nodes -m 1", "nodes -m 0":
        counted = os.path.join(folder, "counted")
        terminal = Terminal({"LD_PRELOAD": library, "COUNTED": counted})
        terminal.run("load " + graph)
        terminal.run(command)
        terminal.end()
        with open(counted) as file:
            counts.append(int(file.read()))
    more = counts[1] - counts[0]
    row("F4 nodes -m 0 of 100,000 at a terminal, questions about the terminal",
        "%d more than of one node" % more, more > 10, "10",
        "the whole session %d" % counts[1])


def shim(folder):
    """F5: the first run in another torch, whose shim is built."""
    if not shutil.which("g++"):
        print("F5 shim for another torch\tnot measured\t\tno g++ there")
        return
    python = os.environ["FXDB_TORCH2"]
    if not shutil.which(python) or subprocess.call([python, "-c", "import torch"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        print("F5 shim for another torch\tnot measured\t\tno torch 2.x there")
        return
    session = Session(python=python, env={"XDG_CACHE_HOME": folder,
                                          "FXDB_SHIMS": ""})
    session.run("trace good.py:Good()")
    begin = time.perf_counter()
    said = session.run("set backend torch")
    said += session.run("input x = randn(2,4)")
    took = time.perf_counter() - begin
    session.end()
    told = re.search(r"(\d+) to (\d+) seconds", said)
    least, most = map(int, told.groups()) if told else (0, 0)
    row("F5 shim for another torch", "%.1f s" % took,
        not told or took > most,
        "told: %d to %d s" % (least, most) if told else "told")


with tempfile.TemporaryDirectory() as folder:
    if subprocess.call([PYTHON, "-c", "import torchvision"],
                       stderr=subprocess.DEVNULL):
        print("F2, F3, F10\tnot measured\t\tno torchvision there")
    else:
        limit()
        first()
    colours(folder)
    shim(folder)
sys.exit(not good)
