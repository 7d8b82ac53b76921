"""One table of states and of what may happen in them.

For each state (prompt, question, pager, search, paste, screen, running, tracing):
the terminal goes away, SIGHUP comes, Ctrl-Z with another size and fg, Ctrl-C.

usage: states.py FXDB SOURCE [STATE[:EVENT] ...]
"""
import glob
import importlib.util
import multiprocessing
import os
import signal
import sys
import termios
import time

from shell import Failed, Shell, state

fxdb, source = sys.argv[1], sys.argv[2]
wanted = sys.argv[3:]
MLP = source + "/doc/examples/mlp.fxg"
RESNET = source + "/doc/examples/resnet18.fxg"
PYTHON = os.environ.get("TRACING_PYTHON", "/usr/bin/python3")
BUILD = os.path.dirname(os.path.realpath(fxdb))
HAS_TORCH = bool(glob.glob(BUILD + "/fxdb-torch-*.so"))
CAN_TRACE = importlib.util.find_spec("torch") and \
    os.path.exists(BUILD + "/src/capture/fxdb/_capture.abi3.so")
SLOW = """import time
import torch


class Slow(torch.nn.Module):
    def __init__(self):
        super().__init__()
        time.sleep(600)

    def forward(self, x):
        return x + 1
"""


def prompt(s):
    s.start(MLP, "(fxdb) ")
    s.run("p 20 + 1", "= 21")
    s.see("(fxdb) ")
    s.keys("p 1234 *")
    s.see("1234")


def question(s):
    s.start(MLP, "(fxdb) ")
    s.run("rename act relu", "undo: 1")
    s.see("(fxdb) ")
    s.run("quit", "(y or n) ")


def pager(s):
    s.start(RESNET, "(fxdb) ")
    s.run("set height 10", "(fxdb) ")
    s.run("nodes", "-- more")


def search(s):
    s.start(MLP, "(fxdb) ")
    s.run("echo found_it", "found_it")
    s.see("found_it")
    s.see("(fxdb) ")
    s.keys("\x12ech")
    s.see("search)")
    s.quiet(0.2)


def pasting(s):
    """What a slow line brings: the end of the paste comes later."""
    s.start(MLP, "(fxdb) ")
    s.keys("\x1b[200~p 1234 *")
    s.quiet()


def lecture(s):
    with open(s.home + "/lecture.fxdb", "w") as f:
        f.write("echo one\necho two\n")
    s.start(MLP, "(fxdb) ")
    s.run(f"source --pace 600s {s.home}/lecture.fxdb", "\none")


def waiting(s):
    os.mkfifo(s.home + "/fifo")
    s.fifo = os.open(s.home + "/fifo", os.O_RDWR)
    s.start(MLP, "(fxdb) ")
    s.run(f"source {s.home}/fifo", "\n")
    time.sleep(0.3)


def running(s):
    s.start(RESNET, "(fxdb) ")
    for line in ("weights random", "set record values off",
                 "input x = randn(8,3,224,224)", "set pagination off"):
        s.run(line, "(fxdb) ")
    # It ends by Ctrl-C, however fast it is.
    s.run("define again", ">")
    for _ in range(60):
        s.run("run", ">")
    s.run("end", "(fxdb) ")
    s.keys("again\r")
    s.see("again")
    time.sleep(0.5)


def tracing(s):
    with open(s.home + "/slow.py", "w") as f:
        f.write(SLOW)
    s.start(f"--python {PYTHON}", "(fxdb) ")
    s.run(f"trace {s.home}/slow.py:Slow", "tracing,")
    s.note()


def screen(s):
    s.start(f"{RESNET} --tui", "[graph]")
    s.quiet()


def screen_line(s):
    screen(s)
    s.keys(":p 1234 *")
    s.quiet()


def screen_search(s):
    screen(s)
    s.keys(":echo found_it\r")
    s.quiet()
    s.keys(":\x12ech")
    s.see("search)")
    s.quiet()


def screen_pasting(s):
    screen(s)
    s.keys(":\x1b[200~p 1234 *")
    s.quiet()


def screen_find(s):
    screen(s)
    s.keys("/lay")
    s.quiet()


def screen_question(s):
    screen(s)
    s.keys(":rename add_1 sum_1\r")
    s.quiet()
    s.keys(":quit\r")
    s.see("n)")
    s.quiet()


def screen_keys(s):
    screen(s)
    s.keys("?")
    s.see("run one node, over nested graphs")
    s.quiet()


def screen_running(s):
    s.start(f"{RESNET} --tui -ex 'weights random' "
            "-ex 'input x = randn(8,3,224,224)' "
            "-ex 'set record values off'", "[graph]")
    s.quiet()
    s.keys("r")
    s.see("running @")


def screen_tracing(s):
    with open(s.home + "/slow.py", "w") as f:
        f.write(SLOW)
    s.start(f"--python {PYTHON} --tui", "leave")
    s.quiet()
    s.keys(f":trace {s.home}/slow.py:Slow\r")
    s.see("tracing,")
    s.note()


# How it begins; what is typed after fg, and what that shows.
STATES = {
    "prompt": (prompt, "5678\r", "7006652"),
    "question": (question, "n\r", "(fxdb) "),
    "pager": (pager, " ", "-- more"),
    "search": (search, "\r", "found_it"),
    "pasting": (pasting, " 5678\x1b[201~\r", "7006652"),
    "lecture": (lecture, "x", "\ntwo"),
    "waiting": (waiting, None, None),
    "running": (running, None, None),
    "tracing": (tracing, None, None),
    "screen": (screen, "j:p 1234 * 5678\r", "7006652"),
    "screen_line": (screen_line, "5678\r", "7006652"),
    "screen_search": (screen_search, "\r", "found_it"),
    "screen_pasting": (screen_pasting, " 5678\x1b[201~\r", "7006652"),
    "screen_find": (screen_find, "er\r:p 1234 * 5678\r", "7006652"),
    "screen_question": (screen_question, "n\r:p 1234 * 5678\r", "7006652"),
    "screen_keys": (screen_keys, "\x1b", "conv1"),
    "screen_running": (screen_running, None, None),
    "screen_tracing": (screen_tracing, None, None),
}
NEEDS_TORCH = ("running", "screen_running")
NEEDS_TRACE = ("tracing", "screen_tracing")


def leave(s, name):
    """To the shell again, whatever it is in."""
    s.quiet()
    if name.startswith("screen"):
        s.keys("\x1b")
        time.sleep(0.1)
        s.keys("\x1b\x1b")
        s.quiet(0.1)
        s.keys(":set confirm off\r")
        s.quiet(0.1)
        s.keys(":quit\r")
    else:
        s.keys("set confirm off\r")
        s.quiet(0.1)
        s.keys("quit\r")
    s.see("ready> ")
    s.mark()


def hang_up(s, name):
    s.hang_up()


def sighup(s, name):
    pid = s.pid()
    s.note()
    os.kill(pid, signal.SIGHUP)
    s.see("ready> ")
    s.same_modes()
    on = s.modes_on()
    if on:
        raise Failed(f"still on: {on}")


def stop(s, name):
    keys, shown = STATES[name][1:]
    for size in ((30, 100), (24, 80)):
        pid = s.pid()
        s.quiet(0.1)
        s.keys("\x1a")
        s.see("Stopped")
        s.see("ready> ")
        if state(pid) != "T":
            raise Failed(f"its state is {state(pid)}")
        s.same_modes()
        s.size(*size)
        s.quiet(0.1)
        s.keys("fg\r")
        s.see("fxdb")
        text = s.quiet(0.5)
        raw = not termios.tcgetattr(s.master)[3] & termios.ECHO
        if raw != (name not in ("waiting", "running", "tracing")):
            raise Failed(f"keys are {'not ' * raw}shown after fg: {text[-300:]!r}")
        if name.startswith("screen") and name != "screen_keys" and \
                "conv1" not in text and "no graph" not in text:
            raise Failed(f"not painted anew: {text[-300:]!r}")
    if name == "waiting":
        os.write(s.fifo, b"echo piped\n")
        os.close(s.fifo)
        s.see("piped")
    elif keys:
        s.keys(keys)
        s.see(shown)
    elif "running" in name:
        s.keys("\x03")
        s.see("nterrupted")
    elif "tracing" in name:
        s.keys("\x03")
        s.see("interrupted")
    leave(s, name)
    s.same_modes()


def interrupt(s, name):
    s.quiet(0.1)
    s.keys("\x03")
    if name == "question":
        s.see("(fxdb) ")
    elif name in ("waiting", "lecture", "running", "tracing"):
        s.see("nterrupted")
    elif name == "screen_question" or name.startswith("screen_"):
        s.quiet(0.5)
    elif name == "screen":
        s.see("nterrupted")
    else:
        s.see("(fxdb) ")
    s.quiet()
    if name.startswith("screen"):
        if "running" not in name and "tracing" not in name:
            s.keys("\x1b")
            s.quiet(0.2)
            s.keys(":")
            s.keys("p 1234 * 5678\r")
            s.see("7006652")
    else:
        s.keys("p 1234 * 5678\r")
        s.see("7006652")
    leave(s, name)
    s.same_modes()


EVENTS = {"hang-up": hang_up, "sighup": sighup, "stop": stop,
          "interrupt": interrupt}


def check(name, event):
    s = Shell(fxdb)
    try:
        STATES[name][0](s)
        EVENTS[event](s, name)
        left = s.none_left()
        if left:
            raise Failed(f"left: {left}")
        return "good"
    except Failed as problem:
        return str(problem)
    finally:
        s.end()


def timed(name, event):
    begun = time.monotonic()
    problem = check(name, event)
    print(f"{name:16} {event:10} {time.monotonic() - begun:5.1f} s  "
          f"{problem}", flush=True)
    return problem != "good"


def is_wanted(name, event):
    if name in NEEDS_TORCH and not HAS_TORCH or \
            name in NEEDS_TRACE and not CAN_TRACE:
        return False
    return not wanted or {name, f"{name}:{event}", f":{event}"} & set(wanted)


def main():
    """Several at a time: they wait more than they work."""
    rows = [(name, event) for name in STATES for event in EVENTS
            if is_wanted(name, event)]
    with multiprocessing.Pool(4) as pool:
        return 1 if any(pool.starmap(timed, rows, 1)) else 0


if __name__ == "__main__":
    sys.exit(main())
