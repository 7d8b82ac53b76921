"""Recording beside the model's own run, in one process: one run recorded
("--example"), the same run without us, the check of the recording, and, where
there is one, torch.export.  A person records once, so the first recording is
told, too; the figure is the least of several, with one thread.  The copy of
the parameters that goes to fxdb, as of any trace, is made before.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch

import fxdb
from fxdb import _check, _example, _weights

CALLS = 500
TIMES = 15
MOST_RUNS, MOST_MS = 2, 20


class Block(torch.nn.Module):
    """Ten calls."""

    def __init__(self, size):
        super().__init__()
        self.norm = torch.nn.LayerNorm(size)
        self.up = torch.nn.Linear(size, 2 * size)
        self.down = torch.nn.Linear(size, size)

    def forward(self, x):
        a, b = self.up(self.norm(x)).chunk(2, -1)
        y = self.down(torch.sigmoid(a) * b).transpose(0, 1)
        return x + y.transpose(0, 1)


def milliseconds(call):
    begin = time.perf_counter()
    result = call()
    return 1e3 * (time.perf_counter() - begin), result


def least(call, times=TIMES):
    return min(milliseconds(call)[0] for _ in range(times))


def export(model, given):
    """What torch.export takes for the same, the first time and again."""
    if not hasattr(torch, "export"):
        return "no torch.export there"
    first, again = (milliseconds(lambda: torch.export.export(
        model, (), dict(given)))[0] for _ in range(2))
    return "torch.export %.0f ms (first %.0f)" % (again, first)


def measure(name, model, given):
    """Print the rows of MODEL; whether the bar is kept."""
    seen = []

    def record():
        seen[:] = fxdb.Tracer(), _check.copy(given)
        return _example.record(seen[0], model, seen[1], state)[0]

    def run():
        with torch.no_grad():
            return model(**given)
    run()
    copying, state = milliseconds(lambda: _weights.tensors_of(model))
    eager = least(run)
    first, graph = milliseconds(record)
    recording = least(record)
    calls = sum(node.op.startswith("call_") for node in graph.nodes)
    graph = record()
    check, found = milliseconds(lambda: _check.check(
        model, seen[0], graph, given, 1000, state))
    assert found["difference"] == 0.0, found
    with torch.no_grad():
        graph_run = least(lambda: _check.interpret(seen[0].root, graph, given))
    bar = MOST_RUNS * eager + MOST_MS
    what = "record %s, %d calls, torch %s" % (name, calls, torch.__version__)
    print("%s\t%.1f ms (first %.1f)%s\t%.1f ms\teager %.1f ms, the parameters' copy %.1f ms, "
          "%s" % (
        what, recording, first, "  OVER" if recording > bar else "",
        bar, eager, copying, export(model, given)))
    print("%s, its check\t%.1f ms\t\teager %.1f ms, the graph %.1f ms, each of "
          "which it runs on other values and on other sizes" % (
              what, check, eager, graph_run), flush=True)
    return recording <= bar


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    good = True
    for name, size, rows in ("small values", 16, 4), ("large values", 256, 512):
        model = torch.nn.Sequential(*[Block(size) for _ in
                                      range(CALLS // 10)]).eval()
        good &= measure(name, model, {"input": torch.randn(rows, size)})
    return 0 if good else 1


sys.exit(main())
