"""expressions.py PROGRAM: random Python expressions, parsed and printed by
PROGRAM, must mean the same to Python's own parser; so must Python's own
standard library, expression by expression, as far as it is in our subset."""
import ast
import os
import random
import subprocess
import sys

NAMES = ["x", "relu_1", "torch", "a", "self"]


def leaf(r):
    k = r.randrange(12)
    if k < 6:
        return ast.Name(r.choice(NAMES))
    if k == 6:
        return ast.Constant(r.choice([0, 7, 10**30, 2**63 - 1, 2**63]))
    if k == 7:
        return ast.Constant(r.choice([1.0, 1e-05, 2.5e300, 0.1, 1e22]))
    if k == 8:
        return ast.Constant(r.choice(["", "a'b", 'q"', "\n\t\\", "é\0", "\x7f"]))
    if k == 9:
        return ast.Constant(r.choice([b"", b"\xff'\"", b"ab"]))
    if k == 10:
        return ast.Constant(r.choice([True, False, None, ..., 2j]))
    return ast.Tuple([])


def slice_part(r, d):
    return expr(r, d) if r.random() < .5 else None


def index(r, d):
    if r.random() < .4:
        return ast.Slice(slice_part(r, d), slice_part(r, d), slice_part(r, d))
    return expr(r, d)


def some(r, d, low=0, make=None):
    return [(make or expr)(r, d) for _ in range(r.randrange(low, 4))]


def expr(r, d):
    if d == 0:
        return leaf(r)
    d -= 1
    k = r.randrange(15)
    if k == 0:
        return ast.BinOp(expr(r, d), r.choice(BINARY)(), expr(r, d))
    if k == 1:
        return ast.UnaryOp(r.choice(UNARY)(), expr(r, d))
    if k == 2:
        return ast.BoolOp(r.choice([ast.And, ast.Or])(), some(r, d, 2) or
                          [leaf(r), leaf(r)])
    if k == 3:
        right = some(r, d, 1)
        return ast.Compare(expr(r, d), [r.choice(COMPARE)() for _ in right],
                           right)
    if k == 4:
        return ast.IfExp(expr(r, d), expr(r, d), expr(r, d))
    if k == 5:
        return ast.Call(expr(r, d), some(r, d), [
            ast.keyword(n, expr(r, d)) for n in ("dim", "k")[:r.randrange(3)]])
    if k == 6:
        return ast.Attribute(expr(r, d), r.choice(NAMES))
    if k == 7:
        items = some(r, d, 1, index)
        return ast.Subscript(expr(r, d), items[0] if len(items) == 1
                             else ast.Tuple(items))
    if k == 8:
        return ast.List(some(r, d))
    if k == 9:
        return ast.Tuple(some(r, d))
    if k == 10:
        keys = some(r, d)
        return ast.Dict(keys, [expr(r, d) for _ in keys])
    if k == 11:
        return ast.Lambda(ast.arguments([], [ast.arg("x")], None, [], [], None,
                                        []), expr(r, d))
    if k == 12:
        return ast.Set(some(r, d, 1))
    if k == 13:
        return ast.ListComp(expr(r, d), [ast.comprehension(
            ast.Name("x"), expr(r, d), [expr(r, d)] if r.random() < .5 else [],
            0)])
    return ast.Call(expr(r, d), [ast.Starred(leaf(r))], [
        ast.keyword(None, leaf(r))])


BINARY = [ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow,
          ast.MatMult, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr,
          ast.BitXor]
UNARY = [ast.USub, ast.UAdd, ast.Invert, ast.Not]
COMPARE = [ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In,
           ast.NotIn, ast.Is, ast.IsNot]

# What our subset leaves out, and what one line cannot say.
OUTSIDE = (ast.JoinedStr, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom,
           ast.DictComp, ast.SetComp, ast.GeneratorExp)


def inside(node):
    for n in ast.walk(node):
        if isinstance(n, OUTSIDE):
            return False
        if isinstance(n, ast.ListComp) and (
                len(n.generators) > 1 or len(n.generators[0].ifs) > 1):
            return False
        if isinstance(n, ast.Dict) and None in n.keys:
            return False
        if isinstance(n, ast.Lambda):
            a = n.args
            if a.posonlyargs or a.kwonlyargs:
                return False
    return True


def standard_library():
    """Expressions of some modules that every Python has."""
    for name in ("argparse", "ast", "dataclasses", "statistics", "typing"):
        path = __import__(name).__file__
        with open(path, encoding="utf-8") as f:
            tree = ast.parse(f.read())
        for node in ast.walk(tree):
            if isinstance(node, ast.expr) and inside(node):
                try:
                    text = ast.unparse(node)
                    ast.parse(text, mode="eval")
                except SyntaxError:
                    continue
                if "\n" not in text:
                    yield text


def meaning(text):
    return ast.dump(ast.parse(text, mode="eval"))


def main():
    r = random.Random(int(os.environ.get("FXDB_SEED", "1")))
    texts = []
    while len(texts) < 20000:
        text = ast.unparse(ast.fix_missing_locations(expr(r, r.randrange(5))))
        if "\n" not in text:
            texts.append(text)
    texts += standard_library()
    out = subprocess.run([sys.argv[1]], input="\n".join(texts) + "\n",
                         capture_output=True, text=True, check=True)
    answers = out.stdout.split("\n")[:-1]
    assert len(answers) == len(texts), (len(answers), len(texts))
    bad = 0
    for text, answer in zip(texts, answers):
        try:
            same = meaning(text) == meaning(answer)
        except SyntaxError:
            same = False
        if not same:
            bad += 1
            if bad < 10:
                print(f"given:   {text}\nprinted: {answer}")
    print(f"{len(texts)} expressions, {bad} differ")
    return bad > 0


sys.exit(main())
