"""resnet50 run in fxdb, every value kept, against eager PyTorch of the same
libtorch and threads: pairs of runs in turn, the median of their ratios.
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


def main():
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    model = seeded.model("resnet50")
    x = torch.randn(1, 3, 224, 224)
    session = Session()
    session.run("set backend torch")
    session.run("trace seeded.py:model(\"resnet50\")")
    session.run("input x = randn(1,3,224,224)")
    session.run("run")
    pairs = []
    with torch.no_grad():
        model(x)
        for _ in range(PAIRS):
            begin = time.perf_counter()
            session.run("run")
            middle = time.perf_counter()
            model(x)
            end = time.perf_counter()
            pairs.append((1e3 * (middle - begin), 1e3 * (end - middle)))
    session.end()
    ratio = statistics.median(ours / theirs for ours, theirs in pairs)
    print("resnet50, %d threads: fxdb %.1f ms, eager %.1f ms, median ratio "
          "%.3f (bar %.2f)" % (
              torch.get_num_threads(),
              statistics.median(ours for ours, _ in pairs),
              statistics.median(theirs for _, theirs in pairs), ratio, BAR))
    return ratio > BAR


sys.exit(main())
