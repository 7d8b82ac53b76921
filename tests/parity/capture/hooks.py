"""The hooks of a Tracer's subclass beside torch.fx's: asked for the same things,
in the same order, with the same graph after; what is not asked is refused.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx
from torch import nn

import oracle  # noqa: F401  which repairs torch.fx
import fxdb  # noqa: E402  after the oracle
from fxdb import _partial  # noqa: E402
from session import DATA, raises

sys.path.insert(0, DATA)
import remedies  # noqa: E402


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.inner = nn.Sequential(nn.ReLU(), nn.Linear(2, 2))

    def forward(self, x, d):
        y = self.inner(self.fc(x)) + torch.sin(x).neg()
        if y.sum() > 0:
            y = y * 2
        a = [item + 1 for item in y]
        return a, [k for k in d.keys()], dict(**d)

    def other(self, x):
        return self.fc(x) - 1


def hooked(base, told):
    """A Tracer that answers every hook, as torch.fx asks it."""
    class Mine(base):
        def call_module(self, m, forward, args, kwargs):
            told.append(("module", type(m).__name__, len(args)))
            if isinstance(m, nn.ReLU):
                return args[0].tanh()
            return super().call_module(m, forward, args, kwargs)

        def to_bool(self, obj):
            told.append(("bool", obj.node.name))
            return True

        def iter(self, obj):
            told.append(("iter", obj.node.name))
            if obj.node.name.startswith("keys"):
                return iter(["p", "q"])
            return iter([obj[0], obj[1]])

        def keys(self, obj):
            told.append(("keys", obj.node.name))
            return super().keys(obj) if len(told) % 2 else ["a", "b"]

        def create_proxy(self, kind, target, args, kwargs, name=None,
                         type_expr=None, proxy_factory_fn=None):
            if kind.startswith("call"):
                told.append((kind, str(getattr(target, "__name__", target))))
            return super().create_proxy(kind, target, args, kwargs, name,
                                        type_expr, proxy_factory_fn)
    return Mine


@fxdb.wrap
@torch.fx.wrap
def kept_whole(x):
    return x + 1


def check_create_proxy():
    """What create_proxy is told besides the call: names that torch.fx chooses,
    and that a function is wrapped stays known."""
    told = {fxdb: [], torch.fx: []}

    def traced(package):
        class Names(package.Tracer):
            def create_proxy(self, kind, target, args, kwargs, name=None,
                             type_expr=None, proxy_factory_fn=None):
                if kind.startswith("call"):
                    told[package].append((kind, name))
                    name = name or "mine"
                return super().create_proxy(kind, target, args, kwargs, name,
                                            type_expr)
        return Names().trace(lambda x: kept_whole(
            torch.add(torch.relu(x.neg()), x) + 2))
    mine, other = traced(fxdb), traced(torch.fx)
    assert told[fxdb] == told[torch.fx], told
    assert str(mine) == str(other).strip(), "\n%s\n%s" % (mine, other)
    code = torch.fx.GraphModule({}, other).code
    assert "wrap(" in code and \
        mine.to_torch().code == code, mine.to_torch().code


def check_partial():
    """What cannot be traced is kept whole: torch.fx's graph with those leaves."""
    torch.manual_seed(0)
    root = remedies.Hides()
    graph, kept = _partial.trace(fxdb.Tracer(), root, None)
    assert [note[2] for note in kept] == ["first.0", "last"], kept
    assert all(note[0].endswith("remedies.py") and "truth" in note[3]
               for note in kept), kept

    class Leaves(torch.fx.Tracer):
        def is_leaf_module(self, module, path):
            return path in ("first.0", "last") or \
                super().is_leaf_module(module, path)
    other = Leaves().trace(root)
    assert str(graph) == str(other).strip(), graph
    x = torch.randn(3, 2)
    assert torch.equal(graph.to_torch()(x), root(x))
    # What its own code decides nobody can keep whole.
    raises(torch.fx.proxy.TraceError, lambda: _partial.trace(
        fxdb.Tracer(), remedies.causes.Decides(), None), "the truth")


def main():
    check_create_proxy()
    check_partial()
    ours, theirs = [], []
    mine = hooked(fxdb.Tracer, ours)().trace(Hooked())
    other = hooked(torch.fx.Tracer, theirs)().trace(Hooked())
    assert ours == theirs, "\n%s\n%s" % (ours, theirs)
    assert str(mine) == str(other).strip(), "\n%s\n%s" % (mine, other)
    assert {kind for kind, *_ in ours} == {
        "module", "bool", "iter", "keys", "call_module", "call_function",
        "call_method"}, ours

    class Method(fxdb.Tracer):
        traced_func_name = "other"
    assert [node.name for node in Method().trace(Hooked()).nodes] == [
        "x", "fc", "sub", "output"]
    # The defaults refuse, as without a subclass.
    for base in (fxdb.Tracer, torch.fx.Tracer):
        class Asks(base):
            def to_bool(self, obj):
                return super().to_bool(obj)

            def iter(self, obj):
                return super().iter(obj)
        raises(torch.fx.proxy.TraceError, lambda: Asks().trace(
            lambda x: 1 if x else 2), "control flow")
        raises(torch.fx.proxy.TraceError,
               lambda: Asks().trace(lambda x: [i for i in x]))

    class Nothing(fxdb.Tracer):
        def create_proxy(self, *args, **kwargs):
            return 3
    raises(TypeError, lambda: Nothing().trace(lambda x: x.y + 1), "no Proxy")
    for name in "create_node", "proxy", "getattr", "create_args_for_root":
        made = type("Made", (fxdb.Tracer,), {name: lambda *args: None})
        raises(NotImplementedError, lambda: made().trace(Hooked()),
               "Made." + name)
    made = type("Made", (fxdb.Tracer,), {"proxy_buffer_attributes": True})
    raises(NotImplementedError, lambda: made().trace(Hooked()), "switch")


main()
