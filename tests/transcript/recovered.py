"""What recover brings back of one kind each, and what it says of the rest."""
import glob
import os
import random
import re
import signal
import time

from died import CAN_TRACE, HAS_VALUES, Session, check, end, forget, home, mlp, sessions, source

NET = """import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)
        self.fc2 = nn.Linear(4, 2)
    def forward(self, x):
        return self.fc2(torch.relu(self.bn(self.fc1(x))))
"""
net = home + "/net.py"
with open(net, "w") as f:
    f.write(NET)


def die(lines, *arguments):
    """A session of LINES that is killed; what the last was answered."""
    forget()
    s = Session(*arguments)
    said = [s.ask(line) for line in lines][-1]
    s.kill()
    return said


def revive(lines):
    """What recover 1 is answered, and LINES after it."""
    s = Session()
    said = [s.ask(line) for line in ["recover 1", *lines]]
    s.quit()
    return said


# A parameter of a module that stands at two paths.
if CAN_TRACE:
    python = "--python", os.environ["TRACING_PYTHON"]
    for line in "outline {name=fc1 or name=bn} as blk", "split {name=fc1 or name=bn}":
        die([f"trace {net}:Net -i x=f32[2,4]", line,
             "set value fc1.weight[0,0] = nan"], *python)
        said = revive(["print self.fc1.weight[0,0]"])
        check("nan" in said[-1], f"a value after {line}: {said}")

# Graphs that nobody edited, whose stops stay theirs.
die(["break fc2", "graph copy mlp as second", "rename fc1 first",
     "graph copy second as third"], mlp)
said = revive(["info breakpoints", "dump python", "graph"])
check("error" not in said[0] and said[1].rstrip().endswith("mlp") and
      "fc1 =" not in said[2], f"graphs beside the edited one: {said}")
check([name in said[3] for name in ("mlp", "second", "third")] == [True] * 3,
      f"open graphs: {said[3]}")



def spoil(change, lines=("rename fc2 last", "rename fc1 first", "undo")):
    """What recover and recover 1 say of a journal that CHANGE was made to."""
    die(lines, mlp)
    [journal] = glob.glob(sessions + "/*/journal")
    with open(journal, "rb") as f:
        whole = f.read()
    with open(journal, "wb") as f:
        f.write(change(whole))
    s = Session()
    said = [s.ask(line) for line in ("recover", "recover 1", "dump python")]
    s.kill()
    return said


# A journal of another version is none that is read here.
said = spoil(lambda j: j.replace(b'{"session":1', b'{"session":99', 1))
check("of version 99, this one reads version 1" in said[0] and
      said[1].startswith("error: ") and "version 99" in said[1] and
      "version 1" in said[1], f"another version: {said}")

# A damaged one is listed, and comes back up to the damage.
for what, change in (
        ("bytes", lambda j: re.sub(rb'"bytes":\d+', b'"bytes":99999', j, 1)),
        ("no bytes", lambda j: re.sub(rb'"bytes":\d+', b'"bytes":0', j, 1)),
        ("NUL", lambda j: j.replace(b'"edit":1', b'"edit\0:1', 1)),
        ("depth", lambda j: j.replace(
            b'"edit":1', b'"a":' + b"[" * 5000 + b"]" * 5000 + b',"edit":1',
            1))):
    said = spoil(change)
    check("1 is damaged, with its first command: its graphs" in said[0] and
          "damaged at its first command: the graphs are as they were before"
          in said[1] and "fc1 =" in said[2] and "fc2 =" in said[2] and
          "error" not in said[1], f"damage of the first edit, {what}: {said}")
said = spoil(lambda j: j[:j.index(b"\n") + 1] + b'{"x":1}\n' +
             j[j.index(b"\n") + 1:])
check("1 is damaged, with its first command: /" in said[0] and
      said[1].startswith("error: ") and "damaged at byte" in said[1],
      f"damage before the first graph: {said}")

# Going on with such a graph is kept again.
die(["rename fc2 last"], mlp)
[journal] = glob.glob(sessions + "/*/journal")
with open(journal, "rb") as f:
    whole = f.read()
with open(journal, "wb") as f:
    f.write(whole.replace(b'"edit":1', b'"edit\0:1', 1))
s = Session()
said = [s.ask(line) for line in ("recover 1", "rename fc1 first")]
s.kill()
said += revive(["dump python"])
check("first =" in said[-1] and "fc2 =" in said[-1] and
      "as it was after: rename fc1 first" in said[-2],
      f"recovered twice after damage of the first edit: {said}")
for what, change in (
        ("NUL", lambda j: j.replace(b'"edit":2', b'"edit\0:2', 1)),
        ("no such node",
         lambda j: j.replace(b'{"rename":"fc1"', b'{"rename":"fcx"', 1))):
    said = spoil(change)
    check((what != "NUL" or
           "1 is damaged: commands behind that are lost: 2" in said[0]) and
          "as it was after: rename fc2 last" in said[1] and
          "2 later ones are lost" in said[1] and "last =" in said[2],
          f"damage of the second edit, {what}: {said}")

# A session that may not write leaves the dead one to others.
die(["rename fc2 last"], mlp)
s = Session("--readonly")
said = [s.ask(line) for line in ("recover", "recover 1")]
s.quit()
check("mlp" in said[0] and "read-only" in said[1], f"read-only: {said}")
said = revive(["dump python"])
check("last =" in said[1], f"after a read-only session: {said}")

# Python code that died with its process.
if CAN_TRACE:
    with open(net, "a") as f:
        f.write("class Hooked(Net):\n"
                "    def __init__(self):\n"
                "        super().__init__()\n"
                "        self.fc1.register_forward_hook("
                "lambda m, i, o: o * 2)\n")
    die([f"trace {net}:Hooked -i x=f32[2,4]", "rename fc2 last"], *python)
    said = revive([])
    check("without the Python of fc1 (a forward hook)" in said[0],
          f"a hook: {said}")

# A number means what the list said, though another took one of them.
forget()
for name in "first", "second", "third":
    s = Session(mlp)
    s.ask(f"rename fc2 {name}")
    s.kill()
    # Folders sort by their seconds.
    time.sleep(1.1)
one, other = Session(), Session()
one.ask("recover")
other.ask("recover")
one.ask("recover 2")
said = other.ask("recover 2")
check(said.startswith("error: session 2 of the list is gone"),
      f"taken by another: {said}")
said = other.ask("recover 3") + other.ask("dump python")
check("first =" in said, f"the third of the list: {said}")
one.kill()
other.kill()

# Of the commands of a journal only those run that are ever written there.
ran = home + "/ran"
said = spoil(lambda j: j.replace(
    b'{"setup":"', '{{"setup":"shell touch {0}\\ndefine f\\nshell touch {0}'
    '\\nend\\ndisplay fc1\\ncommands\\nend\\ngraph drop mlp\\n'
    'set trust-files on\\ndisplay fc1 -o {0}\\ninput x -o {0} = ones(2,4)'
    '\\n'.format(ran).encode()))
check(not os.path.exists(ran), "a journal runs programs or writes files")
check(said[1].count(f"recover does not run this: shell touch {ran}") == 1 and
      "this: graph drop mlp" in said[1] and
      "this: set trust-files on" in said[1] and
      "display fc1\r" not in said[1] and "last =" in said[2],
      f"commands that are not run: {said}")

# What a breakpoint runs comes back where it looks and goes on; else nothing
# of it runs at the next stop, however it is written.
for body in ("shell touch RAN", "! touch RAN", "print 1 | touch RAN",
             "pipe print 1 | touch RAN", "print 1 -o RAN",
             "define f\\nshell touch RAN\\nend\\nf",
             "commands 1\\nshell touch RAN\\nend\\ncontinue",
             "set trust-files on", "alias print = shell touch RAN",
             "with width 80 -- shell touch RAN"):
    said = spoil(lambda j: j.replace(b"print 12321", body.replace(
        "RAN", ran).encode()), ("rename fc2 last", "break act",
                                "commands 1\nprint 12321\nend"))
    s = Session()
    said += [s.ask(line) for line in ("recover 1", "run", "run",
                                      "show trust-files")]
    s.kill()
    check("Breakpoint 1" in said[4] and not os.path.exists(ran) and
          said[6].strip() == "trust-files is off" and
          "recover does not run this: commands" in said[1],
          f"a breakpoint's commands, {body}: {said}")
    if os.path.exists(ran):
        os.remove(ran)
die(["rename fc2 last", "break act",
     "commands 1\nsilent\nprint 12321\ninfo breakpoints\nend"], mlp)
said = revive(["run"])
check("12321" in said[1] and "does not run" not in said[0],
      f"commands that look: {said}")

# Results that were set, though nothing was edited.
if HAS_VALUES:
    shown = ["run", "print/v add", "print/v act", "print drop"]
    s = Session(mlp)
    for line in ("input x = ones(2,4)", "run --to act",
                 "set value %fc1 = fc1 * 2 + randn(2,8)", "rename fc1 first",
                 "set value %act = $v + first", "set value %drop = 2.5",
                 "unset value drop", "set value %fc2[0,1] = nan"):
        said = s.ask(line)
    wanted = [s.ask(line) for line in shown]
    s.kill()
    said = revive(shown)
    got = [re.sub(r"\$\d+", "", text) for text in said[1:]]
    wanted = [re.sub(r"\$\d+", "", text) for text in wanted]
    check(got == wanted, f"set results: {said}, not {wanted}")
    # What a script reads of this session is said to go with it.
    die(["input x = ones(2,4)", "rename fc2 last",
         "set value %fc1 = randn(2,8)"], mlp)
    said = revive(["dump script"])[1].splitlines()
    at = [i for i, line in enumerate(said) if line.startswith("set value")]
    check(len(at) == 1 and "reads a file that goes" in said[at[0] - 2],
          f"a script of a session that was recovered: {said}")
    die(["set value %fc1 = inf"], mlp)
    said = revive(["run --to act", "print %fc1"])
    check("inf" in said[2], f"a plain result: {said}")

# Weights are written while nobody types: the first edit does not wait for them,
# and they are those of before a run that changes them.
if CAN_TRACE and HAS_VALUES:
    large = home + "/large.py"
    with open(large, "w") as f:
        f.write("""import torch
class Large(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4000, 4000)
        self.n = torch.nn.BatchNorm1d(4000)
        self.b = torch.nn.Linear(4000, 4000)
    def forward(self, x):
        return self.b(self.n(self.a(x)))
""")
    SHOWN = ["print/v self.a.weight[0,:4]", "print self.b.weight.double().sum()",
             "print/v self.n.running_mean[:4]",
             "print self.n.running_var.double().sum()"]

    def shown(session):
        return [re.sub(r"^\$\d+", "", session.ask(line)) for line in SHOWN]

    def trace_large():
        forget()
        session = Session(*python)
        session.ask(f"trace {large}:Large --train -i x=f32[2,4000]")
        return session, shown(session)

    def files(pattern):
        return glob.glob(sessions + "/*/" + pattern)

    def wait_for_weights(limit=60):
        end_at = time.time() + limit
        while not files("*.safetensors") and time.time() < end_at:
            time.sleep(0.05)
        time.sleep(0.3)
        return files("*.safetensors")

    s, wanted = trace_large()
    s.ask("rename b last")
    check(files(".fxdb-*") and not files("*.safetensors"),
          "the first edit waits for weights")
    s.ask("run")
    s.ask("rename n middle")
    check(wait_for_weights(), "weights are not written while nobody types")
    modes = {os.stat(f).st_mode & 0o777 for f in files("*")}
    check(modes == {0o600}, f"modes of weights: {modes}")
    s.kill()
    s = Session()
    said = s.ask("recover 1")
    got = shown(s)
    check(got == wanted and "lost" not in said,
          f"weights written late: {said} {got}, not {wanted}")
    s.kill()

    # A clean end leaves nothing, nor does what a killed session began.
    s, wanted = trace_large()
    s.ask("rename b last")
    s.quit()
    check(not glob.glob(sessions + "/*"), "a clean end leaves weights")
    s, wanted = trace_large()
    s.ask("rename b last")
    s.kill()
    s = Session()
    s.ask("recover 1")
    s.quit()
    check(not glob.glob(sessions + "/*"), "what was begun stays for ever")

    # Who ends it in another way than kill -9 has them.
    s, wanted = trace_large()
    s.ask("rename b last")
    s.process.send_signal(signal.SIGTERM)
    s.process.wait(20)
    s.kill()
    s = Session()
    said = s.ask("recover 1")
    got = shown(s)
    check(got == wanted and "lost" not in said,
          f"after SIGTERM: {said} {got}, not {wanted}")
    s.kill()

    # At any moment: all of them, or it is said that they are lost.
    chance = random.Random(int(os.environ.get("FXDB_SEED", "1")))
    for _ in range(int(os.environ.get("FXDB_KILLS", "4"))):
        s, wanted = trace_large()
        s.ask("rename b last")
        if chance.random() < 0.5:
            s.ask("run")
        time.sleep(chance.random() * 0.5)
        s.kill()
        s = Session()
        said = s.ask("recover 1")
        is_lost = "parameters and buffers are lost" in said
        check(is_lost or shown(s) == wanted,
              f"killed while weights are written: {said} {shown(s)}")
        check("last" in s.ask("dump python"), "the edit is lost with weights")
        s.kill()

# A transaction that was open is open again.
OPEN = ["rename fc2 last", "begin", "rename fc1 first",
        "insert after act : y = torch.neg(act) --splice", "break y",
        "set value last.bias = last.bias + 1"]
s = Session(mlp)
for line in OPEN:
    s.ask(line)
wanted = s.ask("dump python")
s.kill()
s = Session()
said = s.ask("recover 1")
check(s.ask("dump python") == wanted and "first = " in wanted and
      "Breakpoint 1 at" in said and "error" not in said,
      f"an open transaction: {said}")
check("open again" in said, f"it is said: {said}")
s.ask("rename act second")
wanted = s.ask("dump python")
s.kill()
s = Session()
s.ask("recover 1")
check(s.ask("dump python") == wanted and "second = " in wanted,
      "an open transaction, recovered twice")
s.ask("commit")
said = s.ask("info undo")
check("undo: 2, redo: 0" in said, f"committed after recovery: {said}")
s.ask("undo")
check("fc1 = " in s.ask("dump python"), "undone after recovery")
s.kill()
said = revive(["info undo"])
check("undo: 1, redo: 1" in said[1], f"once more: {said}")
die([*OPEN, "abort"], mlp)
said = revive(["dump python"])
check("fc1 = " in said[1] and "open again" not in said[0],
      f"an aborted transaction: {said}")

# A watch of what a graph within gives, set in it.
turns = source + "/tests/transcript/samples/turns.py"
s = Session(turns)
for line in ["rename gt later", "graph /turn", "watch y", "watch nan y",
             "graph /"]:
    s.ask(line)
wanted = s.ask("info breakpoints")
s.kill()
said = revive(["info breakpoints"])
check(said[1] == wanted and "turn.y" in wanted and "error" not in said[0],
      f"a watch in a graph within: {said}, not {wanted}")

forget()
end()
