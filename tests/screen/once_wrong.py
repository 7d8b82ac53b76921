"""What was once wrong on a terminal, one function each.

usage: once_wrong.py FXDB SOURCE [NAME ...]
"""
import os
import pty
import signal
import subprocess
import sys
import termios
import time

from shell import Failed, Shell, children
from states import CAN_TRACE, MLP, PYTHON, RESNET, fxdb

names = sys.argv[3:]


def gone_at_a_question_without_sighup():
    """A terminal that is nobody's: no signal comes when it goes away."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [fxdb, "-nx", "-q", MLP], stdin=slave, stdout=slave, stderr=slave,
        env=dict(os.environ, TERM="xterm", HOME="/nonexistent"),
        start_new_session=True)
    os.close(slave)
    os.write(master, b"rename act relu\nquit\n")
    said = b""
    while b"(y or n)" not in said:
        said += os.read(master, 4096)
    os.close(master)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failed("lives on")


def narrow_search():
    for term, columns in (("dumb", 2), ("nosuch", 2), ("vt100", 3)):
        s = Shell(fxdb, 24, 80, term)
        try:
            s.size(24, columns)
            s.keys(f"{fxdb} -nx -q; echo st''atus=$?=\r")
            s.quiet()
            for key in ("abc", "\x12", "x", "q", "\x07", "\x15"):
                s.keys(key)
                s.quiet(0.1)
            s.size(24, 80)
            s.quiet(0.1)
            s.keys("\x15quit\r")
            s.see("status=0=")
        finally:
            s.end()


def paste_into_a_pane():
    s = Shell(fxdb)
    try:
        s.start(f"{RESNET} --tui", "[graph]")
        s.quiet()
        s.keys("\x1b[200~run\rsU rename add_1 sum_1\r\x1b[201~")
        text = s.quiet(0.5)
        if "running" in text or "finished" in text or "undo 1" in text:
            raise Failed(f"a paste ran: {text[-300:]!r}")
        # What was pasted is on the command line, and only Enter runs it.
        s.keys("\x15echo pas\x1b[200~ted_5\r\x1b[201~")
        s.quiet()
        s.keys("\r")
        s.see("pasted_5")
        # In the middle of a question, too.
        s.keys(":rename add_1 sum_1\r")
        s.quiet()
        s.keys(":quit\r")
        s.see("n)")
        s.keys("\x1b[200~y\r\x1b[201~")
        s.quiet()
        s.keys("\x7fn\r")
        s.quiet()
        s.keys(":echo he''re_1\r")
        s.see("re_1")
        s.keys(":set confirm off\r:quit\r")
        s.see("ready> ")
        s.same_modes()
    finally:
        s.end()


def paste_at_the_pager():
    """It answers nothing, and none of it begins the next command."""
    s = Shell(fxdb, rows=6)
    try:
        s.start(MLP, "(fxdb) ")
        for ended in "\x1b[201~", "":
            s.keys("nodes\r")
            s.see("\x1b[?2004h-- more")
            s.keys(f"\x1b[200~shell touch {s.home}/ran\r{ended}")
            s.see("-- more", 3)
            s.keys("q")
            s.see("(fxdb) ")
        s.run("p 1234 * 5678", "7006652")
        if os.path.exists(f"{s.home}/ran"):
            raise Failed("what was pasted ran")
    finally:
        s.end()


def a_slow_paste_is_one():
    """Its second half comes late: none of its lines is run."""
    s = Shell(fxdb)
    try:
        s.start(f"{RESNET} --tui", "[graph]")
        s.quiet()
        s.keys(":\x1b[200~echo pas\r")
        s.quiet(1)
        s.keys("\recho ted_6\rq")
        text = s.quiet(1)
        s.keys("\x1b[201~")
        text += s.quiet()
        if "ted_6" not in text or "echo" not in text:
            raise Failed(f"not on the command line: {text[-300:]!r}")
        if not s.pid() or "keys" not in text and "ready>" in text:
            raise Failed(f"a paste was typed: {text[-300:]!r}")
        s.keys("\x03:p 1234 * 5678\r")
        s.see("7006652")
    finally:
        s.end()


def keys_before_an_interrupt():
    """They are read before it or never: after it they would open a search,
    whose match Enter runs.
    """
    s = Shell(fxdb)
    try:
        os.makedirs(s.home + "/state/fxdb")
        with open(s.home + "/state/fxdb/history", "w") as f:
            f.write(f"shell touch {s.home}/found\n")
        s.start(f"{MLP} --tui", "[graph]")
        s.quiet()
        for i in range(24):
            s.keys(":\x12touch\x03")
            time.sleep(i % 3 * 0.005)
            s.keys("\r")
            s.quiet(0.1)
            if os.path.exists(s.home + "/found"):
                raise Failed(f"ran at try {i}")
            s.keys("\x03\x1b")
            s.quiet(0.05)
    finally:
        s.end()


def typed_while_the_screen_is_not_there():
    s = Shell(fxdb)
    try:
        with open(s.home + "/slow.py", "w") as f:
            f.write("import time\nimport torch\n\n\n"
                    "class Slow(torch.nn.Module):\n"
                    "    def __init__(self):\n        super().__init__()\n"
                    "        time.sleep(2)\n\n    def forward(self, x):\n"
                    "        return x + 1\n")
        s.keys(f"{fxdb} -nx -q --python {PYTHON} {s.home}/slow.py:Slow "
               "--tui\r")
        s.see("--tui")
        time.sleep(0.7)
        s.keys("zzTyped\rU:echo said_2\r")
        said = s.see("[graph]")
        said += s.quiet(0.5)
        if "zzT" in said or "said_2" in said:
            raise Failed(f"shown or run: {said[-400:]!r}")
        s.keys(":quit\r")
        s.see("ready> ")
        s.same_modes()
    finally:
        s.end()


def stopped_server():
    """Whatever hangs: the third Ctrl-C ends the trace."""
    s = Shell(fxdb)
    try:
        with open(s.home + "/m.py", "w") as f:
            f.write("import torch\n\n\nclass M(torch.nn.Module):\n"
                    "    def forward(self, x):\n        return x + 1\n")
        s.start(f"--python {PYTHON}", "(fxdb) ")
        s.run(f"trace {s.home}/m.py:M", "3 nodes")
        s.see("(fxdb) ")
        s.note()
        below = [pid for pid in children(s.process.pid) if pid != s.pid()]
        if not below:
            raise Failed("no server")
        for pid in below:
            os.kill(pid, signal.SIGSTOP)
        s.run(f"trace {s.home}/m.py:M", "\n")
        for i in range(3):
            time.sleep(1)
            s.keys("\x03")
        s.see("(fxdb) ", 5)
        # The next one starts another server.
        s.run(f"trace {s.home}/m.py:M", "3 nodes")
        s.see("(fxdb) ")
        s.run("quit", "ready> ")
        left = s.none_left()
        if left:
            raise Failed(f"left: {left}")
    finally:
        s.end()


def escape_ends_a_search():
    s = Shell(fxdb)
    try:
        s.start(f"{MLP} --tui", "[graph]")
        s.quiet()
        s.keys(":insert after act : zzz = torch.neg(act)\r")
        s.quiet()
        s.keys("U")
        s.quiet()
        s.keys(":\x12ins")
        s.quiet()
        s.keys("\x1b")
        s.quiet()
        s.keys("q")
        s.see("(fxdb) ")
        text = s.run("echo af''ter_3", "ter_3")
        text += s.quiet()
        s.run("info graph", "nodes")
        if "zzz" in text or "undo: 1" in text:
            raise Failed(f"found in history and run: {text!r}")
        # The same at the prompt: Ctrl-C.
        s.run("tui", "[graph]")
        s.quiet()
        s.keys(":\x12ins")
        s.quiet()
        s.keys("\x03")
        s.quiet()
        s.keys(":echo la''st_4\r")
        s.see("st_4")
        s.keys(":quit\r")
        s.quiet()
        s.keys("y\r")
        s.see("ready> ")
    finally:
        s.end()


def sequences_without_a_name():
    """A focus event, keys that terminfo lacks, the terminal's own colour: they are
    no keys of a pane, and leave nothing on the command line."""
    s = Shell(fxdb)
    strange = ("\x1b[I", "\x1b[1;9A", "\x1b[33~", "\x1b]11;rgb:0/0/0\x07",
               "\x1b]11;rgb:0/0/0\x1b\\", "\x1bOu")
    try:
        s.start(f"{MLP} --tui", "[graph]")
        s.quiet()
        for keys in strange:
            s.keys(keys)
            text = s.quiet()
            if text:
                raise Failed(f"{keys!r} did something: {text[-200:]!r}")
        s.keys(":")
        s.quiet()
        for keys in strange:
            s.keys(keys)
            s.quiet()
        s.keys("echo al''one_5\r")
        s.see("one_5")
        text = s.quiet()
        if "error" in text:
            raise Failed(f"left on the line: {text!r}")
        s.keys(":quit\r")
        s.see("ready> ")
    finally:
        s.end()


def pastes_are_asked_for():
    """While the screen is there, the terminal is told to mark pastes."""
    s = Shell(fxdb)
    on, off = b"\x1b[?2004h", b"\x1b[?2004l"
    try:
        s.start(f"{MLP} --tui", "[graph]")
        s.quiet()
        if s.said.rfind(on) < s.said.rfind(b"\x1b[?1049h"):
            raise Failed("a paste would be keys")
        s.keys("\x1a")
        s.see("ready> ")
        s.keys("fg\r")
        s.see("[graph]")
        s.quiet()
        if s.said.rfind(on) < s.said.rfind(off):
            raise Failed("not after fg")
        s.keys("q")
        s.see("(fxdb) ")
    finally:
        s.end()


def crashed_with_the_screen():
    """SIGSEGV: every mode that the screen switched on is off, those of the arrow
    keys too."""
    s = Shell(fxdb)
    try:
        s.start(f"{MLP} --tui", "[graph]")
        s.quiet()
        os.kill(s.pid(), signal.SIGSEGV)
        s.see("ready> ")
        s.same_modes()
        if s.modes_on():
            raise Failed(f"still on: {s.modes_on()}")
    finally:
        s.end()


def stopped_from_elsewhere():
    """kill -STOP and fg: the terminal has the shell's modes then."""
    for begin, text in ((f"{MLP}", "(fxdb) "), (f"{MLP} --tui", "[graph]")):
        s = Shell(fxdb)
        try:
            s.start(begin, text)
            s.quiet()
            os.kill(s.pid(), signal.SIGSTOP)
            s.see("ready> ")
            s.keys("fg\r")
            end = time.monotonic() + 20
            while termios.tcgetattr(s.master)[3] & termios.ICANON:
                if time.monotonic() > end:
                    raise Failed("the modes are the shell's")
                time.sleep(0.05)
            s.quiet(0.5)
            s.keys((":" if "--tui" in begin else "") + "p 1234 * 5678\r")
            s.see("7006652")
            s.keys((":" if "--tui" in begin else "") + "quit\r")
            s.see("ready> ")
        finally:
            s.end()


def slow_writer_of_a_script():
    s = Shell(fxdb)
    try:
        s.run(f"mkfifo f; (sleep 1; echo echo fr''om_it >f) & "
              f"{fxdb} -nx -q -batch -x f; echo st''atus=$?=", "\n")
        text = s.see("status=0=")
        if "from_it" not in text:
            raise Failed(f"nothing run: {text!r}")
        # Nobody ever writes: Ctrl-C ends it.
        s.run(f"{fxdb} -nx -q -batch -x f; echo st''atus=$?=", "\n")
        time.sleep(0.5)
        s.keys("\x03")
        if "status=0=" in s.see("status="):
            raise Failed("no writer, status 0")
    finally:
        s.end()


def a_warning_is_on_the_screen():
    s = Shell(fxdb)
    try:
        with open(s.home + "/bad.py", "w") as f:
            f.write("import torch\n\n\nclass Bad(torch.nn.Module):\n"
                    "    def __init__(self):\n        super().__init__()\n"
                    "        self.fc = torch.nn.Linear(3, 4)\n\n"
                    "    def forward(self, x):\n        return self.fc(x)\n")
        s.keys(f"{fxdb} -nx -q --python {PYTHON} {s.home}/bad.py:Bad "
               "-i 'x=f32[2,5]' --tui\r")
        s.see("[graph]")
        if "impossible" not in s.quiet(0.5):
            raise Failed("the warning is lost")
        s.keys(":quit\r")
        s.see("ready> ")
    finally:
        s.end()


def drawings_fit():
    s = Shell(fxdb)
    try:
        s.size(24, 44)
        s.start(RESNET, "(fxdb) ")
        s.run("set height 0", "(fxdb) ")
        text = s.run("draw {in layer2.0}", "(fxdb) ")
        rows = [row for row in text.split("\r\n")[1:] if "layer" in row]
        long = [row for row in rows if len(row) > 44]
        if long or not any("conv2" in row for row in rows):
            raise Failed(f"wider than the terminal: {long or rows}")
    finally:
        s.end()


NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        return self.fc2(torch.relu(self.fc1(x)))


def hooked():
    net = Net()
    net.fc1.register_forward_hook(lambda module, args, result: result * 2)
    return net
"""


def painted_while_python_answers():
    """What a frame asks of Python is no part of what the run asks."""
    for spec, prepare in (("Net", "set backend python"),
                          ("hooked() --example", "echo hooks")):
        s = Shell(fxdb, 40, 160)
        try:
            with open(s.home + "/net.py", "w") as f:
                f.write(NET)
            s.keys(f"{fxdb} -nx -q --python {PYTHON} "
                   f"'{s.home}/net.py:{spec} -i x=f32[2,4]' --tui\r")
            s.see("[graph]")
            s.quiet()
            for line in (prepare, "run", "goto @0", "step", "run",
                         "p %output.numel() * 1009"):
                s.keys(f":{line}\r")
                text = s.quiet(0.5, 10)
                for bad in ("Stopped", "error", "something else"):
                    if bad in text:
                        raise Failed(f"{spec}: {line}: {text[-600:]!r}")
            if "4036" not in text:
                raise Failed(f"{spec}: {text[-300:]!r}")
            s.keys(":quit\r")
            s.see("ready> ")
        finally:
            s.end()


NEED_TRACE = (a_warning_is_on_the_screen, painted_while_python_answers,
              typed_while_the_screen_is_not_there, stopped_server)
ROWS = (gone_at_a_question_without_sighup, narrow_search, paste_into_a_pane,
        paste_at_the_pager, a_slow_paste_is_one, keys_before_an_interrupt, drawings_fit,
        a_warning_is_on_the_screen, escape_ends_a_search, sequences_without_a_name,
        pastes_are_asked_for, crashed_with_the_screen, stopped_from_elsewhere,
        slow_writer_of_a_script, painted_while_python_answers,
        typed_while_the_screen_is_not_there, stopped_server)


def main():
    failed = 0
    for row in ROWS:
        if names and row.__name__ not in names or \
                row in NEED_TRACE and not CAN_TRACE:
            continue
        problem = "good"
        begun = time.monotonic()
        try:
            row()
        except Failed as why:
            problem = str(why)
            failed += 1
        print(f"{row.__name__:36} {time.monotonic() - begun:5.1f} s  "
              f"{problem}", flush=True)
    return 1 if failed else 0


sys.exit(main())
