"""fxdb.debug, fxdb.breakpoint and fxdb.backend beside eager PyTorch: what a
program gets is what it would have had, or what the graph was edited to."""
import copy
import functools
import os
import re
import signal
import subprocess
import sys
import threading

import debug_parts
import debug_states
from debug_parts import FOLDER, WORK, check, said, same, state

import torch
from torch import nn

import fxdb


class Net(nn.Module):
    """Draws, writes its buffers and its input, decides by a value."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 4)
        self.bn = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.5)

    def forward(self, x, scale=1.0, *, shift=None, bad=False, **more):
        x.mul_(scale)
        y = torch.relu(self.bn(self.fc(x)))
        if y.sum() > 1000:
            return y
        fxdb.breakpoint()
        if bad:
            y = self.fc(y)
        y = self.drop(y)
        return y if shift is None else y + shift + more.get("more", 0)


def twins():
    torch.manual_seed(1)
    mine = Net()
    return mine, copy.deepcopy(mine), torch.randn(5, 3, requires_grad=False)


def test_unedited():
    """The result, its gradients, the buffers, the input, the generator: all are
    as without the debugger, wherever its person went."""
    mine, other, x = twins()
    y, given = x.clone(), dict(shift=torch.ones(4), more=2)
    torch.manual_seed(7)
    got, text = said(["continue", "goto @0", "step", "step", "run", "rs"],
                     lambda script: fxdb.debug(mine, x, 2.0, script=script,
                                               **given))
    after = torch.get_rng_state()
    torch.manual_seed(7)
    want = other(y, 2.0, **given)
    check(torch.equal(got, want), text)
    check(torch.equal(x, y))
    check(torch.equal(after, torch.get_rng_state()))
    check(same(state(mine), state(other)))
    check("one real run recorded" in text and "Breakpoint 1" in text, text)
    got.sum().backward()
    want.sum().backward()
    check(all(torch.equal(a.grad, b.grad) for a, b in
              zip(mine.parameters(), other.parameters())))


def test_values():
    """Every value is that of the call: hooks of eager say what it is."""
    mine, _, x = twins()
    mine.eval()
    held = {}
    for name, module in mine.named_children():
        module.register_forward_hook(
            lambda m, i, o, name=name: held.__setitem__(name, o.clone()))
    mine(x.clone())
    for module in mine.children():
        module._forward_hooks.clear()
    names = ["fc", "bn"]
    folder = WORK.name
    _, text = said(["dump value %s %s/%s.npy" % (name, folder, name)
                    for name in names],
                   lambda script: fxdb.debug(mine, x.clone(), script=script))
    import numpy
    for name in names:
        value = numpy.load(os.path.join(folder, name + ".npy"))
        check((value == held[name].detach().numpy()).all(), name, text)


def test_autograd():
    """What autograd held before is not written: a backward afterwards works."""
    mine, other, x = twins()
    mine.drop.p = other.drop.p = 0
    first, want = mine(x.clone()), other(x.clone())
    said(["goto @0", "run"], lambda script: fxdb.debug(mine, x.clone(),
                                                       script=script))
    versions = [t._version for t in mine.buffers()]
    other(x.clone())
    check(versions == [t._version for t in other.buffers()], versions)
    first.sum().backward()
    want.sum().backward()
    check(torch.equal(mine.fc.weight.grad, other.fc.weight.grad))


def test_edited():
    """The edited graph is called, with its gradients."""
    mine, other, x = twins()
    mine.eval(), other.eval()
    got, text = said(["replace relu = torch.tanh(bn)"],
                     lambda script: fxdb.debug(mine, x, script=script))
    want = torch.tanh(other.bn(other.fc(x)))
    check(torch.equal(got, want), text)
    got.sum().backward()
    want.sum().backward()
    check(torch.equal(mine.fc.weight.grad, other.fc.weight.grad))
    # An undone edit is none; a graph that raises does so with its line.
    got, text = said(["replace relu = torch.tanh(bn)", "undo"],
                     lambda script: fxdb.debug(mine, x, script=script))
    check(torch.equal(got, other(x)), text)
    error, text = said(["replace relu = bn.view(3) --force"],
                       lambda script: fxdb.debug(mine, x, script=script))
    check(isinstance(error, RuntimeError) and "shape '[3]'" in str(error),
          error, text)


def test_raises():
    """A call that raises opens where it does, and raises after."""
    mine, _, x = twins()
    error, text = said(["where", "print relu", "print nothing_else"],
                       lambda script: fxdb.debug(mine, x, bad=True,
                                                 script=script))
    check("Stopped at" in text and "fc_1" in text and "$1 = f32[5,4]" in text,
          text)
    check("multiplied" in str(error), error, text)
    # Edited so that it would go on there: nothing says how.
    error, text = said(["replace fc_1 = torch.ones(2)", "run"],
                       lambda script: fxdb.debug(mine, x, bad=True,
                                                 script=script))
    check("multiplied" in str(error) and
          "gets the exception, edited or not" in text and
          "has no result: the call is made as it was" in text, error, text)

    def caught(x):
        try:
            x = x.view(7)
        except RuntimeError:
            x = x + 1
        return x * 2
    got, text = said(["nodes"], lambda script: fxdb.debug(caught, x,
                                                          script=script))
    check(torch.equal(got, (x + 1) * 2) and "view" not in text, text)


class Inner(nn.Module):
    """Python raises in it, between calls."""

    def forward(self, x, kind):
        y = x + 1
        if kind == "raise":
            raise ValueError("bad %d" % y.shape[0])
        assert kind != "assert", "four"
        return {"a": y}[kind]


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, kind):
        return self.inner(x * 2, kind)


def test_python_raises():
    """A call in which Python itself raises opens there too."""
    with open(__file__) as file:
        lines = [line.strip() for line in file]
    for kind, line, what in (
            ("raise", 'raise ValueError("bad %d" % y.shape[0])',
             ValueError("bad 2")),
            ("assert", 'assert kind != "assert", "four"',
             AssertionError("four")),
            ("b", 'return {"a": y}[kind]', KeyError("b"))):
        error, text = said(
            ["where", "list", "print add", "step", "continue", "echo not here"],
            lambda script: fxdb.debug(Outer(), torch.ones(2), kind,
                                      script=script))
        check(repr(error) == repr(what), error, text)
        check("not here" not in text, text)
        place = "debug.py:%d" % (lines.index(line) + 1)
        said_of = "%s: %s" % (type(what).__name__, what)
        check(re.search("the model raised: %s, at \\S*%s in forward: %s" % tuple(
            map(re.escape, (said_of, place, line))), text), text)
        check("Stopped at @4 raised: " + said_of in text and
              "=>    4  raised" in text and "min 3" in text and
              re.search("source  forward +\\S*%s +%s" % (
                  re.escape(place), re.escape(line)), text) and
              "Finished" not in text, text)

    def gives(x):
        return (i + 1 for i in x)
    got, text = said([], lambda script: fxdb.debug(gives, torch.ones(2),
                                                   script=script))
    check(len(list(got)) == 2 and "the model raised" not in text and
          "this is what was recorded" in text, got, text)


class Hooked(nn.Module):
    """Its hooks are told what is given by place."""

    def __init__(self):
        super().__init__()
        self.told = []
        self.register_forward_pre_hook(
            lambda module, given: self.told.append(len(given)))
        self.register_forward_hook(lambda module, given, y: y + len(given))

    def forward(self, x, a=1, b=2):
        return x * a * b


def test_root_hooks():
    """The call is the module's, with its own hooks; edited too."""
    x = torch.ones(2)
    for args, more in ((), {"a": 3, "b": 4}), ((3,), {"b": 4}), ((3, 4), {}):
        want = Hooked()(x, *args, **more)
        for commands, factor in ([], 1), (["replace add = add * 2"], 2):
            model = Hooked()
            got, text = said(commands, lambda script: fxdb.debug(
                model, x, *args, script=script, **more))
            check(torch.equal(got, want * factor), got, want, text)
            check(set(model.told) == {1 + len(args)}, model.told)


def test_interrupted():
    """Ctrl-C in a call that never ends opens what there is of it."""
    def endless(x):
        while True:
            x = x + 1
            if x[0] > 5:
                os.kill(os.getpid(), signal.SIGINT)
    error, text = said(["print add_3"], lambda script: fxdb.debug(
        endless, torch.zeros(2), script=script))
    check(isinstance(error, KeyboardInterrupt), error)
    check("Ctrl-C ended the call" in text and "min 4@[0]" in text, text)
    check(signal.getsignal(signal.SIGINT) is signal.default_int_handler)


def test_refused():
    """Where it cannot be opened, one line says why, and the call is made."""
    mine, _, x = twins()
    mine.eval()
    want = mine(x.clone())
    results = []

    def in_thread(script):
        thread = threading.Thread(target=lambda: results.append(
            [fxdb.debug(mine, x.clone(), script=script) for _ in "ab"][1]))
        thread.start()
        thread.join()
    _, text = said([], in_thread)
    check(torch.equal(results[0], want) and "main thread" in text and
          text.count("\n") == 1, text)

    def around(x):
        return fxdb.debug(mine, x, script="none")
    got, text = said([], lambda script: fxdb.debug(around, x.clone(),
                                                   script=script))
    check("open in this program already" in text, text)
    error, text = said(["assert 1 == 2"], lambda script: fxdb.debug(
        mine, x.clone(), script=script))
    check(isinstance(error, RuntimeError) and "status 1" in str(error), error)
    root = torch.jit.script(nn.ReLU())
    got, text = said([], lambda script: fxdb.debug(root, x, script=script))
    check(torch.equal(got, root(x)) and "TorchScript" in text and
          text.count("\n") == 1, text)
    lines = ["import sys; sys.path.insert(0, %r)" % FOLDER, "import torch, fxdb",
             "print(fxdb.debug(torch.nn.ReLU(), torch.ones(1)))"]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)],
                          capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, start_new_session=True)
    check("tensor([1.])" in done.stdout and "no terminal" in done.stderr and
          done.stderr.count("\n") == 1, done)
    lines[2:] = [
        "class Data(torch.utils.data.Dataset):",
        "    def __len__(self): return 2",
        "    def __getitem__(self, i):",
        "        return fxdb.debug(torch.nn.ReLU(), torch.ones(1))",
        "print(list(torch.utils.data.DataLoader(Data(), num_workers=1)))"]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)],
                          capture_output=True, text=True)
    check(done.returncode == 0 and done.stderr.count("num_workers=0") == 1, done)


def test_breakpoint():
    """It stops where it is called, and says so in any other run, once."""
    mine, _, x = twins()
    _, text = said(["when", "continue"], lambda script: fxdb.debug(
        mine, x, script=script))
    check(re.search(r"Breakpoint 1\n=>\s+\d+ \S+\s+drop", text), text)
    lines = ["import sys; sys.path.insert(0, %r)" % FOLDER, "import torch, fxdb",
             "def f(x):", "    fxdb.breakpoint()", "    return x",
             "f(1); f(2)"]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)],
                          capture_output=True, text=True)
    check(done.stderr.count("fxdb.breakpoint: nothing is recorded") == 1 and
          done.returncode == 0, done.stderr)


def test_places():
    """A view of an input asks for where its elements lie, not their order
    alone."""
    def viewed(x):
        return x.transpose(0, 1).view(6, 4) * 2
    x = torch.randn(3, 2, 4).transpose(0, 1)
    for cast in torch.float32, torch.bfloat16:
        given = x.to(cast)
        got, text = said(["run", "insert after @0 : other = torch.neg(x)",
                          "run", "p x.stride()"],
                         lambda script: fxdb.debug(viewed, given,
                                                   script=script))
        check(torch.equal(got, viewed(given)) and "Stopped" not in text and
              "= (4, 8, 1)" in text, got, text)


def takes_many(a, b, c, d, e, f, g, h, i, j):
    return a.logical_not(), h + i.sum() + j.sum(), b + 1, c + 1, d + 1, e + 1, f + 1, g + 1


def test_inputs():
    """Containers, numbers, other dtypes, and what fxdb cannot be told."""
    x = torch.randn(2, 2)

    class Thing:
        scale = 3

    def takes(pair, table, flag, ids, half, thing, sparse):
        y = pair[0] @ pair[1] + table["k"] * thing.scale
        return y[ids] + half if flag else y + sparse.to_dense()
    for flag in True, False:
        given = ((x, x + 1), {"k": x}, flag, torch.tensor([1, 0]),
                 x.to(torch.bfloat16), Thing(), x.to_sparse())
        got, text = said(["where"], lambda script: fxdb.debug(
            takes, *given, script=script))
        check(torch.equal(got, takes(*given)) and "Finished" in text, got, text)
    # Every dtype, and numpy is not needed for it.
    plain = [torch.tensor([[0, 1], [2, 3]]).to(dtype) for dtype in (
        torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32,
        torch.float16, torch.float64)] + [
        torch.tensor(5), torch.zeros(0, 3), torch.arange(6.).reshape(2, 3).t()]
    had = sys.modules.get("numpy")
    sys.modules["numpy"] = None
    try:
        got, text = said(
            ["run"] + ["p (%s == torch.tensor([[0, 1], [2, 3]])).all().item()"
                       % name for name in "bcdefg"] +
            ["p (j - torch.tensor([[0, 3], [1, 4], [2, 5]])).abs().sum().item()",
             "p h, i, a"],
            lambda script: fxdb.debug(takes_many, *plain, script=script))
    finally:
        sys.modules["numpy"] = had
    want = takes_many(*plain)
    check(not isinstance(got, BaseException) and
          all(map(torch.equal, got, want)), got, text)
    check(text.count("= True") == 6 and "= 0.0" in text, text)
    check("f32[0,3]" in text and "b8[2,2]  true 3" in text, text)
    # Edited: what it cannot be told stays a part of the graph.
    got, text = said(["insert after add_1 : twice = add_1 * 2 --splice"],
                     lambda script: fxdb.debug(takes, *given, script=script))
    check(torch.equal(got, 2 * takes(*given)), got, text)


class Rest(nn.Module):
    """Takes what is left by place and by name."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x, n=2, *rest, scale=1.0, **more):
        y = self.fc(x) * n * scale
        for each in rest:
            y = y + each
        return y + more.get("more", 0)


def test_rest():
    """Inputs without names, edited too."""
    x, model = torch.randn(2, 3), Rest()
    functions = [model, lambda x, /: torch.neg(x), lambda *all: all[0] + len(all)]
    for root, args, more, edit in (
            (model, (x,), {}, None), (model, (x, 3, x, 4), {}, None),
            (model, (x, 3, x), dict(scale=2.0, more=x), None),
            (model, (x, 3, x), dict(scale=2.0, more=x), "replace fc = x + 1"),
            (functions[1], (x,), {}, None),
            (functions[1], (x,), {}, "replace neg = torch.tanh(x)"),
            (functions[2], (x, x), {}, None),
            (functions[2], (x, x), {}, "replace add = getitem + 3")):
        got, text = said([edit] if edit else ["run"], lambda script: fxdb.debug(
            root, *args, script=script, **more))
        want = root(*args, **more)
        if edit:
            want = {model: lambda: (x + 1) * 6 + x + x,
                    functions[1]: lambda: torch.tanh(x),
                    functions[2]: lambda: x + 3}[root]()
        check(torch.is_tensor(got) and torch.equal(got, want) and
              "Finished" in text, got, want, text)


MODEL = nn.Linear(3, 3)


class Calls:
    """No module, and has one."""

    def __init__(self, inner):
        self.inner = inner

    def __call__(self, x):
        return self.inner(x)

    def twice(self, x):
        return self(x) * 2


def test_modules_of_functions():
    """Modules and parameters that a function uses are its own."""
    x, inner = torch.randn(2, 3), nn.ModuleList([nn.Linear(3, 3)])
    scale, plain = nn.Parameter(torch.ones(3)), [nn.Linear(3, 3), nn.ReLU()]

    def function(x):
        y = inner[0](MODEL(x)) * scale
        for each in plain:
            y = each(y)
        return y

    class Both(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 3)

        def embed(self, x):
            return self.fc(x) * 2
    both = Both()
    for root, paths in (
            (function, ("inner.0", "MODEL", "scale", "plain.0")),
            (lambda x: MODEL(x) * 2, ("MODEL",)),
            (both.embed, ("module.fc",)),
            (Calls(MODEL), ("inner",)), (Calls(MODEL).twice, ("inner",)),
            (functools.partial(lambda model, x: model(x), MODEL),
             ("given_0",))):
        got, text = said(["nodes", "run", "replace {target=%s} = torch.neg(x)" % paths[-1]
            if len(paths) == 1 else "run"],
            lambda script: fxdb.debug(root, x, script=script))
        check(torch.is_tensor(got) and got.shape == x.shape and
              all(path in text for path in paths), got, text)
        got, text = said(["run"], lambda script: fxdb.debug(
            root, x, script=script))
        check(torch.equal(got, root(x)) and "Finished" in text, got, text)
    got, text = said([], lambda script: fxdb.debug(torch.relu, x,
                                                   script=script))
    check(torch.equal(got, x.relu()) and text.count("\n") == 1 and
          "lambda x: relu(x)" in text, text)
    hidden = {"model": MODEL}
    got, text = said([], lambda script: fxdb.debug(
        lambda x: hidden["model"](x), x, script=script))
    check(torch.equal(got, MODEL(x)) and "the recording ends: NameError: a "
          "parameter is used that belongs to no submodule" in text, text)


def main():
    for name, test in [*globals().items(),
                       *vars(debug_states).items()]:
        if name.startswith("test_"):
            before = debug_parts.passed
            test()
            print("ok   %s %d" % (name[5:], debug_parts.passed - before),
                  flush=True)
    print("%d passed" % debug_parts.passed)


main()
