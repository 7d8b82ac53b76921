"""Every example line that help shows runs as it stands, on the bundled
resnet18: alone, or after what SETUP says it needs."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

FXDB = os.environ["FXDB"]
SOURCE = os.environ["FXDB_SRCDIR"]

OPEN = ["set backend meta", "load resnet18.fxg", "start"]
NEG = "insert after bn1 : neg = torch.neg(bn1)"
DROP = "insert after relu : drop = nn.Dropout(0.5)(relu) --splice"
BREAKS = ["break relu", "break add", "break fc", "break bn1", "break avgpool"]
EDITS = ["rename add a", "rename fc b", "rename relu c"]
BAD = ["replace flatten = torch.reshape(avgpool, (1, 500)) -f"]
BASE = ["graph copy resnet18 as base"]

# What must have happened before an example.
SETUP = {
    "load dump.py as base": ["dump python -o dump.py"],
    "graph base": BASE,
    "graph copy base as exp": BASE,
    "diff base exp": BASE + ["graph copy base as exp"],
    "diff base exp --script -o exp.fxdb": BASE + ["graph copy base as exp"],
    "verify base exp --inputs 5 --rtol 1e-4":
        BASE + ["graph copy base as exp"],
    "reduce": BAD,
    "reduce -o repro": BAD,
    "bisect": EDITS,
    "bisect t1 t3 if count{op=output} = 1": EDITS,
    "enable 1": BREAKS,
    "enable once 1": BREAKS,
    "disable 1-3": BREAKS,
    "delete 1": BREAKS,
    "delete checkpoint 1": ["checkpoint"],
    "restart 1": ["checkpoint"],
    "clear relu": ["break relu"],
    "skip disable 1": ["skip relu"],
    "d 1-3 5": BREAKS,
    "condition 1 %relu.shape[0] > 4": BREAKS,
    "ignore 1 2": BREAKS,
    "save breakpoints stops.fxdb": BREAKS,
    "p $1 + 1": ["p 1"],
    "undisplay 1": ["display 1"],
    "erase drop --to relu": [DROP],
    "erase {users=0 and op=call_function}": [NEG],
    "rauw relu neg": [NEG],
    "rauw relu neg only {in layer2}":
        [NEG, "insert after layer2_0_relu : y = relu + 1"],
    "move t before mm": ["insert after fc : t = fc.t()",
                         "insert after t : mm = torch.mm(fc, fc.t())"],
    "undo": EDITS,
    "undo 3": EDITS,
    "redo": EDITS + ["undo"],
    "commit": ["begin"],
    "abort": ["begin"],
    "pass diff": [NEG, "pass run dce"],
    "source t.fxdb": ["!echo when >t.fxdb"],
    "source -v demo.fxdb --pace 1s": ["!echo when >demo.fxdb"],
    'expect "no problems"': ["lint"],
    'expect "fc * call_module"': ["nodes fc"],
    "set value relu = relu * 0": ["run"],
    "unset value relu": ["run", "set value relu = relu * 0"],
}
# What looks at values has some.
VALUES = ("x/", "params ", "stats ", "hist ", "freq ", "find ")
# Exit statuses that are meant.
STATUS = {"quit 3": 3}
# They need a terminal, values, or lines after them: other tests have them.
ELSEWHERE = {"attach 3", "tui", "layout split", "focus cmd", "refresh",
             "filter in layer2", "filter nonfinite", "filter",
             "dump value {in layer1} l1.npz", "demo resnet --pace 2s",
             "compare base exp", "reduce --against base", "compare . --dtype f64",
             "compare . --dtype bf16 -s max_rel",
             "why nan", "why fc[0,3]", "why output --against base",
             "explain add[0,3,5,5]", "compare . gold.npz",
             "input x = image(\"cat.png\", size=224)", "input all.npz",
             "assert allfinite(output)", "assert allclose(output, $before)",
             "define nn", "document nn", "commands 2",
             "trace lenet.py:LeNet -i x=f32[1,1,28,28]",
             "trace net.py:Net --example -i x=f32[1,3]",
             "trace net.py:Net --example -i x=f32[1,3] --vary x=f32[4,3]",
             "pass run python:passes.py:fold",
             "trace torchvision.models:resnet18()"}


def run(lines):
    command = [FXDB, "-nx", "-batch"]
    for line in lines:
        command += ["-ex", line]
    return subprocess.run(command, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


def ask(lines):
    done = run([line + " -j" for line in lines])
    return [json.loads(line) for line in done.stdout.splitlines()]


def examples():
    names = [row["name"] for row in ask(["help"])[0]["commands"]]
    for answer in ask(["help " + name for name in names]):
        for row in answer.get("examples", []):
            yield row["example"]


def check(example):
    needs = ["weights random"] if example.startswith(VALUES) else []
    done = run(OPEN + SETUP.get(example, needs) + [example])
    if done.returncode == STATUS.get(example, 0):
        return True
    # Pictures need a part that may be left out of a build, and say so.
    if example.startswith("draw ") and \
            "this fxdb was built without Graphviz" in done.stderr:
        return True
    print("FAIL %s: %s" % (example, (done.stderr or done.stdout).strip()))
    return False


def main():
    folder = tempfile.mkdtemp()
    for name in os.listdir(SOURCE + "/doc/examples"):
        shutil.copy(os.path.join(SOURCE, "doc/examples", name), folder)
    os.chdir(folder)
    found = [e for e in examples() if e not in ELSEWHERE]
    failed = sum(not check(example) for example in found)
    shutil.rmtree(folder)
    print("%d passed, %d failed" % (len(found) - failed, failed))
    return 1 if failed or len(found) < 100 else 0


sys.exit(main())
