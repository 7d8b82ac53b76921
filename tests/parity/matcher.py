"""match --fx beside torch.fx's SubgraphMatcher: as many matches.

What its options ask is asked here by conditions: match_placeholder that a name
is an input of the graph, match_output that the results are the graph's,
ignore_literals by `_` in the place of a literal, and matches that overlap by
--overlaps.  What torch's own tests of the matcher cover is covered.
"""
import collections
import os
import re
import subprocess
import sys
import tempfile
import textwrap

import torch
import torch.nn.functional as F
from torch.fx import symbolic_trace
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

FXDB = os.environ["FXDB"]
HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"

Case = collections.namedtuple("Case", "name model names pattern results plain")
CASES = []


def add(name, model, names, pattern, results, plain=""):
    """A function of MODEL's lines, and a pattern over NAMES: assignments and the
    names of its RESULTS.  PLAIN names stand for what is no node."""
    CASES.append(Case(name, textwrap.dedent(model).strip(), names.split(),
                      pattern, results.split(), plain.split()))


add("one operation", """
    def model(x):
        y = torch.tanh(x)
        return torch.mul(y, y)
    """, "a", "p = torch.tanh(a)", "p")
add("a list of names", """
    def model(x, v, w):
        m = torch.stack([v, w]).mean()
        n = torch.stack([w, v]).mean()
        k = torch.stack([m, n]).mean()
        return x - torch.min(m) - torch.min(n) - k
    """, "a b", "p = torch.stack([a, b]).mean()", "p")
add("the whole graph", """
    def model(x):
        y = torch.abs(x)
        return torch.sub(y, y)
    """, "a", "p = torch.abs(a); q = torch.sub(p, p)", "q")
add("a diamond behind something", """
    def model(x):
        a = torch.exp(x)
        b = a.tanh()
        return b.cos() * b.tanh()
    """, "a", "b = a.tanh(); l = b.cos(); r = b.tanh(); p = l * r", "p")
add("one is read outside, one not", """
    def model(x, v, w, b, c):
        m = torch.cat([v, w])
        n = torch.cat([x, c])
        t = torch.addmm(b, m, n.t())
        p = torch.cat([v, w])
        q = torch.cat([x, c])
        u = torch.addmm(b, p, q.t())
        return torch.prod(t), torch.prod(p), u
    """, "x v w b c", "m = torch.cat([v, w]); n = torch.cat([x, c]); "
    "p = torch.addmm(b, m, n.t())", "p")
add("a chain of the same", """
    def model(x):
        for _ in range(5):
            x = torch.sin(x)
        return x
    """, "a", "p = torch.sin(torch.sin(a))", "p")
add("methods, a dtype", """
    def model(x):
        x = x * 5
        x = x.detach()
        x = torch.tanh(x)
        return x.to(torch.float64)
    """, "a", "b = a.detach(); c = torch.tanh(b); p = c.to(torch.float64)", "p")
add("results that need each other", """
    def model(x):
        y = x.tanh()
        z = y.exp()
        return z, y
    """, "a", "p = a.tanh(); q = p.exp()", "p q")
add("results side by side", """
    def model(x):
        x = (x - 1).tanh()
        y = x.exp()
        z = x.mean()
        return y.exp() * z.mean()
    """, "a", "b = a.tanh(); p = b.exp(); q = b.mean()", "p q")
add("results in several ways", """
    def model(x):
        x = (x - 1).tanh()
        y = x.exp() + x.exp()
        return y + x.mean() + x.mean()
    """, "a", "b = a.tanh(); p = b.exp(); q = b.mean()", "b p q")
add("results twice, one behind the other", """
    def model(x):
        x = (x - 1).tanh()
        y, z = x.mean(), x.exp()
        x = x.tanh()
        return y + z + x.mean() + x.exp()
    """, "a", "b = a.tanh(); p = b.exp(); q = b.mean()", "p q")
add("results of two inputs", """
    def model(x):
        x = x - 1
        return x.tanh(), x.exp()
    """, "a", "p = a.tanh(); q = a.exp()", "p q")
add("a result whose other reader does not fit", """
    def model(x, w, v):
        y = F.linear(x, w)
        z = torch.tanh(y)
        return (z * y).mean(1) - v
    """, "a b c", "p = F.linear(a, b); q = p * c", "p q")
add("nothing like it", """
    def model(x):
        return x - 1
    """, "a", "p = a.tanh()", "p")
add("operators, a size in a list", """
    def model(x, y):
        return torch.ops.aten.view(x, [5, y.shape[0]])
    """, "a b c", "p = torch.ops.aten.view(a, [c, b.shape[0]])", "p", "c")
add("operators, lists of other lengths", """
    def model(x, y):
        return torch.ops.aten.as_strided.default(
            x, [1, y.shape[0]], [y.shape[1], y.shape[1]])
    """, "a b c", "p = torch.ops.aten.as_strided.default("
    "a, [c, b.shape[0], b.shape[1]], [b.shape[1]])", "p", "c")
add("a list is bound by a name", """
    def model(x):
        return x.permute([1, 0])
    """, "a b", "p = a.permute(b)", "p", "b")
add("a literal is another", """
    def model(x):
        return torch.cumsum(x, 1) * 3
    """, "a", "p = torch.cumsum(a, 0) * 2", "p")
add("keywords in another order", """
    def model(x):
        return torch.sum(x, dim=1, keepdim=True) + torch.sum(x, keepdim=True, dim=1)
    """, "a", "p = torch.sum(a, dim=1, keepdim=True)", "p")
add("numbers of another type", """
    def model(x):
        return x * 1 + x * 1.0 + x * True
    """, "a", "p = a * 1", "p")
add("two names for one node", """
    def model(x):
        return torch.mul(x, x) + torch.mul(x, x * 2)
    """, "a b", "p = torch.mul(a, b)", "p")
add("None and a slice", """
    def model(x):
        return x[None, 1:3] + x[None, 1:4]
    """, "a", "p = a[(None, slice(1, 3, None))]", "p")
add("a keyword that is an input", """
    def model(x, y):
        return torch.clamp(x, min=y) + torch.clamp(x, max=y)
    """, "a b", "p = torch.clamp(a, min=b)", "p")

# match_output, match_placeholder, remove_overlapping_matches, ignore_literals.
WAYS = [(False, False, True, False), (True, False, True, False),
        (False, True, True, False), (True, True, True, False),
        (False, False, False, False), (False, False, True, True)]


def functions(case):
    pattern = "def pattern(%s):\n    %s\n    return %s\n" % (
        ", ".join(case.names), case.pattern, ", ".join(case.results))
    space = {}
    exec(HEAD + case.model + "\n" + pattern, space)
    return symbolic_trace(space["model"]), symbolic_trace(space["pattern"])


def expected(case, way):
    gm, pattern = functions(case)
    output, placeholder, apart, loose = way
    options = {"ignore_literals": True} if loose else {}
    try:
        matcher = SubgraphMatcher(
            pattern.graph, match_output=output, match_placeholder=placeholder,
            remove_overlapping_matches=apart, **options)
    except TypeError:
        return None  # 1.13 has no ignore_literals
    try:
        return len(matcher.match(gm.graph))
    except KeyError:
        return None  # 1.13 has no place for a name that is no node


def condition(case, way):
    """What the options ask, or None where it cannot be."""
    output, placeholder, _, _ = way
    parts = []
    if placeholder:
        parts += ['%s.op == "placeholder"' % name for name in case.names
                  if name not in case.plain]
    if output:
        given = [n for n in functions(case)[0].graph.nodes
                 if n.op == "output"][0].args[0]
        if len(case.results) == 1 and not isinstance(given, tuple):
            parts.append("%%output.args[0] is %s" % case.results[0])
        elif not isinstance(given, tuple) or len(given) != len(case.results):
            return None
        else:
            parts += ["%%output.args[0][%d] is %s" % pair
                      for pair in enumerate(case.results)]
    return " and ".join(parts)


def literal_free(text):
    """TEXT with _ for numbers and slices."""
    return re.sub(r"slice\([^)]*\)|\b\d+\b", "_", text)


def command(case, way, where):
    pattern = literal_free(case.pattern) if way[3] else case.pattern
    result = case.results[0] if len(case.results) == 1 else \
        "(%s)" % ", ".join(case.results)
    return "match --fx%s %s; %s%s" % (
        "" if way[2] else " --overlaps", pattern, result,
        " where " + where if where else "")


def find_all(cases, folder):
    """By case and way: how many matches fxdb finds, or what it says."""
    lines = []
    for index, case in enumerate(cases):
        # A name of its own: each is a module of Python's.
        path = os.path.join(folder, "model_%d.py" % index)
        with open(path, "w") as file:
            file.write(HEAD + case.model + "\n")
        lines.append("trace %s:model" % path)
        for number, way in enumerate(WAYS):
            where = condition(case, way)
            lines.append("echo case %d %d" % (index, number))
            lines.append("echo 0 matches" if where is None
                         else command(case, way, where))
        lines.append("echo case end")
    done = subprocess.run(
        [FXDB, "-nx", "-q", "-batch", "--keep-going", "--python",
         sys.executable, "-x", "-"],
        input="\n".join(lines) + "\n", stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    found = {}
    for part in done.stdout.split("case ")[1:]:
        head, _, text = part.partition("\n")
        count = re.search(r"^(\d+) match(es)?\b", text, re.M)
        found[head] = int(count.group(1)) if count else text.strip()
    return found


def main():
    wrong = done = 0
    with tempfile.TemporaryDirectory() as folder:
        found = find_all(CASES, folder)
    for index, case in enumerate(CASES):
        for number, way in enumerate(WAYS):
            want = expected(case, way)
            have = found["%d %d" % (index, number)]
            if want is None:
                continue
            done += 1
            if have == want:
                continue
            wrong += 1
            print("%s, %s: torch.fx %s, fxdb %s" % (
                case.name, command(case, way, condition(case, way)), want,
                have))
    print("%d patterns in %d ways as torch.fx %s matches them, %d otherwise" %
          (len(CASES), done - wrong, torch.__version__, wrong))
    return wrong != 0


sys.exit(main())
