"""Random sessions in a real bash: keys, pastes, sizes, Ctrl-Z with fg, searches
in the history, Ctrl-C, and the terminal going away, in every state.

No crash, no process left, the terminal's modes as before, and nothing run that
was not typed: the history and the pastes hold commands that would leave a file
behind, and none is ever finished by Enter.

usage: soak.py FXDB SOURCE [SESSIONS [SEED [AT A TIME]]]
"""
import multiprocessing
import os
import random
import signal
import sys
import time

from shell import Failed, Shell, state

fxdb, source = sys.argv[1], sys.argv[2]
sessions = int(sys.argv[3]) if sys.argv[3:] else 12
seed = int(sys.argv[4]) if sys.argv[4:] else 1
at_a_time = int(sys.argv[5]) if sys.argv[5:] else 4
MODELS = [source + "/doc/examples/mlp.fxg",
          source + "/doc/examples/resnet18.fxg", ""]
SIZES = [(24, 80), (40, 120), (50, 200), (12, 60), (10, 40), (5, 20), (3, 9),
         (1, 1), (24, 2), (2, 80)]
COMMANDS = ["nodes", "start", "step", "next", "run", "continue", "info graph",
            "p 6 * 7", "undo", "redo", "rename add sum", "rename fc last",
            "help step", "tree", "draw", "list", "set height 6",
            "set height 0", "where", "nosuch", "p [", "layout graph",
            "layout split", "focus code", "scope", "reverse-step"]
PANE_KEYS = list("snNSrbgGjkHzUR?./,") + [
    "\t", "\x04", "\x15", "\x0c", "\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~",
    "\x1b", "\r", "\x1b[Z", "-", "\x1bOP"]
LINE_KEYS = list("abc (%'\"") + [
    "\t", "\x01", "\x05", "\x0b", "\x17", "\x19", "\x7f", "\x1b[C", "\x1b[D",
    "é", "日", "\x1bb", "\x1bf", "\x1b5", "\x16\x01", "\x14"]


class Session:
    def __init__(self, number):
        self.random = random.Random(number)
        self.shell = Shell(fxdb)
        self.canary = self.shell.home + "/run"
        self.done = []
        self.is_over = False
        os.makedirs(self.shell.home + "/state/fxdb")
        with open(self.shell.home + "/state/fxdb/history", "w") as f:
            f.write("nodes\n" + f"shell touch {self.canary}\n" * 3 + "help\n")

    def keys(self, keys, seconds=0.05):
        self.done.append(keys)
        self.shell.keys(keys)
        self.shell.quiet(seconds)

    def is_alive(self):
        try:
            return self.shell.pid()
        except Failed:
            return 0

    def stop(self):
        pid = self.is_alive()
        self.done.append("stop")
        if not pid:
            raise Failed(f"gone: {self.shell.said[-1500:]!r}")
        self.shell.keys("\x1a")
        end = time.monotonic() + 20
        while state(pid) not in ("T", "") and time.monotonic() < end:
            self.shell.pump(0.02)
        if state(pid) != "T":
            raise Failed(f"Ctrl-Z does not stop: {state(pid)!r}")
        # The shell itself needs some room.
        self.shell.size(24, 80)
        # What was typed and not read yet goes to the shell, as everywhere.
        self.shell.keys("\x03")
        self.shell.quiet(0.2)
        self.shell.mark()
        if self.random.random() < 0.3:
            self.shell.same_modes()
        if self.random.random() < 0.7:
            self.size()
        self.keys("fg\r", 0.15)

    def size(self):
        size = self.random.choice(SIZES)
        self.done.append(size)
        self.shell.size(*size)
        self.shell.quiet(0.05)

    def leave(self):
        """The session ends here, whatever it is at."""
        self.is_over = True
        self.shell.note()
        how = self.random.choice(["gone", "gone", signal.SIGHUP,
                                  signal.SIGTERM])
        self.done.append(how)
        if how == "gone":
            self.shell.hang_up()
            return
        os.kill(self.is_alive(), how)
        self.shell.size(24, 80)
        self.shell.quiet(0.2)
        self.shell.keys("\x03")
        self.shell.at = max(0, len(self.shell.said) - 200)
        self.shell.mark()
        self.shell.same_modes()

    def event(self):
        """What may happen in any state."""
        number = self.random.random()
        if number < 0.03:
            self.leave()
        elif number < 0.15:
            self.stop()
        elif number < 0.3:
            self.size()
        elif number < 0.35:
            self.keys("\x03")

    def clear(self):
        """Off the command line, whatever is on it."""
        self.keys("\x03" if not self.is_screen or self.random.random() < 0.5
                  else "\x1b", 0.1)
        if not self.is_screen:
            self.keys("\x15")

    def search(self):
        self.keys((":" if self.is_screen else "") + "\x12")
        self.keys(self.random.choice(["touch", "shell", "to", "zzz"]))
        self.event()
        if not self.is_over:
            self.clear()

    def paste(self):
        text = self.random.choice(
            [f"shell touch {self.canary}\r", f"nodes\rshell touch "
             f"{self.canary}\r\n", "rsnU" * 20, "p 1\n" * 300, "é日\x01\t"])
        self.keys(f"\x1b[200~{text}\x1b[201~")
        self.event()
        if not self.is_over:
            self.clear()

    def command(self):
        text = self.random.choice(COMMANDS)
        self.keys((":" if self.is_screen else "") + text + "\r",
                  self.random.choice([0, 0.02, 0.2]))
        self.event()
        if not self.is_over and not self.is_screen:
            self.keys("q", 0.05)
            self.keys("\x15")

    def question(self):
        self.keys((":" if self.is_screen else "") + "b nosuch_1\r", 0.1)
        self.event()
        if not self.is_over:
            self.keys(self.random.choice(["n\r", "y\r", "x\rn\r", "\x03"]))
            self.clear()

    def type(self):
        for _ in range(self.random.randrange(1, 6)):
            self.keys(self.random.choice(
                PANE_KEYS if self.is_screen else LINE_KEYS), 0.01)
        self.event()
        if not self.is_over:
            self.clear()

    def switch(self):
        self.clear()
        at = len(self.shell.said)
        self.keys(":tui off\r" if self.is_screen else "tui\r", 0.2)
        # Ctrl-C takes with it what a busy machine has not read yet.
        wanted = b"?1049l" if self.is_screen else b"?1049h"
        end = time.monotonic() + 10
        while wanted not in self.shell.said[at:] and time.monotonic() < end:
            self.shell.pump(0.05)
        if wanted in self.shell.said[at:]:
            self.is_screen = not self.is_screen

    def run(self):
        model = self.random.choice(MODELS)
        self.is_screen = self.random.random() < 0.6
        self.shell.start(model + " --tui" * self.is_screen,
                         "keys" if self.is_screen else "(fxdb) ")
        for _ in range(self.random.randrange(8, 20)):
            self.random.choice(
                [self.search, self.paste, self.command, self.command,
                 self.question, self.type, self.type, self.size,
                 self.stop] + [self.switch] * (self.random.random() < 0.3))()
            if self.is_over or not self.is_alive():
                break
        if not self.is_over:
            self.quit()
        left = self.shell.none_left()
        if left:
            raise Failed(f"left: {left}")
        if os.path.exists(self.canary):
            raise Failed("ran what was not typed")
        for word in (b"crashed", b"Segmentation", b"Aborted", b"core dumped",
                     b"ERROR: AddressSanitizer", b"runtime error"):
            if word in self.shell.said:
                raise Failed(f"said {word!r}")

    def quit(self):
        self.shell.size(24, 80)
        for _ in range(3):
            # Keys after the end are the shell's.
            if not self.is_alive():
                break
            self.keys("\x03", 0.2)
            self.keys("\x1b", 0.2)
            self.keys("\x15" if not self.is_screen else "", 0.1)
            for line in ("set confirm off", "quit"):
                if self.is_alive():
                    self.keys(":" * self.is_screen + line + "\r", 0.3)
        end = time.monotonic() + 20
        while self.is_alive() and time.monotonic() < end:
            self.shell.pump(0.05)
        if self.is_alive():
            raise Failed(f"does not end: {self.shell.said[-300:]!r}")
        # A second Ctrl-C may have ended it before: the shell has an Escape.
        self.shell.keys("\x03")
        self.shell.same_modes()


def run(number):
    session = Session(number)
    try:
        session.run()
        return None
    except Failed as why:
        return f"seed {number}: {why}\n  did {session.done}"
    finally:
        session.shell.end()


def main():
    with multiprocessing.Pool(at_a_time) as pool:
        problems = [p for p in pool.imap_unordered(
            run, range(seed, seed + sessions)) if p]
    print(f"{sessions} sessions from seed {seed}, {len(problems)} wrong")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
