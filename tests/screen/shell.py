"""A real bash on a pseudo-terminal of its own, for tests of what happens when
a program is stopped, hung up on, interrupted."""
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time

WAIT = float(os.environ.get("FXDB_TEST_WAIT", "30"))


class Failed(Exception):
    pass


def children(pid):
    """All processes below PID."""
    found, todo = [], [pid]
    while todo:
        at = todo.pop()
        try:
            for task in os.listdir(f"/proc/{at}/task"):
                with open(f"/proc/{at}/task/{task}/children") as f:
                    below = [int(x) for x in f.read().split()]
                found += below
                todo += below
        except OSError:
            pass
    return found


def state(pid):
    """R, S, T, Z; "" when PID is gone."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return ""


def is_gone(pid):
    return state(pid) in ("", "Z")


class Shell:
    """bash, with what it and its programs said."""

    def __init__(self, fxdb, rows=24, columns=80, term="xterm-256color"):
        self.fxdb = fxdb
        self.home = tempfile.mkdtemp(prefix="fxdb-test-")
        self.said = b""
        self.at = 0
        self.marks = 0
        self.known = set()
        environment = {
            "PATH": os.environ["PATH"], "HOME": self.home, "TERM": term,
            "LC_ALL": "C.UTF-8", "INPUTRC": "/dev/null", "PS1": "ready> ",
            "XDG_STATE_HOME": self.home + "/state", "NO_COLOR": "1"}
        for name in ("FXDB_SHIMS", "FXDB_BUILDDIR", "ASAN_OPTIONS",
                     "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        self.master, slave = pty.openpty()
        self.size(rows, columns)
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"], stdin=slave,
            stdout=slave, stderr=slave, env=environment, cwd=self.home,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        os.set_blocking(self.master, False)
        self.see("ready> ")
        self.modes = self.stty()

    def size(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def pump(self, seconds):
        """Read what comes; False when the terminal is closed."""
        if self.master < 0:
            time.sleep(seconds)
            return False
        if select.select([self.master], [], [], seconds)[0]:
            try:
                self.said += os.read(self.master, 65536)
            except BlockingIOError:
                pass
            except OSError:
                return False
        return True

    def see(self, text, wait=None):
        """Wait for TEXT after what was seen last."""
        wanted = text.encode()
        end = time.monotonic() + (wait or WAIT)
        while wanted not in self.said[self.at:]:
            if time.monotonic() > end or not self.pump(0.1):
                raise Failed(f"no {text!r} after {self.tail()!r}")
        found = self.said.index(wanted, self.at)
        before = self.said[self.at:found]
        self.at = found + len(wanted)
        return before.decode(errors="replace")

    def quiet(self, seconds=0.3, limit=2):
        """Until nothing came for a while; how far a command is comes always."""
        end = time.time() + limit
        while select.select([self.master], [], [], seconds)[0]:
            if not self.pump(0) or time.time() > end:
                break
        text = self.said[self.at:]
        self.at = len(self.said)
        return text.decode(errors="replace")

    def tail(self):
        return self.said[self.at:][-600:].decode(errors="replace")

    def keys(self, text):
        data = text.encode() if isinstance(text, str) else text
        while data:
            try:
                data = data[os.write(self.master, data):]
            except BlockingIOError:
                self.pump(0.05)

    def run(self, line, wanted=None):
        self.keys(line + "\r")
        if wanted:
            return self.see(wanted)

    def mark(self):
        """A line of the shell's, after all before it.  Its first letter may
        be lost to what was typed before."""
        self.marks += 1
        for again in range(3):
            self.keys(f"\r echo mark''ed_{self.marks}_\r")
            try:
                self.see(f"marked_{self.marks}_", 7)
                break
            except Failed:
                if again == 2:
                    raise
        self.see("ready> ")

    def stty(self):
        self.quiet(0.1)
        path = f"{self.home}/stty"
        self.keys(f"stty -a >{path}\r")
        self.mark()
        with open(path) as f:
            return re.sub(r"rows \d+; columns \d+; ", "", f.read())

    def start(self, arguments, wanted):
        self.keys(f"{self.fxdb} -nx -q {arguments}\r")
        self.see(wanted)
        self.note()

    def note(self):
        """Remember the processes that must end."""
        self.known.update(children(self.process.pid))

    def pid(self):
        for pid in children(self.process.pid):
            try:
                if os.readlink(f"/proc/{pid}/exe") == \
                        os.path.realpath(self.fxdb):
                    return pid
            except OSError:
                pass
        raise Failed("no process of fxdb's")

    def none_left(self, wait=15):
        """What is left of the processes seen after a while."""
        end = time.monotonic() + wait
        while True:
            left = [p for p in self.known if not is_gone(p)]
            if not left or time.monotonic() > end:
                break
            self.pump(0.05)
        names = []
        for p in left:
            try:
                with open(f"/proc/{p}/cmdline") as f:
                    names.append(f.read().replace("\0", " ")[:120])
            except OSError:
                pass
        return names

    def same_modes(self):
        now = self.stty()
        if now != self.modes:
            raise Failed(f"the modes are {now!r}, were {self.modes!r}")

    def modes_on(self):
        """Private modes that are on and should not be."""
        on = []
        for mode in (1, 1000, 1002, 1006, 1049):
            if self.said.rfind(b"\x1b[?%dh" % mode) > \
                    self.said.rfind(b"\x1b[?%dl" % mode):
                on.append(mode)
        return on

    def hang_up(self):
        """The terminal goes away."""
        self.note()
        os.close(self.master)
        self.master = -1

    def end(self):
        self.note()
        if self.master >= 0:
            os.close(self.master)
        for pid in self.known | {self.process.pid}:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)
