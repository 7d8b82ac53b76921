"""An fxdb that a test talks to, line by line."""
import os
import re
import select
import signal
import subprocess
import time

FXDB = os.environ["FXDB"]
PYTHON = os.environ["FXDB_PYTHON"]
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace")
# Everything is slower under a sanitizer or on a busy machine.
PATIENCE = 120


def raises(kind, call, *words):
    """The error of KIND, with all of WORDS in it, that CALL raises."""
    try:
        call()
    except kind as error:
        for word in words:
            assert word in str(error), error
        return error
    raise AssertionError("no %s" % kind.__name__)


class Session:
    """Commands in, everything that is said out."""

    def __init__(self, *arguments, python=PYTHON, env=None, cwd=DATA):
        self.process = subprocess.Popen(
            [FXDB, "-nx", "--keep-going", *arguments] +
            (["--python", python] if python else []),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd=cwd,
            env=dict(os.environ, **(env or {})))
        self.said = ""
        self.count = 0

    def type(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, text, seconds=PATIENCE):
        """Read until TEXT is said; what came before it."""
        end = time.monotonic() + seconds
        begin = 0
        while text not in self.said[begin:]:
            begin = max(len(self.said) - len(text), 0)
            left = end - time.monotonic()
            ready, _, _ = select.select([self.process.stdout], [], [],
                                        max(left, 0))
            data = os.read(self.process.stdout.fileno(), 65536) \
                if ready else b""
            if not data:
                raise AssertionError("waited for %r, heard: %s" % (
                    text, self.said[-2000:]))
            self.said += data.decode("utf-8", "replace")
        before, _, self.said = self.said.partition(text)
        return before

    def run(self, line, seconds=PATIENCE):
        """Everything that the command LINE says."""
        self.count += 1
        mark = "=== %d ===" % self.count
        self.type(line)
        self.type("echo " + mark)
        return self.wait(mark + "\n", seconds)

    def rest(self, seconds=PATIENCE):
        """Everything that is said until it ends."""
        said, _ = self.process.communicate(timeout=seconds)
        return self.said + said.decode("utf-8", "replace")

    def children(self, pid=None):
        """Process ids below PID, or below fxdb."""
        found = []
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open("/proc/%s/stat" % name) as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == (pid or self.process.pid) and \
                    fields[0] != "Z":
                found.append(int(name))
        return found

    def server(self):
        children = self.children()
        assert len(children) == 1, children
        return children[0]

    def signal(self, number=signal.SIGINT):
        self.process.send_signal(number)

    def end(self):
        """Close its input; the exit status."""
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(PATIENCE)


_shared = []


def shared():
    """A session without a graph, one for all tests that leave it alive; they do
    not end it."""
    if not _shared or _shared[0].process.poll() is not None:
        _shared[:] = [Session()]
    session = _shared[0]
    session.run("set backend auto")
    for number in re.findall(r"(?m)^\*? +(\d+) ", session.run("graph")):
        session.run("graph drop " + number)
    return session


def gone(pid, seconds=10):
    """Whether the process PID ends in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with open("/proc/%d/stat" % pid) as file:
                if file.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


class Skip(Exception):
    """Why a test cannot be made here."""


def check(tests):
    """Run every function of TESTS; the number that failed."""
    failed = skipped = 0
    for test in tests:
        try:
            test()
            print("ok   %s" % test.__name__, flush=True)
        except Skip as reason:
            skipped += 1
            print("skip %s: %s" % (test.__name__, reason), flush=True)
        except Exception as error:
            failed += 1
            print("FAIL %s: %s: %s" % (test.__name__, type(error).__name__,
                                       error), flush=True)
    print("%d passed, %d failed, %d skipped" % (
        len(tests) - failed - skipped, failed, skipped))
    return failed


def find(said, *patterns):
    """Every one of PATTERNS is in SAID, in this order."""
    at = 0
    for pattern in patterns:
        match = re.compile(pattern).search(said, at)
        assert match, "no %r in:\n%s" % (pattern, said)
        at = match.end()
