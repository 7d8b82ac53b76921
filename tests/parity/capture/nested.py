"""Graphs within graphs through from_torch, files and the debugger: GraphModules
that are called, and those that branches and loops name.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace")
sys.path.insert(0, DATA)

import torch
import torch.fx
from torch.utils import _pytree

import oracle  # noqa: F401  which repairs torch.fx
import within
import fxdb  # noqa: E402  after the oracle
from torch_graphs import differs, same

IS_2 = not torch.__version__.startswith("1.")


def inner(module):
    """The GraphModules right below MODULE."""
    return {name: each for name, each in module.named_modules()
            if name and isinstance(each, torch.fx.GraphModule)
            and not any(name.startswith(other + ".")
                        for other, above in module.named_modules()
                        if other and isinstance(above, torch.fx.GraphModule)
                        and other != name)}


def agrees(name, ours, back, module):
    """OURS, a Graph, and BACK, a module of it, have all that MODULE has, and so
    have the graphs within."""
    assert str(ours).strip() == str(module.graph).strip(), (name, str(ours))
    assert isinstance(back, torch.fx.GraphModule), (name, type(back))
    assert str(back.graph) == str(module.graph), (name, str(back.graph))
    graphs = inner(module)
    assert ours.graphs.keys() == graphs.keys(), (name, ours.graphs.keys())
    for path, below in graphs.items():
        agrees(name + " " + path, ours.graphs[path], back.get_submodule(path),
               below)
    return len(graphs)


def goes_through(name, given, folder, count):
    module = given.module() if hasattr(given, "module") else given
    for node in module.graph.nodes:  # a check of inputs, of torch.export's
        if node.target == "_guards_fn":
            module.graph.erase_node(node)
    module.recompile()
    ours = fxdb.from_torch(module)
    assert isinstance(module, torch.fx.GraphModule)
    problem = differs(module)
    assert not problem, (name, problem)
    assert agrees(name, ours, ours.to_torch(), module) == count, name
    path = os.path.join(folder, name + ".fxg")
    ours.save(path)
    for _ in range(2):
        loaded = fxdb.load(path)
        back = loaded.to_torch()
        agrees(name, loaded, back, module)
        for x in torch.ones(2, 4), -torch.ones(2, 4):
            # (A file does not keep of which containers results are.)
            got, want = (_pytree.tree_flatten(
                torch.fx.Interpreter(each).run(x))[0]
                for each in (back, module))
            assert same(got, want), (name, got, want)
        loaded.save(path)
    print("ok  ", name)


def debugged(spec, inside, result, folder):
    """Both backends stop at INSIDE in a graph within, and end as eager does."""
    for backend in "python", "torch":
        to = os.path.join(folder, "out.npy")
        done = subprocess.run(
            [os.environ["FXDB"], "-nx", "-batch", "--python",
             os.environ["FXDB_PYTHON"], "-ex", "seed 7", "-ex",
             "trace within.py:" + spec,
             "-ex", "set backend " + backend,
             "-ex", "input x = ones(2, 4)",
             "-ex", "break " + inside, "-ex", "run", "-ex", "where",
             "-ex", "step", "-ex", "reverse-step", "-ex", "delete",
             "-ex", "continue", "-ex", "dump value %s %s" % (result, to),
             "-ex", "save %s/debugged.fxg" % folder],
            cwd=DATA, capture_output=True, text=True)
        assert done.returncode == 0, (spec, done.stdout, done.stderr)
        frame = inside.rpartition(".")[0]
        assert "Breakpoint 1\n" in done.stdout and \
            " %s " % frame in done.stdout, done.stdout
        torch.manual_seed(7)
        model = eval(spec, vars(within))
        model = (model.module() if hasattr(model, "module") else model.eval())
        want = model(torch.ones(2, 4))
        import numpy
        got = torch.from_numpy(numpy.load(to))
        want = want[0] if isinstance(want, (tuple, list)) else want
        assert torch.allclose(got.reshape(want.shape), want, atol=1e-6), \
            (spec, backend, got, want)
    print("ok   debugged", spec)


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        goes_through("split", within.split(), folder, 3)
        goes_through("deep", within.split(deep=True), folder, 1)
        debugged("split()", "submod_1.c", "output", folder)
        debugged("split(deep=True)", "inner.submod_1.c", "output", folder)
        if IS_2:
            for kind, count in (within.Branches, 2), (within.Nests, 2), \
                    (within.Loop, 2):
                goes_through(kind.__name__, within.program(kind), folder,
                             count)
            debugged("program(Branches)", "true_graph_0.sin", "add", folder)
            debugged("program(Nests)", "true_graph_0.false_graph_0.linear",
                     "getitem", folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
