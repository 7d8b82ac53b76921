"""The prompt in a real pseudo-terminal: completion, Ctrl-C, blocks, repeats,
history, questions, and the terminal as it was afterwards."""
import glob
import importlib.util
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import termios
import time

import terminal

fxdb = os.environ["FXDB"]
source = os.environ["FXDB_SRCDIR"]
folder = tempfile.TemporaryDirectory()
home = folder.name
failures = []
build = os.environ["FXDB_BUILDDIR"]
with open(build + "/config.h") as f:
    HAS_SCREEN = "#define FX_WITH_CURSES 1" in f.read()
HAS_VALUES = glob.glob(os.environ["FXDB_SHIMS"] + "/fxdb-torch-*.so")
CAN_TRACE = importlib.util.find_spec("torch") and \
    os.path.exists(build + "/src/capture/fxdb/_capture.abi3.so")


class Prompt:
    """fxdb on a terminal of its own."""

    def __init__(self, *arguments, colors=False):
        self.said = ""
        environment = dict(os.environ, HOME=home, TERM="xterm",
                           XDG_STATE_HOME=home + "/state", NO_COLOR="1")
        environment.pop("XDG_CONFIG_HOME", None)
        if colors:
            environment.update(TERM="xterm-256color")
            environment.pop("NO_COLOR")
        self.process, self.master, self.slave, self.before = \
            terminal.start([fxdb, "-nx", *arguments], environment)

    def read(self, wanted, limit=20):
        """What comes up to WANTED; the rest stays for the next read."""
        end = time.time() + limit
        while wanted not in self.said and time.time() < end:
            if select.select([self.master], [], [], 0.1)[0]:
                try:
                    self.said += os.read(self.master, 65536).decode()
                except OSError:
                    break
        at = self.said.find(wanted)
        if at < 0:
            failures.append(f"no {wanted!r} in {self.said!r}")
        text = self.said[:at + len(wanted)] if at >= 0 else self.said
        self.said = self.said[len(text):]
        return text

    def type(self, keys, wanted):
        os.write(self.master, keys.encode())
        return self.read(wanted)

    def leave(self, status):
        got = self.process.wait(20)
        if got != status:
            failures.append(f"exit status {got}, not {status}")
        after = termios.tcgetattr(self.slave)
        if after != self.before:
            failures.append(f"the terminal is {after}, was {self.before}")


def check(truth, what):
    if not truth:
        failures.append(what)


mlp = source + "/doc/examples/mlp.fxg"

p = Prompt()
text = p.read("(fxdb) ")
check(text.count("\n") == 5, f"the first screen is not five lines: {text!r}")
for word in ("debugger", "Nothing is open", "help concepts", "tutorial",
             "step"):
    check(word in text, f"no {word!r} in the first screen: {text!r}")
check("once a model is open; display .-1 shows its value" in text,
      f"how to see values: {text!r}")
p.type("\x04", "\n")
p.leave(0)

# With the bundled model open the first step shows what was computed.
p = Prompt("--welcome")
text = p.read("(fxdb) ")
check(text.count("\n") == 5, f"the first screen is not five lines: {text!r}")
check("Open: mlp, a model of 7 nodes; stopped before fc1." in text,
      f"what is open: {text!r}")
text = p.type("step\n", "1: .-1 (%fc1) = f32[2,8]")
check("call_module act(%fc1)" in text and "f32[2,8]" in text,
      f"the first step: {text!r}")
p.read("(fxdb) ")
p.type("\x04", "\n")
p.leave(0)

# Nothing is said with -q.
for arguments in (["-q"], ["-q", "--welcome"]):
    p = Prompt(*arguments)
    text = p.read("(fxdb) ")
    check(text.count("\n") == 0, f"said with {arguments}: {text!r}")
    p.type("\x04", "\n")
    p.leave(0)

p = Prompt(mlp)
text = p.read("(fxdb) ")
check("no input yet" not in text, f"an input of a file: {text!r}")
check("display .-1 shows each node's value" in text,
      f"how to see values: {text!r}")
p.type("nod\t", "e")
p.type("s -m 1\n", "6 more")
p.read("(fxdb) ")
# The empty line goes on with a listing and repeats no edit.
p.type("\n", "fc1")
p.read("(fxdb) ")
p.type("rename act relu\n", "undo: 1")
p.read("(fxdb) ")
text = p.type("\n", "(fxdb) ")
check("undo" not in text, "an edit was repeated")
# What differs is an answer here; in a script it is a failed check.
text = p.type("diff\n", "1 node differs.")
check("error" not in text, f"a difference is an error: {text!r}")
p.read("(fxdb) ")
# Ctrl-C drops the line and nothing else.
p.type("node rel", "rel")
p.type("\x03", "(fxdb) ")
p.type("node rel\t\n", "call_module")
p.read("(fxdb) ")
# Ctrl-C ends a program of the shell, and the prompt comes back.
p.type("!sleep 30\n", "\n")
time.sleep(0.3)
p.type("\x03", "exit status 130")
p.read("(fxdb) ")
# A block of lines.
p.type("define two\n", ">")
p.type("p 1 + 1\n", ">")
p.type("end\n", "(fxdb) ")
p.type("two\n", "$1 = 2")
p.read("(fxdb) ")
# A question, answered both ways.
p.type("b nosuch\n", "pending? (y or n) ")
p.type("n\n", 'error: no node "nosuch"')
p.read("(fxdb) ")
p.type("b nosuch\n", "(y or n) ")
p.type("y\n", "Breakpoint 1 (nosuch) pending")
p.read("(fxdb) ")
# Ctrl-D is no answer but no, and leaves no trace on later lines.
p.type("\x04", "\n")
text = p.read("(y or n) ")
check("\n" not in text.replace("\x1b[?2004l", ""), f"Ctrl-D leaves: {text!r}")
text = p.type("\x04", "(fxdb) ")
check(text.count("\n") == 1, f"Ctrl-D at a question leaves: {text!r}")
text = p.type("p 3\n", "(fxdb) ")
check("\n\r\n" not in text.replace("\x1b[?2004l\r", ""),
      f"an empty row after Ctrl-D: {text!r}")
# An error does not end the session; unsaved edits are asked about.
p.type("brek\n", "did you mean")
p.read("(fxdb) ")
p.type("quit\n", "(y or n) ")
p.type("n\n", "(fxdb) ")
p.type("quit 4\n", "(y or n) ")
p.type("y\n", "\n")
p.leave(4)

with open(home + "/state/fxdb/history") as lines:
    history = lines.read().split("\n")
check("two" in history and "quit 4" in history, f"history: {history}")

# Output page by page, and q ends it.
# Of a node with many users the first are named, and how many there are.
with open(home + "/hub.py", "w") as f:
    f.write("def forward(self, x):\n" + "".join(
        f"    relu_{i} = torch.relu(x)\n" for i in range(3000)) +
        "    return relu_2999\n")
p = Prompt(home + "/hub.py", "-q")
p.read("(fxdb) ")
text = p.type("node x\n", "3000 nodes use it.")
check("relu_199, ... 2800 more" in text and "relu_200" not in text,
      f"many users: {text!r}")
p.type("quit\n", "\n")
p.leave(0)

p = Prompt(source + "/doc/examples/resnet18.fxg", "-q")
p.read("(fxdb) ")
p.type("set height 10\n", "(fxdb) ")
p.type("nodes\n", "-- more")
p.type(" ", "-- more")
p.type("q", "(fxdb) ")
# Enter after q repeats nothing; a letter begins the next command.
text = p.type("\n", "(fxdb) ")
check("layer" not in text, f"Enter after q: {text!r}")
p.type("nodes\n", "-- more")
p.type("p 7 * 6\n", "$1 = 42")
p.read("(fxdb) ")
p.type("nodes\n", "-- more")
# Down is a line, though it sends three bytes, and PgDn a page.
p.type("\x1b[B", "-- more")
text = p.type("\x1b[6~", "-- more")
check(text.count("\n") == 9, f"PgDn in a listing: {text!r}")
text = p.type("\x1b", "(fxdb) ")
check("[" not in text.replace("\x1b[", ""), f"Esc in a listing: {text!r}")
p.type("quit\n", "\n")
p.leave(0)

# A lecture: a key goes on, whatever time it would wait; Ctrl-C stops.
script = home + "/lecture.fxdb"
with open(script, "w") as f:
    f.write("# Words of the lecture.\necho one\necho two\necho three\n")
p = Prompt("-q")
p.read("(fxdb) ")
text = p.type(f"source --pace 600s {script}\n", "\none")
check("Words of the lecture." in text and "(fxdb) echo one" in text,
      f"what a lecture shows: {text!r}")
time.sleep(0.3)
check("two" not in p.said, f"no pause: {p.said!r}")
p.type("x", "\ntwo")
p.type("\x03", "lecture.fxdb:3: error: interrupted")
p.read("(fxdb) ")
p.type(f"source --pace 100ms {script}\n", "\nthree")
p.read("(fxdb) ")
p.type("demo resnet\n", "A key goes on, Ctrl-C stops.")
p.read("71 nodes")
p.type("\n", "122 parameters")
p.type("\x03", "error: interrupted")
p.read("(fxdb) ")
# What a demonstration changed is not asked about, what is typed then is.
p.type("rename fc last\n", "undo: 2")
p.read("(fxdb) ")
p.type("quit\n", "(y or n) ")
p.type("n\n", "(fxdb) ")
# Which edit it was.
p.type("undo\n", "undone: rename fc last")
p.read("(fxdb) ")
p.type("quit\n", "\n")
p.leave(0)

# While a lecture is at work keys are not shown, and go on once; one that sends
# several bytes does too.
pipe = home + "/pipe"
os.mkfifo(pipe)
with open(script, "w") as f:
    f.write(f"echo one\nsource {pipe}\necho two\necho three\n")
p = Prompt("-q")
p.read("(fxdb) ")
p.type(f"source --pace 600s {script}\n", "\none")
p.type(" ", f"source {pipe}\r\n")
os.write(p.master, b"  ")
check(not termios.tcgetattr(p.slave)[3] & termios.ECHO, "keys are shown")
with open(pipe, "w") as writer:
    writer.write("echo piped\n")
text = p.read("\ntwo\r\n")
check(" \r\n" not in text, f"keys are shown: {text!r}")
text = p.type("\x1b[B", "\nthree\r\n")
time.sleep(0.3)
check("(fxdb)" not in p.said, f"Down goes on thrice: {p.said!r}")
p.type("x", "(fxdb) ")
p.type("quit\n", "\n")
p.leave(0)

# Whatever ends it leaves the terminal as it was: an error, a signal.
with open(script, "w") as f:
    f.write("echo one\nnosuch\n")
p = Prompt("-q")
p.read("(fxdb) ")
p.type(f"source --pace 600s {script}\n", "\none")
p.type("x", "lecture.fxdb:2: error: unknown command")
p.read("(fxdb) ")
p.type(f"source --pace 600s {script}\n", "\none")
p.process.terminate()
p.leave(-signal.SIGTERM)
p = Prompt(source + "/doc/examples/resnet18.fxg", "-q")
p.read("(fxdb) ")
p.type("set height 10\n", "(fxdb) ")
p.type("nodes\n", "-- more")
p.process.terminate()
p.leave(-signal.SIGTERM)

# One Ctrl-C ends a run and the script around it; the prompt is as before.
if HAS_VALUES:
    with open(script, "w") as f:
        f.write(f'load "{source}/doc/examples/resnet18.fxg"\n'
                "weights random\nset record values off\n"
                "input x = randn(16,3,224,224)\nrun\necho after\n")
    p = Prompt("-q")
    p.read("(fxdb) ")
    p.type(f"source --pace 0s --keep-going {script}\n", "(fxdb) run")
    time.sleep(0.1)
    p.type("\x03", "Interrupted before @")
    text = p.read("lecture.fxdb:5: error: interrupted")
    text += p.read("(fxdb) ")
    check("after" not in text, f"the script went on: {text!r}")
    p.type("p 1 + 1\n", "$1 = 2")
    p.read("(fxdb) ")
    p.type("quit\n", "(y or n) ")
    p.type("y\n", "\n")
    p.leave(0)

# A lesson in between: it goes on in the next session, and its graph is not
# asked about.
p = Prompt("-q")
p.read("(fxdb) ")
p.type("tutorial 2\n", "[1/")
p.read("(fxdb) ")
p.type("run\n", "Right.")
p.read("(fxdb) ")
p.type("rename act relu\n", "undo: 1")
p.read("Not yet: ")
p.read("(fxdb) ")
p.type("quit\n", "\n")
p.leave(0)
p = Prompt("-q")
p.read("(fxdb) ")
# One step, or two where there are no values to keep.
p.type("tutorial\n", " did is done again.")
p.read("(fxdb) ")
# Not to leave is no try at what the step asks for.
p.type("demo --open mlp\n", "(fxdb) ")
p.type("rename act relu\n", "undo: 1")
p.read("(fxdb) ")
p.type("quit\n", "(y or n) ")
p.type("n\n", "\n")
text = p.read("(fxdb) ")
check("Not yet" not in text, "quit is taken for a try")
p.type("undo\n", "undo: 0")
p.read("(fxdb) ")
p.type("\x04", "\n")
p.leave(0)

# Saving over another file asks; an unknown command is not repeated.
other = home + "/other.fxg"
with open(other, "w") as f:
    f.write("mine\n")
p = Prompt(mlp)
p.read("(fxdb) ")
p.type(f"save {other}\n", "Write over it? (y or n) ")
p.type("n\n", "Not saved.")
p.read("(fxdb) ")
check(open(other).read() == "mine\n", "save wrote over a file unasked")
p.type(f"save {other}\n", "Write over it? (y or n) ")
p.type("y\n", "mlp saved to")
p.read("(fxdb) ")
text = p.type(f"save {other}\n", "saved to")
check("Write over" not in text, "save asks about its own file")
p.read("(fxdb) ")
# What -o would write over is asked about once.
for line in ("dump python -o", "draw -o", "dump value fc1.weight"):
    other = home + "/mine" + (".npy" if "value" in line else ".py")
    with open(other, "w") as f:
        f.write("mine\n")
    p.type(f"{line} {other}\n", "Write over it? (y or n) ")
    p.type("n\n", "Not written.")
    p.read("(fxdb) ")
    check(open(other).read() == "mine\n", f"{line} wrote over a file unasked")
p.type(f"dump python -o {home}/mine.py\n", "Write over it? (y or n) ")
p.type("y\n", "bytes")
p.read("(fxdb) ")
text = p.type(f"dump python -o {home}/mine.py\n", "bytes")
check("Write over" not in text, "-o asks about what it wrote")
p.read("(fxdb) ")
p.type("brek\n", "unknown command")
p.read("(fxdb) ")
text = p.type("\n", "(fxdb) ")
check("unknown" not in text, f"the empty line repeats: {text!r}")
p.type("quit\n", "\n")
p.leave(0)

# How far a command is stands in one line, which is written anew and goes before
# anything else is said; nobody waits here, so it is shown from the beginning.
if HAS_VALUES:
    p = Prompt("-q", mlp)
    p.read("(fxdb) ")
    p.type("set progress delay 600000\n", "(fxdb) ")
    text = p.type("run\n", "(fxdb) ")
    check("Ctrl-C stops" not in text, f"a short run: {text!r}")
    p.type("set progress delay 0\n", "(fxdb) ")
    text = p.type("run\n", "(fxdb) ")
    lines = re.findall("\r(@[^;]*); Ctrl-C stops\033\\[K", text)
    nodes = [line.split(",")[0] for line in lines]
    check(nodes == ["@0 x", "@1 fc1", "@2 act", "@3 drop", "@4 fc2", "@5 add",
                    "@6 output"] and " of about " in lines[-1],
          f"progress of a run: {lines}")
    check("stops\033[K\r\033[KFinished." in text, f"it is in the way: {text!r}")
    LONG = (("compare mlp --dtype f64", "@1 fc1, "),
            ("why output[0,1] --against f64", "@1 fc1, "),
            ("pass run inline-all", "inline-all 4, @1 fc1, "),
            ("replace act = torch.log(fc1)", ""),
            ("verify", "input 1 of 3, "),
            ("bisect", "try 1, "),
            ("run", " act, "),
            ("why nan", "asking act, "),
            ("reduce", "try 1, "))
    for line, wanted in LONG:
        text = p.type(line + "\n", "(fxdb) ")
        check(wanted in text, f"progress of {line}: {text!r}")
    p.type("quit\n", "(y or n) ")
    p.type("y\n", "\n")
    p.leave(0)
    # One operation that asks nobody, for a second or more.
    p = Prompt("-q", mlp)
    p.read("(fxdb) ")
    p.type("set progress delay 100\n", "(fxdb) ")
    p.type("insert after x : slow = torch.linalg.svd(torch.ones([5000, 64]))\n",
           "unknown from there on")
    p.read("(fxdb) ")
    text = p.type("run\n", "(fxdb) ")
    check(re.search("\r\033\\[Kslow, \\d+ s; Ctrl-C stops after it.*"
                    "\r\033\\[KFinished", text),
          f"in one operation: {text!r}")
    p.type("quit\n", "(y or n) ")
    p.type("y\n", "\n")
    p.leave(0)
    # Half blocks in greys where a terminal has them.
    p = Prompt("-q", mlp, colors=True)
    p.read("(fxdb) ")
    p.type(f"log session {home}/map.txt\n", "(fxdb) ")
    text = p.type("x/m fc1.weight\n", "(fxdb) ")
    p.type("log off\n", "(fxdb) ")
    log = open(f"{home}/map.txt", encoding="utf-8").read()
    check("\u2592" in log and "\u2588" in log and "\u2584" not in log and "\033" not in log,
          f"a map in a log: {log!r}")
    halves = re.findall("\033\\[38;5;(\\d+);48;5;(\\d+)m\u2584", text)
    check(len(halves) > 8 and "255" in sum(halves, ()) and "232" in sum(halves, ()),
          f"a map in half blocks: {text!r}")
    p.type("set theme mono\n", "(fxdb) ")
    text = p.type("x/m fc1.weight\n", "(fxdb) ")
    check("\u2584" not in text and "\u2588\u2588" in text, f"a map in shades: {text!r}")
    p.type("quit\n", "\n")
    p.leave(0)
# Nor in JSON or from a script.
said = subprocess.run(
    [fxdb, "-nx", "-batch", "-ex", "set progress delay 0", "-ex", "run", mlp],
    capture_output=True, text=True, env=dict(os.environ, TERM="xterm"))
check("Ctrl-C" not in said.stderr + said.stdout, f"in a script: {said}")

# What takes its time says so, on the full screen too; what has the terminal
# meanwhile is not talked over.
if CAN_TRACE:
    with open(home + "/slow.py", "w") as f:
        f.write("import time\nimport torch\n\n\nclass Slow(torch.nn.Module):\n"
                "    def __init__(self):\n        super().__init__()\n"
                "        time.sleep(0.5)\n\n    def forward(self, x):\n"
                "        return x + 1\n")
    p = Prompt("-q", "--python", os.environ["TRACING_PYTHON"])
    p.read("(fxdb) ")
    p.type("set progress delay 0\n", "(fxdb) ")
    text = p.type("!sleep 0.1\n", "(fxdb) ")
    check("Ctrl-C" not in text, f"over a program: {text!r}")
    text = p.type(f"trace {home}/slow.py:Slow\n", "Slow: 3 nodes")
    check("\rtracing, " in text and "stops\033[K\r\033[K" in text,
          f"a slow trace: {text!r}")
    p.read("(fxdb) ")
    if HAS_SCREEN:
        p.type("tui\n", "leave")
        p.type(f":trace {home}/slow.py:Slow\n", "tracing,")
        p.read("model built")
        p.read("leave")
        p.type("q", "(fxdb) ")
    p.type("quit\n", "\n")
    p.leave(0)

print("\n".join(failures))
sys.exit(1 if failures else 0)
