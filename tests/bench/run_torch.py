"""What torch.fx's Interpreter takes above the same operator in a Python loop:
nanoseconds a node of a chain of neg on four elements, difference of medians of
15 alternating runs, as bench_run.c measures ours.
"""
import statistics
import sys
import time

import torch
import torch.fx

COUNT = int(sys.argv[1])
RUNS = 15

graph = torch.fx.Graph()
last = graph.placeholder("x")
for i in range(COUNT):
    last = graph.create_node("call_function", torch.neg, (last,),
                             name=f"n{i}")
graph.output(last)
interpreter = torch.fx.Interpreter(
    torch.fx.GraphModule(torch.nn.Module(), graph))
x = torch.randn(4)


def timed(function):
    begin = time.perf_counter()
    function()
    return 1e9 * (time.perf_counter() - begin)


def loop():
    for _ in range(COUNT):
        torch.neg(x)


with torch.no_grad():
    timed(lambda: interpreter.run(x)), timed(loop)
    pairs = [(timed(lambda: interpreter.run(x)), timed(loop))
             for _ in range(RUNS)]
theirs = statistics.median(a for a, _ in pairs)
bare = statistics.median(b for _, b in pairs)
print((theirs - bare) / COUNT, bare / COUNT)
