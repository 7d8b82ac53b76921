"""What torch.fx takes for what bench_graph.c measures: "NAME MS" a line."""

import operator
import sys
import time

import torch
import torch.fx

COUNT = int(sys.argv[1])


def build():
    graph = torch.fx.Graph()
    last = graph.placeholder("x")
    hub = last = graph.create_node("call_function", torch.relu, (last,))
    for i in range(3, COUNT):
        # Names of their own: automatic ones take torch 1.13 many minutes.
        if i % 10:
            last = graph.create_node(
                "call_function", torch.relu, (last,), name=f"r{i}")
        else:
            last = graph.create_node(
                "call_function", operator.add, (last, hub), name=f"a{i}")
    graph.output(last)
    return graph, hub


def measure(name, function):
    start = time.perf_counter()
    result = function()
    print(name, round((time.perf_counter() - start) * 1e3, 2), flush=True)
    return result


graph, hub = measure("build", build)
measure("code", lambda: graph.python_code("self"))
measure("listing", lambda: str(graph))
measure("lint", graph.lint)
first = next(iter(graph.nodes))
measure("rauw", lambda: hub.replace_all_uses_with(
    first, lambda user: user is not hub))
next(reversed(graph.nodes)).args = (first,)
measure("dce", graph.eliminate_dead_code)
