"""Members of an Enum and dataclasses, traced, run, saved and given back: where
torch takes them, else refused by name.
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx

import fxdb
from session import Session, check, find, raises

IS_2 = not torch.__version__.startswith("1.")
MODEL = """
import dataclasses, enum
import torch
from torch import nn
from torch.nn import functional as F

class Kind(enum.Enum):
    FAST = 1

class Dim(enum.IntEnum):
    LAST = 1

class Word(str, enum.Enum):
    MEAN = "mean"

@dataclasses.dataclass
class Out:
    value: object
    kind: object = None

@torch.fx.wrap
def scaled(x, kind):
    assert kind is Kind.FAST or kind is Dim.LAST, kind
    return x * 2

class Plain(nn.Module):
    def forward(self, x):
        y = x.sum(Dim.LAST) * Dim.LAST
        return scaled(y + F.mse_loss(x, x, reduction=Word.MEAN), Dim.LAST)

@torch.fx.wrap
def opened(out):
    return out.value + 1

class Opens(nn.Module):
    def forward(self, x):
        return Out(opened(Out(x * 2)), Kind.FAST)

class Any(nn.Module):
    def forward(self, x):
        return Out(scaled(x, Kind.FAST), Kind.FAST)
"""


def in_folder(test):
    def run():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "models.py")
            with open(path, "w") as file:
                file.write(MODEL)
            test(path)
    run.__name__ = test.__name__
    return run


@in_folder
def test_members_that_are_numbers(path):
    """They run on every backend, also from a file."""
    session = Session()
    session.run("trace %s:Plain" % path)
    for backend in "python", "auto":
        session.run("set backend " + backend)
        session.run("input x = torch.ones(2, 2)")
        find(session.run("run"), "Finished")
        find(session.run("print output.tolist()"), r"\[4.0, 4.0\]")
    find(session.run("list"), r"Dim\.LAST" if IS_2 else r"<Dim\.LAST: 1>")
    find(session.run("info node sum_1"), r"opaque\('<Dim.LAST: 1>', ")
    saved = path + ".fxg"
    find(session.run("save " + saved), "saved")
    session.run("load " + saved)
    find(session.run("shapes x=f32[2,2]"), "5 nodes with a shape, 2 without")
    find(session.run("dump fx"), r"scaled\]\(args = \(%add, 1\)")
    session.end()


@in_folder
def test_members_and_dataclasses(path):
    """Code, a run in Python, and a file."""
    session = Session()
    said = session.run("trace %s:Any" % path)
    if not IS_2:
        find(said, "NotImplementedError: a value of type <enum 'Kind'>")
        session.end()
        return
    find(session.run("dump python"), r"scaled\(x, Kind\.FAST\)",
         r"models_Out\(value = scaled, kind = Kind\.FAST\)")
    session.run("input x = torch.ones(2)")
    find(session.run("run"), "Finished")
    # Its parts, each as what it is.
    find(session.run("print output"), "'value': f32\\[2\\]  min 2@",
         "'kind': <Kind.FAST: 1>")
    session.run("save %s.fxg" % path)
    before = session.run("dump python")
    session.run("load %s.fxg" % path)
    assert session.run("dump python") == before
    session.end()


@in_folder
def test_recorded_runs(path):
    """A dataclass is the result where torch takes it, else what it holds; one
    that is an argument is seen through."""
    session = Session()
    for name, last in ("Any", "scaled" if IS_2 else "mul"), ("Opens", "add"):
        find(session.run("trace %s:%s --example -i x=f32[2]" % (path, name)),
             "one real run recorded .* and checked")
        find(session.run("dump python"),
             r"models_Out\(value = %s, kind = Kind.FAST\)" % last if IS_2
             else "return {'value': %s}" % last)
    session.end()


def test_to_torch_gives_them_back():
    names = {"__name__": "fxdb_models"}
    exec(compile(MODEL, "models.py", "exec"), names)
    if IS_2:
        graph = fxdb.symbolic_trace(names["Any"]())
        node = list(graph.to_torch().graph.nodes)[1]
        assert node.args[1] is names["Kind"].FAST
        out = graph.to_torch()(torch.ones(2))
        assert out.kind is names["Kind"].FAST and out.value.tolist() == [2, 2]
    else:
        raises(NotImplementedError,
               lambda: fxdb.symbolic_trace(names["Any"]()), "is an argument")
    graph = fxdb.symbolic_trace(names["Plain"]())
    for node in graph.nodes:
        if node.name == "scaled":
            assert node.args[1] is names["Dim"].LAST


if __name__ == "__main__":
    sys.exit(check([value for name, value in list(globals().items())
                    if name.startswith("test_")]) > 0)
