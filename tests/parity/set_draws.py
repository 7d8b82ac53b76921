#!/usr/bin/env python3
"""The value of a node that draws is set: every other node has what torch.fx's
Interpreter gives it where that node runs and its result alone is replaced.

usage: set_draws.py
"""
import copy
import os
import sys
import tempfile

import numpy
import torch
from torch import fx

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data", "trace")
sys.path[:0] = [os.path.join(HERE, "capture"), DATA]
from session import Session  # noqa: E402
import set_draws  # noqa: E402

X = "torch.arange(8.).sin().reshape(2, 4)"
WRITTEN = ["mul"]  # as it is at the end, and not when it was made
DRAWING = ["randn_like", "dropout", "bernoulli_", "drop", "randint_like",
           "attend", "norm", "rrelu", "noise", "multinomial", "normal"]


class Replacing(fx.Interpreter):
    """NAME runs on copies, and its result is replaced by ones."""

    def __init__(self, module, name):
        super().__init__(module)
        self.name = name
        self.seen = {}

    def run_node(self, n):
        if n.name != self.name:
            result = super().run_node(n)
        else:
            env, state = self.env, copy.deepcopy(self.module.state_dict())
            self.env = {k: copy.deepcopy(v) for k, v in env.items()}
            result = super().run_node(n)
            self.env = env
            self.module.load_state_dict(state)
            result = (tuple(map(torch.ones_like, result))
                      if isinstance(result, tuple)
                      else torch.ones_like(result))
        self.seen[n.name] = result
        return result


def expected(name):
    """All tensors, as they are at the end."""
    traced = fx.symbolic_trace(set_draws.draws())
    interpreter = Replacing(traced, name)
    torch.manual_seed(0)
    with torch.no_grad():
        interpreter.run(eval(X))
    return {node: value.numpy() for node, value in interpreter.seen.items()
            if isinstance(value, torch.Tensor)}


def said_wrong(session, folder, name):
    """What is not as it should be of NAME's being set, or None."""
    want = expected(name)
    numpy.savez(folder + "/want.npz",
                **{key: want[key] for key in want if key not in WRITTEN})
    before = session.run("print %s" % name)
    ones = "(torch.ones(2, 4), torch.ones(2, 2, 2))" \
        if name == "attend" else "torch.ones_like(%s)" % name
    session.run("set value %s = %s" % (name, ones))
    session.run("continue")
    for again in False, True:
        if again:
            session.run("run")
        if os.path.exists(folder + "/got.npz"):
            os.unlink(folder + "/got.npz")
        session.run("dump value {not op=output} %s/got.npz" % folder)
        got = numpy.load(folder + "/got.npz")
        wrong = [key for key in want
                 if not numpy.allclose(want[key], got[key], atol=1e-6)]
        if wrong:
            return "%s; it was %s" % (", ".join(wrong), before)
    said = session.run("compare . %s/want.npz --rtol 1e-5" % folder)
    if not said.startswith("0 of "):
        return said
    said = session.run("why output[0] --against %s/want.npz --rtol 1e-5" %
                       folder)
    return None if "what the reference has" in said else said


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for backend in "auto", "python":
            session = Session("-q", python=sys.executable)
            for line in ("trace set_draws.py:draws --train", "input x = " + X,
                         "set backend " + backend, "run"):
                session.run(line)
            for name in DRAWING:
                wrong = said_wrong(session, folder, name)
                if wrong:
                    print("%s, %s: %s" % (backend, name, wrong))
                    failed += 1
                session.run("unset value %s" % name)
                session.run("continue")
            session.end()
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
