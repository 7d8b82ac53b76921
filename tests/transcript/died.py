"""Sessions at a prompt that can be killed, for recovery.py and recovered.py."""
import importlib.util
import glob
import os
import re
import select
import shutil
import signal
import sys
import tempfile
import time

import terminal

fxdb = os.environ["FXDB"]
source = os.environ["FXDB_SRCDIR"]
build = os.environ["FXDB_BUILDDIR"]
folder = tempfile.TemporaryDirectory()
home = folder.name
sessions = home + "/state/fxdb/sessions"
mlp = source + "/doc/examples/mlp.fxg"
failures = []
CAN_TRACE = importlib.util.find_spec("torch") and \
    os.path.exists(build + "/src/capture/fxdb/_capture.abi3.so")
HAS_VALUES = glob.glob(os.environ["FXDB_SHIMS"] + "/fxdb-torch-*.so")
PROMPT = "(fxdb) "
# Also in a nested graph: "(fxdb /turn) ".
ANY_PROMPT = re.compile(r"\(fxdb[^)\n]*\) $")


def check(truth, what):
    if not truth:
        failures.append(what)


def end():
    """Say what failed, and leave."""
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


class Session:
    """fxdb at a prompt that can be killed."""

    def __init__(self, *arguments, state=home + "/state"):
        environment = dict(os.environ, HOME=home, TERM="dumb",
                           XDG_STATE_HOME=state, NO_COLOR="1")
        environment.pop("XDG_CONFIG_HOME", None)
        self.process, self.master, self.slave, _ = terminal.start(
            [fxdb, "-nx", "-q", *arguments], environment)
        self.before = self.read()

    def read(self, limit=60):
        said = ""
        end = time.time() + limit
        while not ANY_PROMPT.search(said) and time.time() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    said += os.read(self.master, 65536).decode()
                except OSError:
                    return said
        check(ANY_PROMPT.search(said), f"no prompt: {said!r}")
        return said

    def ask(self, line):
        """What LINE is answered, without the line itself."""
        os.write(self.master, line.encode() + b"\n")
        return ANY_PROMPT.sub("", self.read().partition("\n")[2])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def quit(self):
        os.write(self.master, b"set confirm off\nquit\n")
        self.process.wait(20)
        os.close(self.master)
        os.close(self.slave)

    def state(self):
        """Code, hash and history: what must come back."""
        return [self.ask("dump python"), self.ask("info undo"),
                re.search(r"hash +(\w+)", self.ask("info graph")).group(1)]


def forget():
    shutil.rmtree(sessions, ignore_errors=True)
