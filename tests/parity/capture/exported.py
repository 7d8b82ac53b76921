"""What torch.export and Dynamo give opens as it stands, and runs as eager
PyTorch does; trace --export gives what torch.export gives.  torch 2.x."""
import os
import re
import subprocess
import sys
import tempfile

from session import DATA, FXDB, PYTHON

import torch

if torch.__version__.startswith("1."):
    sys.exit()
sys.path.insert(0, DATA)

import exported  # noqa: E402


def run(*lines):
    words = [word for line in lines for word in ("-ex", line)]
    done = subprocess.run([FXDB, "-nx", "-batch", "--python", PYTHON, *words],
                          capture_output=True, text=True, cwd=DATA)
    return done.returncode, done.stdout + done.stderr


failed = 0
for name in "program", "module", "dynamic", "dynamo", "graph":
    torch.manual_seed(0)
    made = getattr(exported, name)()
    model = made.module() if hasattr(made, "module") else made
    if name == "graph":
        model = made.owning_module
    # What checks inputs is a call that gives nothing; it is left out.
    for node in list(model.graph.nodes):
        if node.target == "_guards_fn":
            model.graph.erase_node(node)
    want = str(model.graph).strip()
    lines = ["trace exported.py:%s()" % name, "dump fx"]
    if name != "dynamo":  # which has parameters for inputs
        value = float(model(torch.ones(2, 4)).detach().sum())
        lines += ["input x = ones(2, 4)", "run",
                  "assert abs(output[0].sum() - %r) < 1e-4" % value]
    status, said = run(*lines)
    if status or want not in said or "as it stands" not in said:
        print(name, said, "\nwanted", want, value)
        failed = 1

AUTO = getattr(torch.export.Dim, "AUTO", None)
# What is traced, its inputs with letters, eager's inputs, what a session types
# for them, and how outputs are compared with eager's, in order.
CASES = [
    ("Net", ["x=f32[N,4]"], {"x": torch.ones(3, 4)}, {"x": {0: AUTO}},
     ["input x = ones(3, 4)"], [("output[0]", lambda y: y)], "x[0] = s"),
    ("Counts", ["x=f32[N,S,6]", "add=f32[3]"],
     {"x": torch.ones(2, 5, 6), "add": torch.ones(3)},
     {"x": {0: AUTO, 1: AUTO}, "add": None},
     ["input x = ones(2, 5, 6)", "input add = ones(3)"],
     [("output[0]", lambda y: y["y"]), ("output[1]", lambda y: y["n"]),
      ("output[2]", lambda y: y["seen"])], "x[0] = s"),
    ("Pools", ["x=f32[N,3,H,W]"], {"x": torch.ones(2, 3, 8, 96)},
     {"x": {0: AUTO, 2: AUTO, 3: AUTO}}, ["input x = ones(2, 3, 8, 96)"],
     [("output[0]", lambda y: y)], "x[3] fixed at 96"),
]


def number(value):
    return float(value.detach().sum()) if isinstance(value, torch.Tensor) \
        else float(value)


for name, inputs, given, sizes, typed, outputs, told in CASES:
    torch.manual_seed(0)
    model = getattr(exported, name)().eval()
    example = {key: torch.zeros([4, 3, 64, 96]
                                if name == "Pools" else value.shape)
               for key, value in given.items()}
    want = torch.export.export(model, (), example, dynamic_shapes=sizes)
    listing = str(want.module(check_guards=False).graph).strip()
    result = model(**given)
    status, said = run(
        "trace exported.py:%s() --export -i %s" % (name, " -i ".join(inputs)),
        "dump fx", *typed, "run", *[
            "assert abs(%s%s - %r) < 1e-3" % (
                at, ".sum()" if isinstance(of(result), torch.Tensor) else "",
                number(of(result))) for at, of in outputs])
    if status or listing not in said or told not in said or \
            "exported in" not in said:
        print(name, said, "\nwanted", listing, told)
        failed = 1

for line, words in [
        ("trace exported.py:Branches() --export -i x=f32[N,4]",
         ["data-dependent", "exported.py:", "--example"]),
        ("trace exported.py:Net() --export", ["needs the input x"]),
        ("trace exported.py:Net() --export -i x=f32[N,5]",
         ["must have same reduction dim"]),
        ("trace exported.py:Net() --export -i x=f32[A,B,C,D,E,F,G]",
         ["different letters"]),
        ("trace exported.py:Net() --export --example -i x=f32[2,4]",
         ["--example is of another way"])]:
    status, said = run(line)
    if not status or any(word not in said for word in words) or \
            "Traceback" in said or "_subclasses" in said:
        print(line, said)
        failed = 1
    # What is offered can be typed.
    for offered in re.findall("it is traced: (.*)", said):
        status, said = run(offered)
        if status or "recorded" not in said:
            print(offered, said)
            failed = 1

# The log that TORCH_LOGS makes of two graphs with a break between them: each of
# its graphs opens, by its number.
with tempfile.TemporaryDirectory() as folder:
    log = os.path.join(folder, "log")
    program = """import torch
def f(x):
    y = torch.relu(x @ x)
    torch._dynamo.graph_break()
    return y.sum() + y
torch.compile(f, backend="aot_eager")(torch.ones(2, 2, requires_grad=True))
"""
    done = subprocess.run([sys.executable, "-c", program], env=dict(
        os.environ, TORCH_LOGS="graph_code,aot_graphs"), capture_output=True,
        text=True)
    with open(log, "w") as file:
        file.write(done.stderr)
    count = done.stderr.count("] TRACED GRAPH") + \
        done.stderr.count("] TRACED JOINT GRAPH")
    status, said = run("load " + log)
    titles = [line for line in said.split("\n") if line.strip()[:1].isdigit()]
    opened = [run("load %s --graph %d" % (log, i + 1), "nodes -j")
              for i in range(len(titles))]
    if count < 4 or len(titles) != count or \
            any(status or " nodes, " not in said for status, said in opened):
        print(count, titles, opened, done.stderr)
        failed = 1
sys.exit(failed)
