"""Passes that do what no pass should.  The docstring of each is what a person has
to read, as a regular expression; the graph, its values, undo and breakpoints are
as before.
"""
import os
import random
import signal
import sys
import threading
import time

import torch
import torch.fx
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.fc1 = nn.Linear(4, 4)
        self.act = nn.ReLU()
        self.fc2 = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x))) + x


class Other(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc1(x)


def _nodes(module):
    return list(module.graph.nodes)


# -- what it returns ---------------------------------------------------------

def itself(module):
    """no candidates"""
    return module


def anothers_graph(module):
    """refused: .* changed output: max rel"""
    return torch.fx.symbolic_trace(Other())


def another_module(module):
    """returned an Other, no torch.fx.GraphModule"""
    return Other()


def number(module):
    """returned an int, no torch.fx.GraphModule"""
    return 42


async def waits(module):
    """returned a coroutine, no torch.fx.GraphModule"""
    return module


def yields(module):
    """returned a generator, no torch.fx.GraphModule"""
    yield module


def wants_more(module, other):
    """raised TypeError: wants_more\\(\\) missing 1 required"""


# -- graphs that cannot be ---------------------------------------------------

def cycle(module):
    """made a graph that cannot be: Argument 'act' of Node 'fc1' was used before"""
    _nodes(module)[1].args = (_nodes(module)[2],)


def foreign_node(module):
    """made a graph that cannot be: Argument 'y' .* does not belong to this Graph"""
    _nodes(module)[4].args = (torch.fx.Graph().placeholder("y"), 1)


def no_output(module):
    """made a graph that cannot be: it has no output"""
    module.graph.erase_node(_nodes(module)[-1])


def two_outputs(module):
    """made a graph that cannot be: it has 2 outputs"""
    module.graph.output(_nodes(module)[1])


def behind_output(module):
    """made a graph that cannot be: neg stands behind the output"""
    module.graph.create_node("call_function", torch.neg, (_nodes(module)[1],))


def no_target(module):
    """made a graph that cannot be: Node fc1 target nowhere references"""
    _nodes(module)[1].target = "nowhere"


def odd_opcode(module):
    """made a graph that cannot be: Node fc1 had unknown opcode call_nothing"""
    _nodes(module)[1].op = "call_nothing"


def odd_name(module):
    """made a graph that cannot be: "not a name!" is no name of a node"""
    _nodes(module)[1].name = "not a name!"


def keyword(module):
    """made a graph that cannot be: "class" is no name of a node"""
    _nodes(module)[1].name = "class"


def twice_named(module):
    """made a graph that cannot be: Node redefined name fc1"""
    _nodes(module)[2].name = _nodes(module)[1].name


def odd_keyword(module):
    """made a graph that cannot be: an argument of add has a name that is no str"""
    _nodes(module)[4].kwargs = {3: 4}


def holds_itself(module):
    """made a graph that cannot be: a module holds itself"""
    module.add_module("me", module)


def other_inputs(module):
    """made a graph of the inputs extra, x; this one has x"""
    with module.graph.inserting_before(_nodes(module)[0]):
        module.graph.placeholder("extra")


def other_outputs(module):
    """refused: .* the output is other: f64\\[2,4\\] and \\(f64"""
    _nodes(module)[-1].args = ((_nodes(module)[-2], _nodes(module)[-2]),)


def odd_constant(module):
    """refused: .* the graph fails: aten::add takes no"""
    _nodes(module)[4].args = (_nodes(module)[3], object())


def unknown_function(module):
    """refused: .* the graph fails: what bad_passes.<lambda> does is not known"""
    _nodes(module)[4].target = lambda a, b: a + b


def impossible_shape(module):
    """refused: .* the graph fails: mat1 and mat2 shapes"""
    module.fc2 = nn.Linear(7, 4)


def other_weights(module):
    """refused: .* changed output: max rel .* which hangs together: ~%fc1"""
    module.fc1.weight.data.mul_(1.001)


def no_numbers(module):
    """refused: .* changed output: max rel inf"""
    module.fc1.weight.data.fill_(float("nan"))


# -- what it raises ------------------------------------------------------------

def raises(module):
    """raised ValueError: one"""
    raise ValueError("one\ntwo")


def raises_much(module):
    """raised ValueError: x+\\.\\.\\. \\(100000 characters\\)"""
    raise ValueError("x" * 100000)


class _Wordless(Exception):
    def __str__(self):
        raise ValueError("no text")


def raises_wordless(module):
    """raised _Wordless: \\(its text cannot be had: ValueError\\)"""
    raise _Wordless()


def raises_interrupt(module):
    """raised KeyboardInterrupt"""
    raise KeyboardInterrupt


def raises_exit(module):
    """raised GeneratorExit"""
    raise GeneratorExit


def calls_itself(module):
    """raised RecursionError: maximum recursion depth exceeded"""
    calls_itself(module)


# -- what it does to its process -----------------------------------------------

def exits(module):
    """asked Python to exit\n"""
    sys.exit()


def exits_with_words(module):
    """asked Python to exit with goodbye"""
    sys.exit("goodbye")


def ends(module):
    """ended its process with status 0"""
    os._exit(0)


def aborts(module):
    """aborts crashed: Aborted"""
    os.abort()


def kills_itself(module):
    """kills_itself was ended by a signal: Killed"""
    os.kill(os.getpid(), signal.SIGKILL)


def forks(module):
    """no candidates"""
    if os.fork() == 0:
        time.sleep(100)
        os._exit(0)


def returns_twice(module):
    """no candidates"""
    os.fork()


def thread(module):
    """no candidates"""
    threading.Thread(target=lambda: time.sleep(100), daemon=False).start()


def prints_megabytes(module):
    """no candidates"""
    for _ in range(40):
        sys.stdout.write("y" * 99999 + "\n")
        sys.stderr.write("z" * 99999 + "\n")


def reads(module):
    """raised EOFError"""
    input()


def closes(module):
    """no candidates"""
    for descriptor in 0, 1, 2:
        os.close(descriptor)


def closes_streams(module):
    """no candidates"""
    for stream in sys.stdin, sys.stdout, sys.stderr:
        stream.close()


def closes_all(module):
    """ended its process with status 0"""
    os.closerange(3, 256)


def changes_state(module):
    """no candidates"""
    torch.set_default_dtype(torch.float64)
    torch.set_grad_enabled(False)
    torch.manual_seed(77)
    random.seed(5)
    os.chdir("/")
    os.environ["HOME"] = "/nowhere"
    sys.path.clear()
    torch.relu = None
    nn.Linear.forward = None


def sees_state(module):
    """no candidates"""
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled() and torch.relu and nn.Linear.forward
    assert os.environ["HOME"] != "/nowhere" and sys.path
