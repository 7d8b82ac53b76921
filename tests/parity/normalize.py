#!/usr/bin/env python3
"""pass run normalize beside torch.fx's NormalizeArgs and NormalizeOperators.

usage: normalize.py FXDB [MODEL... | all]

What src/ops/parameters.def and ops.def say that a function may be called by, and
layers.py a layer, is asked of torch.  On models of torchvision the code is that
of NormalizeArgs, but for calls that LEFT lists: those torch.fx leaves alone.
"""
import ast
import inspect
import os
import re
import subprocess
import sys
import warnings

import torch
import torch.fx
from torch._jit_internal import boolean_dispatched
from torch.fx.experimental.normalize import NormalizeArgs
from torch.fx.operator_schemas import get_signature_for_torch_op

import zoo

warnings.simplefilter("ignore")
HERE = os.path.dirname(os.path.abspath(__file__))
OPS = os.path.join(os.environ["FXDB_SRCDIR"], "src", "ops")
FEW = ["resnet18", "swin_t", "inception_v3", "mnasnet0_5"]
# Lists of tensors match no type there.
LEFT = ["torch.cat("]

# --- what may be named ---------------------------------------------------

STRING = r'(?:"(?:[^"\\]|\\.)*"\s*)'


def join(text):
    return "".join(ast.literal_eval(s) for s in re.findall(
        r'"(?:[^"\\]|\\.)*"', text))


def operations():
    """target -> parameters of its row in ops.def."""
    with open(os.path.join(OPS, "ops.def")) as file:
        text = file.read()
    text = text[text.index("/* Python's operators"):]
    found = {}
    for kind, first, aliases, signature in re.findall(
            r'FX_OP(|_METHOD|_ATEN|_BOTH)\(\w+,\s*([^,"]+|%s+),\s*(%s*),'
            r'\s*%s+,\s*(%s*),' % (STRING, STRING, STRING, STRING), text):
        name = first.strip() if kind else join(first)
        targets = ["torch." + name] if kind else [name]
        for target in targets + join(aliases).split():
            found[target] = join(signature)
    return found


def rows():
    """target -> parameters, as the program reads them."""
    found = operations()
    with open(os.path.join(OPS, "parameters.def")) as file:
        own = dict((join(target), join(parameters)) for target, parameters in
                   re.findall(r'^FX_PARAMETERS\((%s),\s*(%s+)\)' %
                              (STRING, STRING), file.read(), re.M))
    for target in own:
        if target not in found:
            raise SystemExit("no operation %s" % target)
    found.update(own)
    return found


def named():
    """Those that may be called by them."""
    return {target: parameters for target, parameters in rows().items()
            if parameters and target.startswith(("torch.", "torchvision.")) and
            not target.startswith("torch.ops.")}


def signatures(target):
    """What torch says of a function; None where this one has it not."""
    try:
        __import__(target.split(".")[0] + (
            ".models.swin_transformer"
            if target.startswith("torchvision.models") else ""))
        function = sys.modules[target.split(".")[0]]
        for part in target.split(".")[1:]:
            function = getattr(function, part)
    except (AttributeError, ImportError):
        return None
    if inspect.isbuiltin(function):
        return get_signature_for_torch_op(function) or []
    if function in boolean_dispatched:
        function = boolean_dispatched[function]["if_true"]
    return [inspect.signature(inspect.unwrap(function))]


def plain(value):
    """One number is one for every dimension."""
    if isinstance(value, (list, tuple)):
        items = [plain(item) for item in value]
        return items[0] if items and items == items[:1] * len(items) else items
    return float(value) if type(value) is int else value


def words(signature):
    return [("input" if p.name == "self" else p.name, plain(p.default))
            for p in signature.parameters.values() if p.name != "out"]


def check_functions():
    wrong = 0
    checked = 0
    for target, parameters in sorted(named().items()):
        theirs = signatures(target)
        if theirs is None:
            continue
        ours = words(inspect.signature(
            eval("lambda %s: 0" % parameters)))  # pylint: disable=eval-used
        checked += 1
        if not any(words(s) == ours and all(
                p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
                for p in s.parameters.values()) for s in theirs):
            print("%s(%s): torch has %s" % (target, parameters, theirs))
            wrong += 1
    print("%d functions, %d wrong" % (checked, wrong))
    return wrong + (checked < 300)


def check_layers():
    """Names alone: defaults are not said of layers."""
    with open(os.path.join(OPS, "layers.py")) as file:
        tree = ast.parse(file.read())
    classes = {c.name: c for c in tree.body if isinstance(c, ast.ClassDef)}
    wrong = 0
    for name, found in classes.items():
        theirs = getattr(torch.nn, name, None)
        at = found
        forward = None
        while at and not forward:
            forward = next((f for f in at.body
                            if isinstance(f, ast.FunctionDef) and
                            f.name == "forward"), None)
            at = classes.get(at.bases[0].id) if at.bases else None
        if not theirs or not forward:
            continue
        names = [a.arg for a in forward.args.args]
        real = list(inspect.signature(theirs.forward).parameters)
        # Later versions have more.
        if names[:len(real)] != real and not forward.args.vararg and \
                "input" not in real[1:]:
            print("nn.%s.forward%s: here %s" % (name, real, names))
            wrong += 1
    return wrong


def check_functionals(parameters):
    """Names alone, as of layers."""
    with open(os.path.join(OPS, "functionals.py")) as file:
        tree = ast.parse(file.read())
    functions = {f.name: f for f in tree.body
                 if isinstance(f, ast.FunctionDef)}
    names_of = next(a.value for a in tree.body if isinstance(a, ast.Assign) and
                    a.targets[0].id == "NAMES")
    wrong = 0
    for key, value in zip(names_of.keys, names_of.values):
        target = key.value
        function = functions[value.id]
        if target in parameters or not target.startswith("torch"):
            continue
        try:
            theirs = sys.modules[target.rpartition(".")[0]]
            theirs = getattr(theirs, target.rpartition(".")[2])
        except (KeyError, AttributeError):
            continue
        if inspect.isbuiltin(theirs) or theirs in boolean_dispatched:
            continue
        names = [a.arg for a in function.args.args]
        real = list(inspect.signature(inspect.unwrap(theirs)).parameters)
        if names != real[:len(names)] and real[:1] != ["args"]:
            print("%s%s: here %s" % (target, real, names))
            wrong += 1
    return wrong


# --- whole models --------------------------------------------------------

def ours(program, name, options):
    lines = ["set verify off",
             "trace %s/zoo.py:build(\"%s\")" % (HERE, name),
             "pass run normalize " + options, "lint", "dump python"]
    done = subprocess.run(
        [program, "-nx", "-q", "-batch", "--python", sys.executable] +
        [word for line in lines for word in ("-ex", line)],
        capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        return [done.stderr.strip()]
    text = done.stdout
    return body(text[text.index("def forward"):])


def body(code):
    return [line.split(";")[0].strip() for line in code.split("\n")
            if "=" in line and "def forward" not in line]


def check_model(program, name):
    try:
        graph = torch.fx.symbolic_trace(zoo.build(name))
    except torch.fx.proxy.TraceError:
        print("%s: torch.fx cannot trace it" % name)
        return 0
    wrong = 0
    for options, only_names in (("", True), ("args=places", False)):
        want = body(NormalizeArgs(graph, only_names).transform().code)
        have = ours(program, name, options)
        left = 0
        pairs = list(zip(want, have))
        for a, b in pairs:
            if a == b:
                continue
            left += 1
            if not any(word in a for word in LEFT):
                wrong += 1
                print("%s:\n  torch.fx %s\n  fxdb     %s" % (name, a, b))
        if len(want) != len(have):
            wrong += 1
            print("%s: %d lines, not %d" % (name, len(have), len(want)))
            print(have[:3])
        print("%s %s: %d of %d lines equal" % (
            name, options, len(want) - left, len(want)), flush=True)
    return wrong


def main():
    names = sys.argv[2:] or FEW
    if names == ["all"]:
        import torchvision
        names = torchvision.models.list_models(module=torchvision.models)
    zoo.leave_weights()
    wrong = check_functions() + check_layers() + \
        check_functionals(rows())
    return wrong + sum(check_model(sys.argv[1], name) for name in names) != 0


if __name__ == "__main__":
    sys.exit(main())
