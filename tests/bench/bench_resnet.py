"""resnet50 run in fxdb against eager PyTorch of the same libtorch and threads:
pairs of runs in turn, the median of their ratios; with every value kept, as
fxdb is set up, and with none that is not needed further on.
"""
import os
import statistics
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../parity/capture"))
import torch

from session import DATA, Session

sys.path.insert(0, DATA)
import seeded  # noqa: E402

PAIRS = 15
BAR = 1.03


def compare(session, model, x):
    """The pairs of milliseconds, ours and theirs."""
    pairs = []
    session.run("run")
    model(x)
    for _ in range(PAIRS):
        begin = time.perf_counter()
        session.run("run")
        middle = time.perf_counter()
        model(x)
        end = time.perf_counter()
        pairs.append((1e3 * (middle - begin), 1e3 * (end - middle)))
    return pairs


def main():
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    model = seeded.model("resnet50")
    x = torch.randn(1, 3, 224, 224)
    session = Session()
    session.run("set backend torch")
    session.run("trace seeded.py:model(\"resnet50\")")
    session.run("input x = randn(1,3,224,224)")
    over = False
    with torch.no_grad():
        for setting in "on", "off":
            session.run("set record values " + setting)
            pairs = compare(session, model, x)
            ratio = statistics.median(a / b for a, b in pairs)
            over |= ratio > BAR
            print("run resnet50, %d threads, record values %s\t%.1f ms, "
                  "median ratio %.3f%s\t%.2f\teager %.1f ms" % (
                      torch.get_num_threads(), setting,
                      statistics.median(a for a, _ in pairs), ratio,
                      "  OVER" if ratio > BAR else "", BAR,
                      statistics.median(b for _, b in pairs)), flush=True)
    session.end()
    return over


sys.exit(main())
