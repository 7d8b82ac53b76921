"""expressions.py PROGRAM: random Python expressions, parsed and printed by
PROGRAM, must mean the same to Python's own parser; so must Python's own
standard library, expression by expression, as far as it is in our subset.
Then random expressions over plain values, evaluated, must give Python's
values: what is not known or not there is counted, what differs fails."""
import ast
import os
import random
import subprocess
import sys
import warnings

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


# Values, by kind; with d levels of operators above them.
NUMBERS = ["0", "1", "-1", "2", "7", "-3", "True", "False", "0.0", "-0.0",
           "1.0", "0.5", "2.5", "-2.5", "1e16", "9007199254740992.0",
           "9007199254740993", "9223372036854775807", "-9223372036854775808",
           "9223372036854775808", "1e300", "float('inf')", "float('nan')"]
TEXTS = ["''", "'a'", "'ab'", "'b%sc'", "'éa'", "'10'"]
BYTES_ = ["b''", "b'a'", "b'abc'"]
OTHERS = ["None", "...", "(1+2j)", "(1+0j)", "-0.5j", "range(3)",
          "range(5, 0, -2)", "slice(1, None, 2)", "int", "float", "str"]


if sys.version_info >= (3, 12):
    OTHERS.remove("slice(1, None, 2)")  # may be a key there


def number(r, d):
    if d == 0 or r.random() < .3:
        return r.choice(NUMBERS)
    k = r.randrange(14)
    if k < 6:
        op = r.choice("+ - * / // % ** << >> & | ^".split())
        right = number(r, d - 1)
        if op in ("**", "<<"):
            right = r.choice("0 1 2 3 -1 0.5 5".split())
        return f"({number(r, d - 1)} {op} {right})"
    if k == 6:
        return f"({r.choice(['-', '+', '~'])}{number(r, d - 1)})"
    if k == 7:
        return f"{r.choice(['abs', 'int', 'float', 'bool', 'round'])}" \
            f"({number(r, d - 1)})"
    if k == 8:
        return f"len({sequence(r, d - 1)})"
    if k == 9:
        return f"{r.choice(['min', 'max'])}({number(r, d - 1)}, " \
            f"{number(r, d - 1)})"
    if k == 10:
        return f"sum({container(r, d - 1, number, '[]')})"
    if k == 11:
        return f"{sequence(r, d - 1)}[{r.choice(['0', '-1', '1', '5'])}]"
    if k == 12:
        return f"{sequence(r, d - 1)}.{r.choice(['count', 'index'])}" \
            f"({number(r, d - 1)})"
    return f"divmod({number(r, d - 1)}, {number(r, d - 1)})"


def text(r, d):
    if d == 0 or r.random() < .3:
        return r.choice(TEXTS)
    k = r.randrange(6)
    if k == 0:
        return f"({text(r, d - 1)} + {text(r, d - 1)})"
    if k == 1:
        return f"({text(r, d - 1)} * {r.choice(['0', '2', '-1', 'True'])})"
    if k == 2:
        return f"{text(r, d - 1)}[{r.choice(['0', '-1', ':1', '::-1'])}]"
    if k == 3:
        return f"str({value(r, d - 1)})"
    if k == 4:
        form = r.choice(["%s", "%r", "%d", "%5.2f", "%-4s|", "%05d", "%x",
                         "%+i", "%e", "%g", "%%", "%.1s", "%#x", "% d"])
        return f"('{form}' % {container(r, d - 1, value, '()', 1)})"
    return f"('%s and %r' % ({value(r, d - 1)}, {value(r, d - 1)}))"


def container(r, d, make, kind=None, count=None):
    kind = kind or r.choice(["[]", "()", "{}"])
    count = r.randrange(4) if count is None else count
    if kind == "{}":
        # Braces hold a query unless a literal begins them.
        keys = [make(r, d) for _ in range(count)]
        keys[:1] = [r.choice(["1", "'a'", "True", "None", "0"])] * bool(keys)
        return "{%s}" % ", ".join(f"{k}: {make(r, d)}" for k in keys)
    items = ", ".join(make(r, d) for _ in range(count))
    return kind[0] + items + (",)" if count == 1 and kind == "()" else kind[1])


def sequence(r, d):
    k = r.randrange(8)
    if d and k == 0:
        return f"({sequence(r, d - 1)} + {sequence(r, d - 1)})"
    if d and k == 1:
        part = r.choice(["1:", ":2", "::2", "::-1", "-2:", "5:1:-1"])
        return f"{sequence(r, d - 1)}[{part}]"
    if d and k == 2:
        call = r.choice(["list", "tuple", "sorted"])
        return f"{call}({container(r, d - 1, number)})"
    if k == 3:
        return text(r, d)
    if k == 4:
        return r.choice(BYTES_)
    return container(r, max(d - 1, 0), value)


def value(r, d):
    k = r.randrange(6)
    if k == 0:
        return text(r, d)
    if k == 1:
        return sequence(r, d)
    if k == 2:
        return r.choice(OTHERS)
    if k == 3 and d:
        return question(r, d - 1)
    return number(r, d)


def question(r, d):
    k = r.randrange(9)
    make = r.choice([number, number, text, sequence, value])
    if k == 0:
        return f"type({value(r, d)})"
    if k == 1:
        return f"({value(r, d)} in {sequence(r, d)})"
    if k == 2:
        return f"{r.choice(['all', 'any'])}({container(r, d, value, '[]')})"
    if k == 3:
        return f"isinstance({value(r, d)}, {r.choice(['int', 'str', 'list'])})"
    if k == 4:
        return f"(not {value(r, d)})"
    if k == 5:
        return f"({value(r, d)} {r.choice(['and', 'or'])} {value(r, d)})"
    op = r.choice("== == != < <= > >=".split())
    if k == 6:
        return f"({make(r, d)} {op} {make(r, d)} {op} {make(r, d)})"
    return f"({make(r, d)} {op} {make(r, d)})"


def python_value(text):
    try:
        return repr(eval(text, {}))
    except Exception as error:  # pylint: disable=broad-except
        return f"error: {error}"


# What fxdb says where it has no answer, which is no wrong one.
NOT_KNOWN = ["unknown", "is not known", "that fxdb knows",
             "takes no such arguments here", "of more than 64 bits"]


def compare_values(program, r):
    """How many values differ, with examples."""
    texts = [value(r, r.randrange(1, 5)) for _ in range(6000)]
    texts += [question(r, r.randrange(1, 5)) for _ in range(4000)]
    texts = [t for t in texts if len(t) < 2000]
    warnings.simplefilter("ignore")
    out = subprocess.run([program, "-e"], input="\n".join(texts) + "\n",
                         capture_output=True, text=True, check=True)
    answers = out.stdout.split("\n")[:-1]
    assert len(answers) == len(texts), (len(answers), len(texts))
    unknown = bad = 0
    for text, answer in zip(texts, answers):
        want = python_value(text)
        if any(words in answer for words in NOT_KNOWN):
            unknown += 1
        elif answer != want and not (answer.startswith("error: ")
                                     and want.startswith("error: ")):
            bad += 1
            if bad < 20:
                print(f"{text}\n  Python: {want}\n  fxdb:   {answer}")
    print(f"{len(texts)} values, {unknown} not known, {bad} differ")
    return bad or unknown > len(texts) // 20


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
    return bad > 0 or compare_values(sys.argv[1], r)


sys.exit(bool(main()))
