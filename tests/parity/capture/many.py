"""Many graphs open at once: files that may be open are few."""
import subprocess
import sys

from session import DATA, FXDB, PYTHON, check, find


def trace_many(count, files, hard):
    """What is said of COUNT traces where FILES may be open; HARD: at most."""
    lines = ["trace good.py:Good as g%d" % i for i in range(count)]
    command = [FXDB, "-nx", "-q", "--python", PYTHON, "-x", "-"]
    flag = "-n" if hard else "-Sn"
    done = subprocess.run(
        ["sh", "-c", 'ulimit %s %d; exec "$@"' % (flag, files), "sh"] +
        command, input="\n".join(lines), capture_output=True, text=True,
        cwd=DATA)
    return done.stdout + done.stderr


def many_graphs_are_open_at_once():
    said = trace_many(40, 64, False)
    assert "error" not in said and "g39: 4 nodes" in said, said


def too_many_graphs_are_told_what_to_do():
    said = trace_many(40, 64, True)
    find(said, r"error: cannot make a (pipe|socket): Too many open files\n"
               r"  hint: each graph that was traced keeps two files open")


sys.exit(1 if check([many_graphs_are_open_at_once,
                     too_many_graphs_are_told_what_to_do]) else 0)
