"""Record in which order torch.fx lists users: tests/data/users.tsv.

    python3 tests/parity/record_users.py >tests/data/users.tsv

Lines, tab separated; lists have commas:
    new                     a new graph, with a placeholder x
    make NAME ARGS KWARGS   a node at the end; the first argument in a list
    args NAME ARGS KWARGS   other arguments, the first one in a list
    rauw OLD NEW            replace_all_uses_with
    erase NAME
    users NAME USERS        what node.users holds then, for every node
"""

import random

import torch
import torch.fx


def arguments(rng, nodes):
    args = [rng.choice(nodes) for _ in range(rng.randrange(1, 4))]
    kwargs = {key: rng.choice(nodes) for key in "ab" if rng.random() < 0.3}
    return args, kwargs


def show(kind, name, args, kwargs):
    print(kind, name, ",".join(a.name for a in args),
          ",".join(k + "=" + v.name for k, v in kwargs.items()), sep="\t")


def nest(args):
    return ([args[0]], *args[1:])


def step(rng, graph, number):
    nodes = list(graph.nodes)
    kind = rng.choice(["make", "make", "make", "args", "args", "rauw",
                       "erase"])
    at = rng.randrange(len(nodes))
    if kind == "make":
        args, kwargs = arguments(rng, nodes)
        name = f"n{number}"
        show("make", name, args, kwargs)
        graph.create_node("call_function", torch.relu, nest(args), kwargs,
                          name=name)
    elif kind == "args" and at > 0:
        args, kwargs = arguments(rng, nodes[:at])
        show("args", nodes[at].name, args, kwargs)
        nodes[at].args = nest(args)
        nodes[at].kwargs = kwargs
    elif kind == "rauw" and at > 0:
        new = nodes[rng.randrange(at)]
        print("rauw", nodes[at].name, new.name, sep="\t")
        nodes[at].replace_all_uses_with(new)
    elif kind == "erase" and at > 0 and not nodes[at].users:
        print("erase", nodes[at].name, sep="\t")
        graph.erase_node(nodes[at])


for seed in range(30):
    rng = random.Random(seed)
    graph = torch.fx.Graph()
    graph.placeholder("x")
    print("new")
    for number in range(40):
        step(rng, graph, number)
        if number % 8 == 7:
            for node in graph.nodes:
                print("users", node.name,
                      ",".join(u.name for u in node.users), sep="\t")
