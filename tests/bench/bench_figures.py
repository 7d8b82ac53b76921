"""Whole commands on large graphs, each beside its aim and what torch.fx takes for
the same in this run.  A figure is the processor time of the process with the
command less that without it, the least of several: other programs on the
machine do not count.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

FXDB = os.environ["FXDB"]
EXAMPLES = os.path.join(os.environ["FXDB_SRCDIR"], "doc/examples")
TIMES = 7
good = True


def used():
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return now.ru_utime + now.ru_stime


def cost(commands):
    arguments = [FXDB, "-nx", "-batch", "-ex", "set backend meta"]
    for command in commands:
        arguments += ["-ex", command]
    least = 1e9
    for _ in range(TIMES):
        before = used()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        least = min(least, used() - before)
    return 1e3 * least


def row(what, before, command, aim, beside=""):
    global good
    took = cost(before + [command]) - cost(before)
    over = aim is not None and took > aim
    good &= not over
    print("%s\t%.1f ms%s\t%s\t%s" % (
        what, took, "  OVER" if over else "",
        "%g ms" % aim if aim is not None else "", beside), flush=True)


def write(path, lines):
    with open(path, "w") as file:
        file.write("def forward(self, x):\n")
        for line in lines:
            file.write("    %s\n" % line)


def chain(path, count):
    last = "x"
    lines = []
    for i in range(count - 2):
        lines.append("n%d = torch.%s(%s)" % (
            i, "tanh" if i % 10 else "relu", last))
        last = "n%d" % i
    write(path, lines + ["return " + last])


def hub(path, users):
    lines = ["h = torch.relu(x)", "g = torch.tanh(x)"]
    lines += ["a%d = torch.add(h, %d)" % (i, i) for i in range(users)]
    write(path, lines + ["return a0"])


def torch_times():
    """What torch.fx takes for a replacement of 90,000 nodes, and for a hub."""
    try:
        import torch
        import torch.fx
    except ImportError:
        return "no torch there", "no torch there"
    graph = torch.fx.Graph()
    last = graph.placeholder("x")
    for i in range(100000 - 2):
        last = graph.create_node("call_function",
                                 torch.tanh if i % 10 else torch.relu,
                                 (last,), name="n%d" % i)
    graph.output(last)
    begin = time.process_time()
    for number, node in enumerate(list(graph.nodes)):
        if node.target is torch.tanh:
            with graph.inserting_after(node):
                new = graph.create_node("call_function", torch.sigmoid,
                                        node.args, name="m%d" % number)
            node.replace_all_uses_with(new)
            graph.erase_node(node)
    replaced = 1e3 * (time.process_time() - begin)
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    one = graph.create_node("call_function", torch.relu, (x,), name="h")
    other = graph.create_node("call_function", torch.tanh, (x,), name="g")
    for i in range(10000):
        last = graph.create_node("call_function", torch.add, (one, i),
                                 name="a%d" % i)
    graph.output(last)
    begin = time.process_time()
    one.replace_all_uses_with(other)
    rewired = 1e3 * (time.process_time() - begin)
    return "torch.fx %.0f ms" % replaced, "torch.fx %.0f ms" % rewired


with tempfile.TemporaryDirectory() as folder:
    many = os.path.join(folder, "many.py")
    wide = os.path.join(folder, "wide.py")
    some = os.path.join(folder, "some.py")
    chain(many, 100000)
    hub(wide, 10000)
    chain(some, 1000)
    replaced, rewired = torch_times()
    row("F1 replace 90,000 of 100,000 nodes",
        ["load " + many, "shapes x=f32[4]"],
        "replace {target ~ \"tanh\"} = torch.sigmoid($v)", 100, replaced)
    row("F7 rauw of a hub with 10,000 users",
        ["load " + wide, "shapes x=f32[4]"], "rauw h g", 10, rewired)
    row("F9 draw -T dot, 1,000 nodes", ["load " + some],
        "draw -T dot -o " + os.path.join(folder, "a.dot"), None)
    row("F11 load of resnet18, with its shapes", [],
        "load %s/resnet18.fxg" % EXAMPLES, None)
sys.exit(not good)
