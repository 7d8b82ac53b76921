"""rewrite --fx beside torch.fx's replace_pattern, on small graphs: equal code.

Each case is a model and a rule as Python functions; fxdb reads the rule as text
from a file and the model by tracing it, and never runs either.
"""
import os
import re
import subprocess
import sys
import tempfile
import textwrap

import torch
import torch.nn.functional as F
from torch import nn
from torch.fx import subgraph_rewriter, symbolic_trace

FXDB = os.environ["FXDB"]
HEAD = ("import torch\nimport torch.nn.functional as F\nimport operator\n"
        "from torch import nn\n\n\n")


def case(model, pattern, replacement):
    return [textwrap.dedent(text).strip() + "\n"
            for text in (model, pattern, replacement)]


def one(body, pattern, replacement):
    """A model of x and y, a rule of expressions over a and b."""
    lines = "\n".join("    " + line for line in body.split("; "))
    names = sorted(set(re.findall(r"\b[a-d]\b", pattern)))
    args = ", ".join(names)
    return case("def model(x, y):\n%s\n" % lines,
                "def pattern(%s):\n    return %s\n" % (args, pattern),
                "def replacement(%s):\n    return %s\n" % (args, replacement))


CASES = [
    one("return x + y", "a + b", "torch.sub(a, b)"),
    one("z = x + y; return z * z", "a + b", "torch.sub(a, b)"),
    # Chains: what one match gives another one reads.
    one("z = x + y; z = z + x; return z + y", "a + b", "torch.sub(b, a)"),
    one("z = torch.relu(x); z = torch.relu(z); return torch.relu(z)",
        "torch.relu(a)", "F.gelu(a)"),
    one("z = F.relu(x); return F.relu(z, inplace=True)",
        "F.relu(a)", "F.gelu(a)"),
    # The same name twice, and two names for one node.
    one("return (x + x) * (x + y)", "a + a", "a * 2"),
    one("return (x + x) * (x + y)", "a + b", "torch.mul(a, b)"),
    # Overlaps go to the first.
    one("z = torch.neg(x); z = torch.neg(z); z = torch.neg(z); "
        "return torch.neg(z)", "torch.neg(torch.neg(a))", "torch.abs(a)"),
    # The inside is used outside.
    one("z = torch.neg(x); return z + torch.relu(z)",
        "torch.relu(torch.neg(a))", "F.gelu(a)"),
    # Constants and keywords are compared as they are written.
    one("return torch.softmax(x, 1) + torch.softmax(x, dim=1)",
        "torch.softmax(a, 1)", "torch.relu(a)"),
    one("return torch.softmax(x, 1) + torch.softmax(x, dim=1)",
        "torch.softmax(a, dim=1)", "torch.relu(a)"),
    one("return x * 2 + y * 2.0", "a * 2", "torch.neg(a)"),
    one("return x * 2 + y * 3", "a * b", "torch.add(a, b)"),
    one("return torch.cat([x, y]).sum(0)", "torch.cat([a, b])",
        "torch.stack([a, b])"),
    one("return torch.cat((x, y)).sum(0)", "torch.cat([a, b])",
        "torch.stack([a, b])"),
    one("return torch.cat([x, y, x]).sum(0)", "torch.cat([a, b])",
        "torch.stack([a, b])"),
    # Methods.
    one("return x.relu().sum(1) + y.sum(1)", "a.sum(1)", "a.mean(1)"),
    one("return x.relu() + torch.relu(y)", "a.relu()", "a.tanh()"),
    # Names: what the graph has, and what the replacement brings.
    one("sub = torch.sin(x); sub_1 = torch.cos(sub); return sub_1 + y",
        "a + b", "torch.sub(a, b)"),
    one("return (x + y) * 2", "a + b", "torch.sub(torch.sub(a, b), b)"),
    one("z = x + y; w = torch.sin(x); return z * w", "a + b",
        "torch.sub(a, b)"),
    # Nothing new; more than there was.
    one("return torch.neg(torch.neg(x)) + y", "torch.neg(torch.neg(a))", "a"),
    one("z = x + y; return torch.relu(z) * y", "torch.relu(a + b)",
        "torch.tanh(a) * torch.tanh(b) + a"),
    # No match at all.
    one("return torch.sin(x) + torch.relu(y)", "torch.relu(torch.sin(a))",
        "torch.cos(a)"),
    # Several outputs.
    case("""
         def model(x, y):
             p = torch.sin(x)
             q = torch.cos(x)
             return p * q + torch.sin(y)
         """, """
         def pattern(a):
             return torch.sin(a), torch.cos(a)
         """, """
         def replacement(a):
             return torch.tan(a), torch.tanh(a)
         """),
    case("""
         def model(x, y):
             p = torch.sin(x)
             q = torch.exp(p)
             return p + q * y
         """, """
         def pattern(a):
             s = torch.sin(a)
             return s, torch.exp(s)
         """, """
         def replacement(a):
             t = torch.tanh(a)
             return t, torch.neg(t)
         """),
    # A way around: no match.
    case("""
         def model(x, y):
             p = torch.sin(x)
             q = torch.exp(p)
             return p + q
         """, """
         def pattern(a, b):
             s = torch.sin(a)
             return s, s + b
         """, """
         def replacement(a, b):
             return torch.cos(a), torch.neg(b)
         """),
    # Other names in the replacement: by their places.
    case("""
         def model(x, y):
             return torch.sub(x, y)
         """, """
         def pattern(a, b):
             return torch.sub(a, b)
         """, """
         def replacement(c, d):
             return torch.add(d, c)
         """),
    # The pattern is all there is.
    one("z = torch.abs(x); return torch.sub(z, z)",
        "torch.sub(torch.abs(a), torch.abs(a))", "torch.tanh(a)"),
    case("""
         def model(x, y):
             z = torch.abs(x)
             return torch.sub(z, z)
         """, """
         def pattern(a):
             b = torch.abs(a)
             return torch.sub(b, b)
         """, """
         def replacement(a):
             b = torch.tanh(a)
             return torch.stack([b, b])
         """),
    # Once more what it was.
    one("z = torch.exp(x) - torch.tanh(x); return torch.mul(z, z)",
        "torch.exp(a) - torch.tanh(a)", "torch.exp(a) - torch.tanh(a)"),
    one("return torch.mm(x, y)", "torch.mm(a, b)", "torch.mm(b, a)"),
    # What comes out is read outside too.
    one("z = torch.tanh(x); return torch.exp(z) - z", "torch.tanh(a)",
        "torch.cos(a)"),
    # An input of the graph that nobody reads.
    one("return x * 2", "a * 2", "a + a"),
    # What a name stands for has arguments of its own; a dtype.
    one("x += 3; z = torch.tanh(x.detach()); return z.to(torch.float16)",
        "torch.tanh(a.detach()).to(torch.float16)", "a"),
    one("z = x.detach().tanh(); return z.to(torch.float16)",
        "a.detach().tanh().to(torch.float16)", "a"),
    # Lists that names stand for.
    case("""
         def model(x, y):
             return torch.ops.aten.as_strided.default(x, [1, 2], [3, 4])
         """, """
         def pattern(a, b, c):
             return torch.ops.aten.as_strided.default(a, b, c)
         """, """
         def replacement(a, b, c):
             return torch.ops.aten.as_strided.default(a, c, b)
         """),
    # One result twice, and one that nobody reads.
    case("""
         def model(x, y):
             z = x - y
             return torch.tanh(z) + torch.exp(z)
         """, """
         def pattern(a, b):
             c = a - b
             return torch.tanh(c), torch.exp(c), c
         """, """
         def replacement(a, b):
             c = torch.abs(b)
             return c, c, torch.neg(a)
         """),
    # Keywords; a place that fits at first, and does not after all.
    case("""
         def model(x, y):
             p = F.linear(y, x, bias=x)
             q = F.linear(p, y, bias=x)
             r = y * q
             s = F.linear(r + y, x, bias=y)
             t = s * torch.tanh(s)
             u = F.linear(x, y, bias=y)
             v = F.linear(u, x, bias=y)
             return torch.cat([t, x * v + x], dim=1)
         """, """
         def pattern(a, b, bias, c):
             d = F.linear(a, b, bias=bias)
             return d, c * d
         """, """
         def replacement(a, b, bias, c):
             d = torch.addmm(bias, a, b)
             return d, torch.mul(d, c)
         """),
    # Long ones.
    one("z = x; " + "; ".join("z = torch.relu(z + y)" for _ in range(30)) +
        "; return z", "torch.relu(a + b)", "F.gelu(a * b)"),
]


def expected(texts):
    space = {}
    exec(HEAD + "\n\n".join(texts), space)
    gm = symbolic_trace(space["model"])
    try:
        subgraph_rewriter.replace_pattern(gm, space["pattern"],
                                          space["replacement"])
    except KeyError:
        pass  # 1.13 where nothing is like an anchor: as no match
    gm.graph.lint()
    return gm.code


def found(folder):
    """By case: the code after the rule, or what fxdb says."""
    lines = []
    for index, texts in enumerate(CASES):
        # A name of its own: each is a module of Python's.
        model = os.path.join(folder, "model_%d.py" % index)
        rules = os.path.join(folder, "rules_%d.py" % index)
        with open(model, "w") as file:
            file.write(HEAD + texts[0])
        with open(rules, "w") as file:
            file.write(HEAD + "\n\n".join(texts[1:]))
        lines += ["echo case %d" % index, "trace %s:model" % model,
                  "rewrite --fx -r %s" % rules, "lint",
                  "dump python -o %s/code_%d.py" % (folder, index)]
    done = subprocess.run(
        [FXDB, "-nx", "-batch", "--keep-going", "--python", sys.executable,
         "-x", "-"], input="\n".join(lines) + "\n", stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True)
    said = dict(part.split("\n", 1)
                for part in done.stdout.split("case ")[1:])
    return [code_of(folder, index, said[str(index)])
            for index in range(len(CASES))]


def code_of(folder, index, said):
    path = os.path.join(folder, "code_%d.py" % index)
    if "no problems" not in said or \
            ("error" in said and "0 matches" not in said):
        return said
    with open(path) as file:
        return file.read()


def bare(code):
    return "\n".join(line.rstrip() for line in code.strip().splitlines())


def main():
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        codes = found(folder)
        for index, texts in enumerate(CASES):
            want = bare(expected(texts))
            got = bare(codes[index])
            if want == got:
                continue
            wrong += 1
            print("case %d differs\n%s\ntorch.fx:\n%s\nfxdb:\n%s" %
                  (index, "\n".join(texts), want, got))
    print("%d rules as torch.fx %s applies them, %d otherwise" %
          (len(CASES) - wrong, torch.__version__, wrong))
    return 1 if wrong else 0


sys.exit(main())
