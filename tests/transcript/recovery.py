"""Sessions that are killed, and what recover makes of what they left.

FXDB_KILLS (12) sessions of random edits are killed at random moments; what
comes back is the graph after the last command that was answered, or, when one
was running, after that one.
"""
import glob
import os
import random
import re
import signal
import time

import terminal
from died import (CAN_TRACE, HAS_VALUES, PROMPT, Session, check, end, failures,
                  forget, fxdb, home, mlp, sessions, source)

EDITS = ["replace act = torch.nn.functional.gelu(fc1)", "undo", "redo",
         "insert after fc2 : y = torch.neg(fc2) --splice --fresh",
         "set module drop = nn.Dropout(0.25)", "set module act = nn.GELU()",
         "set value fc1.weight = fc1.weight * 1.5", "rename fc2 last",
         "rename last fc2", "replace {op=call_module} = $ -n", "pass run dce",
         "set %add.args[1] = %act", "goto t1", "goto t0", "undo 2",
         "set value fc2.bias = fc2.bias + 1", "move drop before fc2",
         "rauw drop act", "erase drop", "insert input z=f32[1,3]"]

# One of each kind of thing that a session holds.
s = Session(mlp)
for line in ["input x = randn(2,4)", "set print elements 7", EDITS[0],
             EDITS[3], EDITS[4], EDITS[6], "break fc2 if 1 < 2",
             "skip fc2", "skip disable 1", "skip file mlp.py",
             "display fc1", "rename fc1 first", "rename act second", "undo",
             "seed 11"]:
    s.ask(line)
wanted = s.state()
s.ask("delete 1")
run = s.ask("run") + s.ask("print/v add") + s.ask("print/v x")
s.kill()
files = [os.stat(f).st_mode & 0o777 for f in glob.glob(sessions + "/*/*")
         if os.stat(f).st_nlink == 1]
check(set(files) == {0o600}, f"modes of files: {files}")
check([os.stat(f).st_mode & 0o777 for f in glob.glob(sessions + "/*")] ==
      [0o700], "mode of the folder")

environment = dict(os.environ, HOME=home, TERM="dumb", NO_COLOR="1",
                   XDG_STATE_HOME=home + "/state")
process, master, slave, _ = terminal.start([fxdb, "-nx"], environment)
said = ""
while PROMPT not in said:
    said += os.read(master, 65536).decode()
check("1 session died with edits: recover lists it" in said,
      f"nothing is said at the start: {said!r}")
process.kill()
process.wait()
s = Session()
listed = s.ask("recover")
check("mlp" in listed and "delete 1" in listed, f"the list: {listed!r}")
# It is this session's now: another cannot take it.
said = s.ask("recover 1")
check("as it was after: delete 1" in said, f"recovered: {said!r}")
other = Session()
check("no session died" in other.ask("recover"), "taken twice")
check("no session 1" in other.ask("recover 1"), "taken twice")
other.quit()
check(s.state() == wanted, f"{s.state()} is not {wanted}")
check("No breakpoints" in s.ask("info breakpoints"), "a deleted breakpoint")
skips = s.ask("info skip")
check("1  off" in skips and "2  on" in skips and "mlp.py" in skips,
      f"skips: {skips!r}")
check("7" in s.ask("show print elements"), "a setting")
check("first" not in s.ask("info display"), "a display")
again = s.ask("run") + s.ask("print/v add") + s.ask("print/v x")
check(re.sub(r"\$\d+", "", again) == re.sub(r"\$\d+", "", run),
      f"a run after recovery: {again!r}, before {run!r}")
# It goes on, and comes back once more.
s.ask("rename add total")
wanted = s.state()
s.kill()
s = Session()
s.ask("recover 1")
check(s.state() == wanted, "recovered twice")
s.quit()
check(not glob.glob(sessions + "/*"), "a clean end leaves files")

# A breakpoint by its number of old is where its node is now.
s = Session(mlp)
s.ask("break fc2")
s.ask("rename fc2 last")
s.kill()
s = Session()
s.ask("recover 1")
check("last" in s.ask("info breakpoints"), "a breakpoint of a renamed node")
s.kill()

# Tags and stops, those of graphs within too.
s = Session(source + "/tests/transcript/samples/turns.py")
for line in ["rename gt later", "tag later", "tag cond", "break {tagged}",
             "graph /turn", "tag double", "break {tagged}",
             "watch range y -1 8", "break double if i == 3", "graph /"]:
    s.ask(line)
wanted = [re.sub(r" at @\d+", "", s.ask(line)) for line in
          ["info breakpoints", "nodes tagged"]]
s.kill()
s = Session()
s.ask("recover 1")
again = [s.ask(line) for line in ["info breakpoints", "nodes tagged"]]
check(again[1] == wanted[1] and "later" in again[1], f"tags: {again[1]!r}")
check(again[0] == wanted[0] and again[0].count("pending") == 0,
      f"stops: {again[0]!r}, before {wanted[0]!r}")
s.kill()

# Graphs within the graph.
s = Session(source + "/tests/transcript/samples/turns.py")
within = ["graph /turn", "dump python", "graph /yes", "dump python", "graph /"]
for line in ["graph /turn", "insert after double : m = double + 1 --splice",
             "begin", "graph /yes", "rename neg minus",
             "set module lin = nn.Linear(2, 2)", "graph /",
             "insert after again : last = again + 1 --splice", "commit",
             "graph /turn", "insert after m : gone = m * 2", "undo", "graph /"]:
    s.ask(line)
wanted = s.state() + [s.ask(line) for line in within]
s.kill()
s = Session()
said = s.ask("recover 1")
got = s.state() + [s.ask(line) for line in within]
check(got == wanted and "minus" in got[-2], f"{got} is not {wanted}: {said}")
s.ask("undo 2")
check("neg = -y" in s.ask("graph /yes") + s.ask("dump python"),
      "undone after recovery")
s.kill()
forget()

# A terminal that goes away is no clean end.
for how in (signal.SIGHUP, signal.SIGTERM, None):
    forget()
    s = Session(mlp)
    s.ask("rename fc2 last")
    if how:
        s.process.send_signal(how)
    os.close(s.master)
    s.process.wait(20)
    os.close(s.slave)
    s = Session()
    s.ask("recover 1")
    check("last" in s.ask("dump python"), f"lost after {how}")
    s.kill()

# A journal cut short or edited at any place: a session, or one message.
[journal] = glob.glob(sessions + "/*/journal")
with open(journal, "rb") as f:
    whole = f.read()
for i in range(0, len(whole), 23):
    with open(journal, "wb") as f:
        f.write(whole[:i] if i % 2 else
                whole[:i] + b"?" + whole[i + 1:])
    s = Session()
    said = s.ask("recover 1")
    check("mlp: 7 nodes" in said or said.startswith("error: "),
          f"damaged at {i}: {said!r}")
    s.ask("set confirm off")
    s.kill()
    with open(journal, "wb") as f:
        f.write(whole)
forget()

# No place to write: said once, and work goes on.
blocked = home + "/blocked"
with open(blocked, "w"):
    pass
s = Session(mlp, state=blocked)
said = [s.ask(EDITS[0]), s.ask(EDITS[4])]
check("cannot be recovered" in said[0] and "cannot be" not in said[1],
      f"a state folder that cannot be written: {said}")
s.quit()
s = Session(mlp)
s.ask("set recover limit 0")
s.ask(EDITS[0])
check(not glob.glob(sessions + "/*"), "kept though the limit is 0")
s.quit()

# Random weights of a model whose source is gone.
if CAN_TRACE:
    model = home + "/model.py"
    with open(model, "w") as f:
        f.write("import torch\n"
                "class M(torch.nn.Module):\n"
                "    def __init__(self):\n"
                "        super().__init__()\n"
                "        self.a = torch.nn.Linear(4, 4)\n"
                "        self.n = torch.nn.BatchNorm1d(4)\n"
                "    def forward(self, x):\n"
                "        return self.n(self.a(x)).relu()\n")
    s = Session("--python", os.environ["TRACING_PYTHON"])
    s.ask(f"trace {model}:M --train -i x=f32[3,4]")
    s.ask("rename a linear")
    s.ask("run")
    wanted = [s.ask("print/v relu")[3:], s.ask("print/v a.weight")[3:]]
    s.kill()
    os.remove(model)
    s = Session()
    s.ask("recover 1")
    s.ask("run")
    got = [s.ask("print/v relu")[3:], s.ask("print/v a.weight")[3:]]
    # In a build without libtorch there are weights, no values.
    check(got[1] == wanted[1] and "tensor" in got[1] and
          (got == wanted and "tensor" in got[0] or not HAS_VALUES),
          f"random weights: {got}, not {wanted}")
    s.quit()

# What a recorded run decided, by the names of now.
if CAN_TRACE and HAS_VALUES:
    with open(home + "/decides.py", "w") as f:
        f.write("def f(x):\n"
                "    return x * 2 if x.shape[0] > 1 and x.sum() > 0 else x\n")
    s = Session("--python", os.environ["TRACING_PYTHON"])
    s.ask(f"trace {home}/decides.py:f --example -i x=ones(2,4)")
    s.ask("rename x ids")
    s.kill()
    s = Session()
    s.ask("recover 1")
    said = s.ask("input ids = ones(1,4)") + s.ask("input ids = -ones(2,4)") + \
        s.ask("run")
    check("no longer holds" in said and "%ids.shape[0] > 1 is False" in said
          and "with bool(%gt) = True, which is False now" in said,
          f"what was decided: {said}")
    s.quit()

# A reduced graph comes back with its inputs, once it is edited.
if HAS_VALUES:
    with open(home + "/log.py", "w") as f:
        f.write("""def forward(self, x: "f32[2,3]"):
    a = torch.abs(x)
    n = torch.neg(a)
    b = torch.log(n)
    c = b + 1
    return c
""")
    s = Session(home + "/log.py")
    s.ask("reduce")
    s.ask("rename b made")
    wanted = [s.ask("info inputs"), s.ask("run")]
    s.kill()
    s = Session()
    said = s.ask("recover 1")
    s.ask("graph log_reduced")
    got = [s.ask("info inputs"), s.ask("run")]
    check(got == wanted and "kept.n_value" in got[0] and "nan 6" in got[1],
          f"reduced: {said} {got}, not {wanted}")
    s.quit()
    forget()

# Killed at any moment.
seed = int(os.environ.get("FXDB_SEED", "1"))
for i in range(seed, seed + int(os.environ.get("FXDB_KILLS", "12"))):
    chance = random.Random(i)
    lines = [chance.choice(EDITS) for _ in range(chance.randrange(1, 9))]
    # What the session is after each command, from one that lives.
    s = Session(mlp)
    states = [s.state()]
    for line in lines:
        s.ask(line)
        states.append(s.state())
    s.quit()
    s = Session(mlp)
    answered = chance.randrange(len(lines))
    for line in lines[:answered]:
        s.ask(line)
    os.write(s.master, lines[answered].encode() + b"\n")
    time.sleep(chance.random() * 0.03)
    s.kill()
    s = Session()
    said = s.ask("recover 1")
    if "no session" in said:
        got = states[0]
    else:
        got = s.state()
    if got not in states[answered:answered + 2]:
        failures.append(f"seed {i}: {lines[:answered + 1]}: {got}, not "
                        f"{states[answered]} nor {states[answered + 1]}")
    s.quit()
    forget()

end()
