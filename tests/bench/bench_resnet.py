"""resnet50 run in fxdb against eager PyTorch of the same libtorch and threads:
pairs of runs in turn, the median of their ratios; with every value kept, as
fxdb is set up, and with none that is not needed further on, as in eager
PyTorch.  Beside the first, what keeping costs anybody: eager PyTorch that keeps
every value too, by hooks; and eager PyTorch's run, which writes where it wrote
just before, with as many bytes as are kept written elsewhere.
"""
import os
import re
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


class Keeping:
    """MODEL called so that the outputs of all its layers live on until the
    next call, also those that would be written in place.
    """

    def __init__(self, model):
        self.model = model
        self.values = []
        for layer in model.modules():
            if getattr(layer, "inplace", False):
                layer.inplace = False
            if not list(layer.children()):
                layer.register_forward_hook(self.keep)

    def keep(self, layer, inputs, output):
        self.values.append(output)

    def __call__(self, x):
        self.values.clear()
        return self.model(x)


def megabytes(session):
    """What a run left in memory: values, and what was overwritten in place."""
    said = session.run("info record")
    found = re.findall(r"^(?:held|overwritten) +([\d.]+) MB$", said, re.M)
    return sum(float(number) for number in found)


def report_writing(size, pairs):
    """A row: SIZE megabytes written by all threads, above eager's time."""
    memory = torch.zeros(int(size * 2**20) // 4)
    eager = statistics.median(b for _, b in pairs)
    times = []
    for turn in range(PAIRS):
        begin = time.perf_counter()
        memory.fill_(turn)
        times.append(1e3 * (time.perf_counter() - begin))
    writing = statistics.median(times)
    print("write as much as is kept, %.0f MB, %d threads\t%.1f ms, with "
          "eager's run ratio %.3f\t\t" % (
              size, torch.get_num_threads(), writing,
              (eager + writing) / eager), flush=True)


def report(what, pairs, bar):
    """A row of the table; whether the ratio is over BAR, if there is one."""
    ratio = statistics.median(a / b for a, b in pairs)
    over = bar is not None and ratio > bar
    print("run resnet50, %d threads, %s\t%.1f ms, median ratio %.3f%s\t%s\t"
          "eager %.1f ms" % (
              torch.get_num_threads(), what,
              statistics.median(a for a, _ in pairs), ratio,
              "  OVER" if over else "", "" if bar is None else bar,
              statistics.median(b for _, b in pairs)), flush=True)
    return over


WATCHED = 1.1
WHY_SECONDS = 3


def watch(session):
    """Runs in turn, with and without a watch that stops at nothing."""
    pairs = []
    session.run("watch nonfinite")
    for _ in range(PAIRS):
        times = []
        for what in "enable", "disable":
            session.run(what + " 1")
            begin = time.perf_counter()
            session.run("run")
            times.append(1e3 * (time.perf_counter() - begin))
        pairs.append(times)
    ratio = statistics.median(a / b for a, b in pairs)
    print("run resnet50, watch nonfinite, %d threads\t%.1f ms, median ratio "
          "%.3f%s\t%s\twithout %.1f ms" % (
              torch.get_num_threads(), statistics.median(a for a, _ in pairs),
              ratio, "  OVER" if ratio > WATCHED else "", WATCHED,
              statistics.median(b for _, b in pairs)), flush=True)
    return ratio > WATCHED


def why(session):
    """One variance below zero, from the middle of the model."""
    session.run("set value layer3.2.bn2.running_var = "
                "torch.sub($v, torch.mul(torch.max($v), 2))")
    session.run("run")
    begin = time.perf_counter()
    said = session.run("why nan")
    seconds = time.perf_counter() - begin
    over = seconds > WHY_SECONDS or "layer3.2.bn2.running_var[" not in said
    print("why nan, resnet50, %d threads\t%.2f s%s\t%d s\t" % (
        torch.get_num_threads(), seconds, "  OVER" if over else "",
        WHY_SECONDS), flush=True)
    return over


def main():
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    model = seeded.model("resnet50")
    x = torch.randn(1, 3, 224, 224)
    session = Session()
    session.run("set backend torch")
    session.run("trace seeded.py:model(\"resnet50\")")
    session.run("input x = randn(1,3,224,224)")
    with torch.no_grad():
        pairs = compare(session, model, x)
        over = report("every value kept", pairs, BAR)
        report_writing(megabytes(session), pairs)
        report("against one that keeps all, too",
               compare(session, Keeping(seeded.model("resnet50")), x), None)
        session.run("set record values off")
        over |= report("record values off", compare(session, model, x), BAR)
        session.run("set record values on")
        over |= watch(session)
        over |= why(session)
    session.end()
    return over


sys.exit(main())
