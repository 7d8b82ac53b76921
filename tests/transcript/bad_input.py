"""Rows of bad input: a line, and what is to be said, as a regular expression.
After each the graph, its values, undo, breakpoints and position are as before.

usage: bad_input.py FXDB, in an empty folder
"""
import re
import subprocess
import sys

FILES = {
    "net.py": """
def forward(self, x):
    a = torch.relu(x)
    b = a * 2
    c = torch.neg(b)
    d = torch.relu(c)
    return d + x
""",
    "two.py": """
def forward(self, x, y):
    return torch.relu(x + y)
""",
    "ids.py": """
def forward(self, x):
    return torch.nn.functional.one_hot(x, 9)
""",
    "draws.py": """
def forward(self, x):
    a = torch.rand_like(x)
    b = x.add_(a)
    return torch.relu(b)
""",
    "large.py": """
def forward(self, x):
    a = x.reshape(-1, 1)
    return torch.relu(a * x)
""",
    "syntax.rules": "def pattern(x)\n    return torch.relu(x)\n",
    "class.rules": "class A:\n    pass\n",
    "lambda.rules": "pattern = lambda x: torch.relu(x)\n",
    "match.rules": "def pattern(x):\n    match x:\n        case 1: return x\n",
    "runs.rules": """
def pattern(x):
    open("RAN", "w")
    return torch.relu(x)
def replacement(x):
    return x
""",
    "default.rules": """
def pattern(x, y=open("RAN", "w")):
    return torch.relu(x)
def replacement(x):
    return x
""",
    "decorated.rules": """
@open("RAN", "w")
def pattern(x):
    return torch.gelu(x)
def replacement(x):
    return x
""",
    "where.rules": """
def pattern(x):
    return torch.relu(x)
def where(x):
    return open("RAN", "w")
def replacement(x):
    return x
""",
    "loop.rules": """
def pattern(x):
    return torch.relu(x)
def replacement(x):
    return torch.relu(torch.relu(x))
""",
    "swap.rules": """
def pattern(x):
    return torch.relu(x)
def replacement(x):
    return torch.abs(x)

def pattern(x):
    return torch.abs(x)
def replacement(x):
    return torch.relu(x)
""",
    "deep.rules": "def pattern(x):\n    return %sx%s\n" % (
        "torch.relu(" * 5000, ")" * 5000),
    "binary.rules": "\0\1\2",
    "windows.rules":
    "\ufeffdef pattern(x):\r\n    return torch.relu(x)\r\n",
}

SETUP = ["load two.py", "input x = ones(2,4)", "input y = ones(2,4)",
         "load ids.py", "input x = i64[2,4]",
         "load draws.py", "input x = randn(2,4)",
         "load large.py", "input x = ones(3000000)",
         "load net.py", "input x = randn(2,4)", "break c",
         "insert after b : dead = torch.neg(b)", "run"]

# What is only looked at may have no error: "0 matches".
ROWS = [
    # Patterns that bind nothing, everything, a name twice; that have unused
    # names, no output, two roots; a where that raises.
    ("match", "expected a pattern"),
    ("match \"\"", "the rule gives no result"),
    ("match 3", "the pattern has no operation"),
    ("match ()", "the pattern has no operation"),
    ("match x", "only a name, which is every node"),
    ("rewrite _ => 1", "only a name, which is every node"),
    ("match (x, relu(x))", "the pattern gives \"x\" back as it is"),
    ("match gelu(x)", "^0 matches"),
    ("match x + x", "0 matches; closest: .*x would be %d and %x"),
    ("match y = relu(x); torch.neg(x)", "computes y and does not use it"),
    ("match y = relu(x)", "the rule gives no result"),
    ("match relu(x), neg(y)", "two parts that share nothing"),
    ("match relu(x", r"expected \"\)\""),
    ("match relu(x))", r"found \"\)\""),
    ("match relu(*x)", "cannot hold starred arguments"),
    ("match relu(%b)", "a rule has names for nodes"),
    ("match @3", "a rule has names for nodes"),
    ("match rleu(x)", "nearest: relu"),
    ("match relu(x) --nosuch", "no flag --nosuch"),
    ("match lambda x: relu(x)", "cannot hold this expression"),
    ("match -w nowhere relu(x)", "no node \"nowhere\""),
    ("match relu(x) where", "expected something after \"where\""),
    ("match relu(x) where x >", "expected a value after"),
    ("match relu(x) where y > 1", "names of the pattern: x"),
    ("match relu(x) where x > 1", "only a tensor of one element"),
    ("match relu(x) where x[99] > 1", "index 99 is out of bounds"),
    ("match relu(x) where x.nosuch > 1", "no attribute \"nosuch\""),
    ("match relu(x) where nosuch(x)", "no function \"nosuch\" is known"),
    ("rewrite x * k => x + k where 1 / (k - 2) > 0", "division by zero"),
    # Replacements with names that nothing binds, another number of results,
    # shapes that cannot be, cycles, names that are taken.
    ("rewrite relu(x)", "expected => and what to put there"),
    ("rewrite relu(x) =>", "expected something after \"=>\""),
    ("rewrite relu(x) => y", "\"y\" is no name of this rule"),
    ("rewrite relu(x) => _", "\"_\" is no name of this rule"),
    ("rewrite relu(x) => %d", "a rule has names for nodes"),
    ("rewrite relu(x) => (x, x)", "1 result, the replacement 2"),
    ("rewrite relu(x) => ()", "1 result, the replacement 0"),
    ("rewrite relu(x) => rleu(x)", "nearest: relu"),
    ("rewrite relu(x) => x.reshape(3, 5)", "an impossible shape, first %a"),
    ("rewrite relu(x) => torch.cat((x, x), 5)", "dimension 5 is out of range"),
    ("rewrite relu(x) => torch.add(x)", "add\\(\\) needs \"other\""),
    ("rewrite a = x * 2; b = torch.neg(a); (a, b) => (b, x)",
     "b is replaced"),
    ("rewrite t = relu(x); s = y + x; (t, s) => (y - x, x)",
     "1 refused: %add depends on %a through nodes outside"),
    ("rewrite x * k => x = x + k; x", "\"x\" has a meaning already"),
    ("rewrite x * k => z = x; z = z + 1; z", "\"z\" has a meaning already"),
    ("rewrite relu(x) => nn.Linear(4)(x)", "needs \"out_features\""),
    ("rewrite relu(x) => nn.Linear(4, -8)(x)", "size -8 is negative"),
    ("rewrite relu(x) => nn.Nosuch()(x)", "no layer class \"Nosuch\""),
    ("rewrite relu(x) => __import__('os').system('touch RAN')",
     "is no operation"),
    ("rewrite relu(x) => x --only nosuch", "no candidate \"nosuch\""),
    ("rewrite relu(x) => x --nosuch", "no flag --nosuch"),
    ("rewrite relu(x) => relu(relu(x)) --fixpoint", "a loop: after"),
    # A file of rules.
    ("rewrite -r nowhere.rules", "no such file"),
    ("rewrite -r .", "is a directory"),
    ("rewrite -r /dev/zero", "it is a device"),
    ("rewrite -r binary.rules", "is no text"),
    ("rewrite -r syntax.rules", r"syntax.rules:1: error: expected \":\""),
    ("rewrite -r class.rules", "class.rules:1: error: .* nothing that runs"),
    ("rewrite -r lambda.rules", "lambda.rules:1: error: .* nothing that runs"),
    ("rewrite -r match.rules", "match.rules:2: error: \"match\" is not"),
    ("rewrite -r runs.rules", "runs.rules:3: error: .*nothing in it runs"),
    ("rewrite -r default.rules", "default.rules:2: .* plain names"),
    ("rewrite -r decorated.rules", "error: 0 matches"),
    ("rewrite -r where.rules", "this is no function of queries"),
    ("rewrite -r deep.rules", "more than 200 levels"),
    ("rewrite -r loop.rules --fixpoint", "a loop: after"),
    ("rewrite -r swap.rules --fixpoint", "a loop: after"),
    ("match -r windows.rules", "^2 matches"),
    # Passes and their options.
    ("pass run", "expected the name of a pass"),
    ("pass run nosuch", "no pass \"nosuch\""),
    ("pass run dce nosuch", "dce has no option \"nosuch\""),
    ("pass run dce torch=maybe", "takes on or off"),
    ("pass run const-fold limit=-1", "takes a number"),
    ("pass run normalize args=nosuch", r"takes names\|places\|keep"),
    ("pass run dce --only nosuch", "no candidate \"nosuch\""),
    ("pass run dce --only", "needs a value"),
    ("pass run dce python:nowhere.py:f", "runs alone"),
    ("pass run python:nowhere.py:f", "\"nowhere.py\" does not exist|no Python"),
    ("pass run python:", "expected a function after the colon"),
    ("pass yes", "no pass is being stepped"),
    ("pass diff t1", "unexpected \"t1\""),
    ("pass run dce normalize --only dce/dead,nosuch",
     "\\Aerror: dce normalize has no candidate \"nosuch\""),
    # Comparison with graphs of other inputs.
    ("compare . two", "has an input y, and the first"),
    ("verify . two", "input y stands in one graph alone"),
    ("compare . ids", "input x: both get f32.2,4., and the second had i64"),
    ("compare . ids", "the second stopped"),
    ("verify . ids", "they differ: the graph fails"),
    ("compare ids .", "input x: both get i64.2,4., and the second had f32"),
    ("compare . nosuch", "no graph \"nosuch\" is open"),
    ("compare . nosuch.npz", "no such file"),
    ("compare . --dtype i32", "with other floats"),
    ("compare large large", "a trial takes .* TB"),
    # Verification.
    ("rewrite relu(x) => torch.abs(x) --same", "refused: .* first at @"),
    ("verify t99", "there is no time \"t99\""),
    ("bisect if count{op=output} = 2", "is false at t0 already"),
]
# The same in another graph: random operators, writes in place, memory.
ELSEWHERE = {
    "draws": [
        ("rewrite torch.rand_like(x) => torch.randn_like(x) --same",
         "refused: .* first at @1 a"),
        ("rewrite torch.rand_like(x) => torch.rand_like(torch.rand_like(x)) "
         "--same", "refused: .* first at @1 a"),
        ("rewrite x.add_(y) => torch.add(x, y) --same",
         "refused: .* at x .*, which is written, .* first at @2 b"),
        ("rewrite relu(x) => torch.abs(x) --same", "refused: .*first at @3"),
    ],
    "large": [
        ("rewrite relu(x) => torch.abs(x) --same",
         "refused: rewrite was not verified: a trial takes .* TB"),
        ("run", "the result takes .* TB, and .* are available"),
        ("compare large", "a trial takes .* TB"),
    ],
}
STATE = ["dump fx", "info undo", "info breakpoints", "when", "print/v a"]


def lines():
    yield from SETUP
    for graph, rows in [("net", ROWS), *ELSEWHERE.items(), ("net", ROWS[:1])]:
        yield "graph " + graph
        for line, _ in [("echo", ""), *rows]:
            yield "echo ==row"
            yield line
            for look in STATE:
                yield "echo --look"
                yield look
            yield "echo --look"


def judged(parts, rows):
    """What is wrong with PARTS: a state, and what each row said and left."""
    before = None
    for (line, words), part in zip([("echo", "")] + rows, parts):
        said, *state, _ = part.split("--look\n")
        state = [re.sub(r"\$\d+ =", "", one) for one in state]
        if line == "run":
            before = None  # it stands elsewhere now
        elif before is not None and state != before:
            yield "%s: not as before: %r, %r" % (line, before, state)
        before = state
        if not re.search(words, said, re.M):
            yield "%s: %s" % (line, said)
        if said.count("error: ") > 1 or said.count("\n") > 10:
            yield "%s: too much: %s" % (line, said)


def main():
    for name, text in FILES.items():
        with open(name, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    said = subprocess.run(
        [sys.argv[1], "-nx", "-q", "-batch", "--keep-going"] +
        [word for line in lines() for word in ("-ex", line)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT).stdout.decode()
    parts = said.split("==row\n")[1:]
    problems = []
    tables = [ROWS, *ELSEWHERE.values(), ROWS[:1]]
    if len(parts) != sum(len(rows) + 1 for rows in tables):
        problems.append("it ended early: " + said[-500:])
    for rows in tables:
        problems += judged(parts[:len(rows) + 1], rows)
        parts = parts[len(rows) + 1:]
    try:
        open("RAN").close()
        problems.append("something of a rule ran")
    except FileNotFoundError:
        pass
    print("\n".join(problems))
    print("%d rows" % (len(ROWS) + sum(map(len, ELSEWHERE.values()))))
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())
