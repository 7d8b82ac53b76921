"""fxdb.debug where gradients or autocast change, and fxdb.backend, beside eager
PyTorch."""
import copy
import inspect

from debug_parts import check, said, same, state

import torch
from torch import nn

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


def test_own_backward():
    """An edited call says that it has not the backward of such a function."""
    apply = inspect.getattr_static(torch.autograd.Function, "apply")
    model = nn.Linear(3, 3)

    def rounded(x):
        return torch.relu(Rounds.apply(model(x) * 4))

    def frozen(x):
        with torch.no_grad():
            return rounded(x)
    for root, edit, is_said in ((rounded, "run", False), (frozen, None, False),
                                (rounded, None, True)):
        _, text = said([edit or "replace relu = torch.tanh(round_1)",
                        "info trace"], lambda script: fxdb.debug(
            root, torch.randn(2, 3), script=script))
        check(("has the forward of Rounds and not its backward" in text) ==
              is_said, text)
    check(inspect.getattr_static(torch.autograd.Function, "apply") is apply)


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
    for full in False, True:
        torch._dynamo.reset()
        got, text = said(["where"], lambda script: torch.compile(
            model, backend=fxdb.backend(script=script), fullgraph=full)(x))
        check(torch.equal(got, model(x)), got, text)
        check(text.count("handed over") == 1 and "Breakpoint 1" in text and
              "=>   6 B  relu" in text, text)
