"""trace --suggest: every line that it lists, typed as it stands, opens a graph;
also for models that are traced as they are.
"""
import os
import re
import subprocess
import sys

from session import FXDB, PYTHON, Session

DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace")
# SPEC and flags typed before --suggest, and what some line has.
CASES = [
    ("good.py:Good", "traced: "),
    ("good.py:Good -i x=f32[2,4]", "--example"),
    ("remedies.py:Both", "--concrete training=False --leaf Counts"),
    ("remedies.py:Both -i x=f32[2]", "--example"),
    ("remedies.py:Needs -i x=f32[2,3]", "--example"),
    ("remedies.py:Elsewhere", "--leaf causes.Decides"),
    ("remedies.py:Hides", "--partial"),
    ("remedies.py:Decides --train", "--train "),
    ("remedies.py:Takes", "--"),
]


def run(*lines):
    commands = [word for line in lines for word in ("-ex", line)]
    done = subprocess.run([FXDB, "-nx", "-batch", "--python", PYTHON,
                           *commands], cwd=DATA, capture_output=True,
                          text=True)
    return done.returncode, done.stdout + done.stderr


def suggested(session, spec):
    said = session.run("trace %s --suggest" % spec)
    lines = re.findall(r"^(trace .*?)  +(\S.*)$", said, re.M)
    assert "error: " not in said and lines, (spec, said)
    assert "nodes, " not in said, said
    assert "no graph is open" in session.run("info graph"), spec
    return lines


def main():
    known = {}
    session = Session()
    for spec, word in CASES:
        if spec not in known:
            known[spec] = suggested(session, spec)
            for line, gives in known[spec]:
                assert "--suggest" not in line, line
                said = session.run(line)
                count, = re.findall(r"(\d+) nodes$", gives)
                opened = re.search(r"(?m)^(.*): %s nodes, " % count, said)
                assert opened and "error: " not in said, (line, gives, said)
                session.run("graph drop " + opened[1])
                print("ok  ", line)
        assert any(word in "  ".join(each) for each in known[spec]), \
            (word, known[spec])
    session.end()
    # Where nothing helps the failure is said as ever.
    status, said = run("trace remedies.py:hidden --suggest")
    assert status == 3 and "error: " in said, said
    status, said = run("trace good.py:Good --suggest --example -i x=f32[2,4]")
    assert status == 2 and "--suggest" in said, said
    # A graph that was open stays so.
    with_mlp = Session(os.path.join(os.environ["FXDB_SRCDIR"],
                                    "doc/examples/mlp.fxg"))
    with_mlp.run("trace remedies.py:Both --suggest")
    assert "mlp" in with_mlp.run("info graph")
    with_mlp.type("quit")
    with_mlp.rest()
    return 0


sys.exit(main())
