"""fxdb.debug where gradients or autocast change, and fxdb.backend, beside eager
PyTorch."""
import contextlib
import copy
import inspect
import os

from debug_parts import WORK, check, said, same, state

import numpy
import torch
from torch import fx, is_grad_enabled, nn
from torch.utils.checkpoint import checkpoint

import fxdb


class States(nn.Module):
    """Its calls are made with gradients and without, and in autocast; SWAP is
    what the test edits, made in eager code."""

    def __init__(self, kind, swap=False):
        super().__init__()
        torch.manual_seed(0)
        self.kind, self.swap = kind, swap
        self.a, self.b, self.c = (nn.Linear(3, 3) for _ in "abc")

    @torch.no_grad()
    def frozen(self, x):
        return (torch.tanh if self.swap else torch.relu)(self.b(x))

    def forward(self, x):
        kind, act = self.kind, torch.tanh if self.swap else torch.relu
        if kind == "decorated":
            y = self.frozen(x)
        elif kind == "no_grad":
            with torch.no_grad():
                y = act(self.b(x))
        elif kind == "set":
            with torch.set_grad_enabled(False):
                y = act(self.b(x))
        elif kind == "set without with":
            torch.set_grad_enabled(False)
            y = act(self.b(x))
            torch.set_grad_enabled(True)
        elif kind == "within":
            with torch.no_grad():
                y = act(self.b(x))
                with torch.enable_grad():
                    y = y * self.c(x)
                y = y + self.b(x)
        elif kind == "inference":
            with torch.inference_mode():
                y = act(self.b(x))
            return self.a(x) + y
        elif kind == "parameter":
            with torch.no_grad():
                self.c.weight.mul_(0.5)
                y = act(self.b(x))
        elif kind == "autocast":
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = act(self.b(x)).float()
        elif kind == "last":
            y = self.c(x)
            with torch.no_grad():
                return self.a(x) * y, act(self.b(y))
        else:
            y = act(self.b(x))
        return self.a(x) * y + self.c(x)


def outcome(model, call):
    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(3))
    y = call(x)
    y = sum(y) if isinstance(y, tuple) else y
    if y.requires_grad:
        y.square().sum().backward()
    return [y] + [p.grad if p.grad is not None else torch.tensor(-7.)
                  for p in model.parameters()] + list(model.parameters())


def test_states():
    """An edited call has gradients, and autocast, where an eager model with that
    edit has them."""
    for kind in ("decorated", "no_grad", "set", "set without with", "within",
                 "inference", "parameter", "autocast", "last", "none"):
        # (Autocast casts its parameters too.)
        given = "linear" if kind == "autocast" else "b"
        swap = "replace relu = torch.tanh(%s)" % given
        for edits in ([swap], [swap, "rename relu other"],
                      ["insert before relu : new = torch.tanh(%s)" % given,
                       "rauw relu new", "erase relu"]):
            for around in torch.no_grad, torch.enable_grad:
                mine, other = States(kind), States(kind, True)
                with around():
                    want = outcome(other, other)
                    got, text = said(edits, lambda script: outcome(
                        mine, lambda x: fxdb.debug(mine, x, script=script)))
                check(not isinstance(got, BaseException), got, text)
                check(got[0].requires_grad == want[0].requires_grad and
                      all(map(torch.equal, got, want)), kind, edits, got, want,
                      text)


@torch.jit.script
def scripted(x, y):
    return x @ y.t()


@fx.wrap
def wrapped(x, y):
    return x @ y.t()


def in_numpy(x, y):
    """Its tensors are made where no recording sees them."""
    z = (x @ y.t()).float().detach().numpy()
    return torch.from_numpy(z + 1) @ y


class Casts(nn.Module):
    """Calls under autocast whose casts are nodes, and such as set it."""

    def __init__(self, kind, last=torch.relu):
        super().__init__()
        torch.manual_seed(0)
        self.fc, self.kind, self.last = nn.Linear(3, 3), kind, last
        if kind == "module":
            self.inner = torch.jit.script(nn.Linear(3, 3))

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            if self.kind == "module":
                y = self.inner(x)
            elif self.kind == "mapped":
                y = torch.vmap(lambda row: row @ x.t())(x)
            elif self.kind == "scripted":
                y = scripted(x, x)
            elif self.kind == "wrapped":
                y = wrapped(x, x)
            elif self.kind == "numpy":
                y = in_numpy(x, x)
            else:
                y = self.fc(x)
        return self.last(y.float() * 2)


def test_casts():
    """What the program gets of an edited graph is what the session shows: who
    takes a cast away has taken it away, whatever the program sets around it."""
    x = torch.randn(4, 3)
    path = os.path.join(WORK.name, "output.npy")
    shown = ["run", "dump value output.float() " + path]

    def edited(model, edits, around):
        def call(script):
            with around:
                return fxdb.debug(model, x, script=script)
        got, text = said(edits + shown, call)
        check(torch.is_tensor(got), got, text)
        session = torch.from_numpy(numpy.load(path))
        check(torch.equal(got.float(), session), model.kind, got, session, text)
        return got, text
    kinds = ["fc", "module", "mapped", "scripted", "wrapped", "numpy"]
    on = torch.autocast("cpu", dtype=torch.bfloat16)
    for kind in kinds if hasattr(torch, "vmap") else kinds[:2]:
        for around in contextlib.nullcontext(), on:
            got, text = edited(Casts(kind), [
                "replace {target=torch.relu} = torch.tanh(mul)"], around)
            with around:
                want = Casts(kind, torch.tanh)(x)
            check(torch.equal(got, want), kind, got, want, text)
    model = Casts("fc")
    edits = ["rauw to x -f", "rauw to_1 fc_weight -f", "rauw to_2 fc_bias"]
    for around in contextlib.nullcontext(), on:
        got, text = edited(model, edits, around)
        check(torch.equal(got, torch.relu(model.fc(x) * 2)), got, text)
        got.sum().backward()
    check(model.fc.weight.grad is not None)


class Asks(nn.Module):
    """Asks for the state of torch, and does what it hears."""

    def __init__(self):
        super().__init__()
        self.fc, self.heard = nn.Linear(3, 3), []

    def forward(self, x):
        y = self.fc(x)
        heard = [
            torch.is_grad_enabled(), is_grad_enabled(), x.requires_grad,
            y.requires_grad, y.is_leaf, self.fc.weight.requires_grad,
            y.T.requires_grad, y.detach().requires_grad,
            y.data.requires_grad, (y > 0).requires_grad,
            torch.zeros_like(y).requires_grad, y.new_ones(1).requires_grad,
            torch.is_inference_mode_enabled(), torch.is_autocast_enabled(),
            torch.get_default_dtype()]
        with torch.no_grad():
            y0 = self.fc(x)
            heard += [is_grad_enabled(), y0.requires_grad]
            with torch.enable_grad():
                heard += [torch.is_grad_enabled(), self.fc(x).requires_grad]
        self.heard.append(heard)
        return y * 2 if torch.is_grad_enabled() and y.requires_grad else y


def test_asked():
    """Who asks for the state of torch hears what the program's call hears; what
    it decides so is listed."""
    own = torch.is_grad_enabled
    for mode in torch.enable_grad, torch.no_grad, torch.inference_mode:
        model, x = Asks(), torch.randn(2, 3)
        with mode():
            got, text = said(["info trace", "nodes"],
                             lambda script: fxdb.debug(model, x,
                                                       script=script))
            want = model(x)
        check(torch.equal(got, want) and len(model.heard) == 3, text)
        check(model.heard[0] == model.heard[1] == model.heard[2], mode,
              model.heard)
        check("if torch.is_grad_enabled() and" in text, text)
        check((" mul " in text) == (mode is torch.enable_grad), text)
        check(text.count("gradients, which") == (mode is torch.enable_grad),
              text)
    check(torch.is_grad_enabled is own and is_grad_enabled is own)


class Learns(nn.Module):
    """Computes gradients in its forward, of its parameters or of its input."""

    def __init__(self, kind):
        super().__init__()
        torch.manual_seed(0)
        self.kind, self.fc = kind, nn.Linear(3, 1)

    def forward(self, x):
        with torch.enable_grad():
            if self.kind == "of input":
                x = x.detach().requires_grad_()
                return -torch.autograd.grad(self.fc(x).square().sum(), x)[0]
            loss = self.fc(x).square().mean()
            loss.backward()
        torch.optim.SGD(self.parameters(), 0.1).step()
        return loss.detach()


def test_learns():
    """A call that computes gradients opens with what comes before it, and is
    made once."""
    for kind, line in ("of input", "torch.autograd.grad("), (
            "of parameters", "loss.backward()"):
        mine, other, x = Learns(kind), Learns(kind), torch.ones(2, 3)
        want = other(x)
        got, text = said(["where", "print fc", "replace fc = torch.ones(2) -f"],
                         lambda script: fxdb.debug(mine, x, script=script))
        check(torch.equal(got, want) and same(state(mine), state(other)), text)
        check(all(torch.equal(a.grad, b.grad) for a, b in zip(
            mine.parameters(), other.parameters()) if b.grad is not None))
        check("the recording ends: gradients are computed here" in text and
              line in text and "$1 = f32[2,1]" in text and
              "has no result: the call is made as it was" in text and
              "raised:" not in text.partition("\n")[0], text)


class Rounds(torch.autograd.Function):
    """Has a backward that is not that of its forward."""

    @staticmethod
    def forward(context, x):
        return torch.round(x)

    @staticmethod
    def backward(context, grad):
        return grad


class Doubles(torch.autograd.Function):
    """Writes what it is given."""

    @staticmethod
    def forward(context, x):
        context.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(context, grad):
        return grad * 3


def test_own_backward():
    """Such a function is one node where it has gradients, and an edited call has
    its backward; one that writes is recorded by its calls, and that is said."""
    apply = inspect.getattr_static(torch.autograd.Function, "apply")
    model, x = nn.Linear(3, 3), torch.randn(2, 3)

    def rounded(x, last=torch.relu):
        return last(Rounds.apply(model(x) * 4))

    def frozen(x):
        with torch.no_grad():
            return torch.relu(Rounds.apply(model(x) * 4))

    def doubled(x, last=torch.relu):
        return last(Doubles.apply(model(x) + 1))

    def outcome(call):
        model.zero_grad(set_to_none=True)
        y = call(x)
        if y.requires_grad:
            y.square().sum().backward()
        return [y] + [p.grad.clone() for p in model.parameters()
                      if p.grad is not None]
    edit = "replace relu = torch.tanh(%s)"
    for root, name, is_whole in ((rounded, "rounds", True),
                                 (frozen, "round_1", False),
                                 (doubled, "mul_", False)):
        got, text = said(["nodes", edit % name, "run", "print output"],
                         lambda script: outcome(lambda x: fxdb.debug(
                             root, x, script=script)))
        check(not isinstance(got, BaseException), got, text)
        check(("whole.Rounds" in text) == is_whole, text)
        check(("has the forward of Doubles and not its backward" in text) ==
              (root is doubled), text)
        if root is not doubled:
            want = outcome(lambda x: rounded(x, torch.tanh)) if is_whole else \
                [torch.tanh(Rounds.apply(model(x) * 4)).detach()]
            check(len(got) == len(want) and all(map(torch.equal, got, want)),
                  got, want, text)
    check(inspect.getattr_static(torch.autograd.Function, "apply") is apply)


def test_checkpoint():
    """What torch.utils.checkpoint computes again has its gradients in an edited
    call, of either kind."""
    model = nn.Linear(3, 3)
    x = torch.randn(2, 3, requires_grad=True)
    for kind in True, False:
        def again(x, last=torch.relu):
            return last(checkpoint(model, x, use_reentrant=kind))

        def outcome(call):
            model.zero_grad(set_to_none=True)
            x.grad = None
            call(x).square().sum().backward()
            return [x.grad] + [p.grad.clone() for p in model.parameters()]
        got, text = said(["replace relu = torch.tanh(model)"],
                         lambda script: outcome(lambda x: fxdb.debug(
                             again, x, script=script)))
        want = outcome(lambda x: again(x, torch.tanh))
        check(not isinstance(got, BaseException) and
              all(map(torch.equal, got, want)), got, want, text)


class Broken(nn.Module):
    """A graph break, a loop, a branch in training."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.first = nn.Linear(4, 4)
        self.rest = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        y = self.first(x)
        if self.kind % 2:
            torch._dynamo.graph_break()
        if self.kind % 3 == 1:
            self.seen.add_(1)
        for _ in range(self.kind % 3):
            y = self.rest(y)
        return {"y": y.softmax(-1), "x": (x, y.sum())}


def steps(model, call):
    """What two steps of training give: results, gradients, buffers."""
    found = []
    for i in range(2):
        torch.manual_seed(i)
        result = call(torch.randn(3, 4))
        (result["y"].square().sum() + result["x"][1]).backward()
        found += [result["y"].detach(), result["x"][1].detach()]
    found += [p.grad for p in model.parameters() if p.grad is not None]
    return found + [b.clone() for b in model.buffers()]


def test_backend():
    """12 models as torch.compile gives their graphs, and 6 through AOTAutograd:
    two steps of training are eager's, bit for bit."""
    if torch.__version__.startswith("1."):
        return
    for kind in range(18):
        aot, kind = kind >= 12, kind % 12
        torch.manual_seed(kind)
        eager = Broken(kind)
        mine = copy.deepcopy(eager)
        torch._dynamo.reset()
        got, text = said(["nodes", "run"], lambda script: steps(
            mine, torch.compile(mine, backend=fxdb.backend(script=script,
                                                           aot=aot))))
        want = steps(eager, eager)
        check(not isinstance(got, BaseException), got, text)
        check(len(got) == len(want) and all(map(torch.equal, got, want))
              if not aot else
              all(torch.allclose(a, b) for a, b in zip(got, want)), kind, aot,
              text)
        check(all(name in text for name in (
            "first.weight", "first.bias", "L_x_")) and "primals" not in text and
              ", handed over by torch.compile (python3" in text, text)
        check(not aot or "backward_" in text, text)
        check(text.count("Finished") >= 1 + kind % 2, text)
    # Edited: later calls too; a script that fails raises.
    torch._dynamo.reset()
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    x = torch.randn(3, 2)
    got, text = said(["replace {target~\"*relu*\"} = torch.tanh($v)"],
                     lambda script: [call(x) for call in [torch.compile(
                         model, backend=fxdb.backend(script=script))] * 2])
    check(not isinstance(got, BaseException) and
          all(torch.equal(y, torch.tanh(model[0](x))) for y in got), got, text)

    def trained(script):
        """(And with other values of the parameters.)"""
        torch._dynamo.reset()
        call = torch.compile(model, backend=fxdb.backend(script=script,
                                                         aot=True))
        for scale in 1, 2:
            with torch.no_grad():
                model[0].weight.mul_(scale)
                check(torch.allclose(call(x), torch.tanh(model[0](x))))
    got, text = said(["replace relu = torch.ops.aten.tanh.default(addmm)"],
                     trained)
    check(got is None, got, text)


class Calls(nn.Module):
    """Has Dynamo put calls of graphs into its graph; SWAP is what the test edits
    in one of them."""

    def __init__(self, kind, swap=False):
        super().__init__()
        torch.manual_seed(0)
        self.kind = kind
        self.act = torch.tanh if swap else torch.relu
        self.a, self.b, self.c = (nn.Linear(3, 3) for _ in "abc")
        if kind == "region":
            self.region = torch.compiler.nested_compile_region(
                lambda x, y: self.part(x, y))

    def part(self, x, y):
        return self.act(self.b(x)) * y, torch.dropout(y, 0.5, True)

    def within(self, x, y):
        return self.checkpoint(self.part, x, y)

    def checkpoint(self, *args):
        return torch.utils.checkpoint.checkpoint(*args, use_reentrant=False)

    def forward(self, x):
        if self.kind == "region":
            # (Its backward wants a compiler of torch's.)
            with torch.no_grad():
                return torch.add(*self.region(*self.region(x, x)))
        y = self.a(x)
        y, z = self.checkpoint(
            self.part if self.kind == "checkpoint" else self.within, y, x)
        return self.c(y) * z


def test_calls():
    """Graphs that operators call run, are entered and edited; the calls have the
    gradients of eager models, when they compute them again too."""
    if torch.__version__.startswith("1."):
        print("skip calls: this torch has no torch.compile")
        return
    edits = {"checkpoint": "/wrap_body_0", "within": "/wrap_body_1.wrap_body_0",
             "region": "/subgraph_0"}
    for kind, path in edits.items():
        for swap in False, True:
            mine, other = Calls(kind), Calls(kind, swap)
            torch._dynamo.reset()
            # (Regions draw otherwise compiled than not.)
            torch.manual_seed(5)
            want = outcome(other, other if kind != "region" else
                           torch.compile(other, backend="eager"))
            torch._dynamo.reset()
            lines = ["run", "set $was = output", "set backend python", "run",
                     "assert torch.equal($was[0], output[0])",
                     "break %s.linear" % path[1:], "run", "where", "delete"]
            if swap:
                lines += ["graph " + path, "replace {target=torch.relu} = "
                          "torch.tanh(linear)"]
            def compiled(script):
                call = torch.compile(mine, backend=fxdb.backend(script=script))
                torch.manual_seed(5)
                return outcome(mine, call)
            got, text = said(lines, compiled)
            check(not isinstance(got, BaseException), got, text)
            check(all(map(torch.equal, got, want)), kind, swap, got, want, text)
            check(text.count("Finished") == 3 and "Breakpoint 1\n" in text, text)


class Stops(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        x = self.first(x)
        fxdb.breakpoint()
        return self.last(torch.relu(x))


def test_compiled():
    """What torch.compile gave is opened as what it was given; within others too.
    A breakpoint stops in the graph that it makes for the backend, which is one.
    """
    if torch.__version__.startswith("1."):
        return
    model, x = Stops(), torch.randn(3, 2)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="eager")

    @torch.compile(backend="eager")
    def function(x):
        return torch.relu(x) + 1

    class Around(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = compiled

        def forward(self, x):
            return self.part(x) * 2
    for root in compiled, function, Around():
        got, text = said(["nodes"], lambda script: fxdb.debug(
            root, x, script=script))
        check(torch.equal(got, root(x)) and "torch.relu" in text and
              "raised" not in text and "not opened" not in text, got, text)
    got, text = said(["replace {target=torch.relu} = torch.tanh(first)"],
                     lambda script: fxdb.debug(compiled, x, script=script))
    check(torch.equal(got, model.last(torch.tanh(model.first(x)))), got, text)
    for full, aot in (False, False), (True, False), (False, True):
        torch._dynamo.reset()
        got, text = said(["where"], lambda script: torch.compile(
            model, backend=fxdb.backend(script=script, aot=aot),
            fullgraph=full)(x))
        check(torch.equal(got, model(x)), got, text)
        check(text.count("handed over") == 1 and "Breakpoint 1" in text and
              ("=>   7 B  relu" if aot else "=>   6 B  relu") in text, text)
