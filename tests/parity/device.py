#!/usr/bin/env python3
"""Models that lie on a device.

usage: device.py FXDB

Where there is no device, home_of (capture/fxdb/_home.py) is made to call the
processor one, which takes the same way.  What fxdb computes beside eager
PyTorch, on the device.
"""
import operator
import os
import subprocess
import sys
import tempfile

import numpy
import torch
from torch import nn

import threads

HERE = os.path.abspath(__file__)
WHERE = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    """A layer to fold into another, and a tensor made where the input lies."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.conv = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.register_buffer("scale", torch.full((1,), 2.0))

    def forward(self, x):
        """x: f32[N, 3, H, W]"""
        y = torch.relu(self.bn(self.conv(x)) * self.scale)
        y += y.new_ones(6)
        return y.softmax(-1)


def net():
    """Where it lies is told even if that is the processor."""
    if WHERE == "cpu":
        from fxdb import _home
        _home.home_of = lambda tensors: "cpu" if list(tensors) else None
    return Net().to(WHERE)


def broken():
    """A variance below zero, which a later layer hides from half the output."""
    module = net()
    with torch.no_grad():
        module.bn.running_var[2] = -0.25
    return module


def given():
    torch.manual_seed(4)
    return torch.randn(2, 3, 8, 8).to(WHERE)


def halve(given):
    """What the layer gives, and what it is multiplied by twice that: new
    weights, and what the model computes stays."""
    with torch.no_grad():
        for tensor in given.conv.parameters():
            tensor /= 2
    given.register_buffer("twice", given.scale * 2)
    for node in given.graph.nodes:
        if node.op == "get_attr":
            node.target = "twice"
    return torch.fx.Transformer(given).transform()


def lose_scale(given):
    for node in given.graph.nodes:
        if node.target is operator.mul:
            node.replace_all_uses_with(node.args[0])
    given.graph.eliminate_dead_code()


SHAPE = "x=f32[2,3,8,8]"
LOADED = """def forward(self, x):
    a = torch.arange(3, device=torch.device("cuda:0"))
    b = x.cuda()
    c = b.to("cuda:1") + a
    d = c.to(torch.device("mps"))
    return d.cpu()
"""


def run(fxdb, folder, commands):
    """The output of COMMANDS, in whose words '@' is FOLDER."""
    words = [fxdb, "-q", "-nx", "-batch", "--python", sys.executable]
    for command in commands:
        words += ["-ex", command.replace("@", folder + "/")]
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL)
    return done.stdout if done.returncode == 0 else \
        "status %d: %s" % (done.returncode, done.stdout)


def check(fxdb, folder):
    """(what, whether it is so, what was said) of each."""
    numpy.save(os.path.join(folder, "x.npy"), given().cpu().numpy())
    with torch.no_grad():
        want = Net().to(WHERE).eval()(given()).cpu().numpy()

    def is_equal(name):
        path = os.path.join(folder, name)
        return os.path.exists(path) and \
            numpy.array_equal(numpy.load(path), want)
    said = run(fxdb, folder, [
        "trace %s:net()" % HERE, 'input x = file("@x.npy")', "run",
        "dump value %softmax @traced.npy", "pass run fuse-conv-bn"])
    yield "traced: on the device", "only it computes on " in said and \
        is_equal("traced.npy"), said
    yield "a pass is verified in f64", "verified on 3 inputs in f64" in said, \
        said
    said = run(fxdb, folder, [
        "trace %s:net()" % HERE, 'input x = file("@x.npy")', "run",
        "pass run fuse-conv-bn", "pass run python:%s:halve" % HERE,
        "run", "print conv.weight.device",
        "print twice.device", "dump value %softmax @passed.npy"])
    path = os.path.join(folder, "passed.npy")
    yield "a pass of Python", os.path.exists(path) and numpy.abs(
        numpy.load(path) - want).max() < 1e-5 and \
        said.count("verified on 3 inputs") == 2, said
    said = run(fxdb, folder, [
        "trace %s:net()" % HERE, 'input x = file("@x.npy")',
        "outline {bn, scale, mul, relu} as part", "run", "graph net/part",
        "rewrite torch.relu(x) => F.relu(x)", "undo", "graph /", "run",
        "dump value %softmax @nested.npy"])
    yield "a nested graph", is_equal("nested.npy") and \
        said.count(": bit for bit") == 2, said
    said = run(fxdb, folder, [
        "trace %s:net()" % HERE, 'input x = file("@x.npy")',
        "pass run python:%s:lose_scale " % HERE])
    yield "a wrong pass of Python", "refused" in said, said
    said = run(fxdb, folder, [
        "trace %s:net() --example -i x=given()" % HERE, "run",
        "dump value %softmax @recorded.npy", "goto %bn", "print conv",
        "run --to softmax", "dump value %softmax @back.npy",
        "graph copy net as other", "run", "dump value %softmax @copy.npy"])
    copied = os.path.join(folder, "copy.npy")
    yield "recorded: on the device", is_equal("recorded.npy"), said
    yield "back and on", is_equal("back.npy"), said
    yield "a copy runs on the processor", os.path.exists(copied) and \
        numpy.abs(numpy.load(copied) - want).max() < 1e-5, said
    said = run(fxdb, folder, ["trace %s:net() --example -i %s" % (HERE, SHAPE)])
    yield "a shape is an input there", "checked on other values" in said, said
    for traced in "trace %s:broken()", "trace %s:broken() --example -i x=given()":
        start = [traced % HERE, 'input x = file("@x.npy")']
        said = run(fxdb, folder, start + [
            "run", "why nan", "explain %bn[0,2,0,0]", "stats %bn --by 1",
            "x/4f %conv", "nodes nonfinite", "find %bn nan"])
        yield "why nan, " + traced, "bn.running_var[2] = -0.25" in said and \
            "square root of a negative number" in said and \
            "first non-finite: @" in said, said
        said = run(fxdb, folder, start + [
            "watch nonfinite", "run", "info breakpoints", "checkpoint",
            "set value bn.running_var = torch.abs($v)", "continue",
            "restart 1", "reverse-continue"])
        yield "watch, checkpoint, " + traced, said.count("Watch 1: nonfinite, ") == 3 \
            and said.count("72 NaN of 288, produced here") == 2, said
    with torch.no_grad():
        module = Net().to(WHERE).eval()
        right = {"conv": module.conv(given()).cpu().numpy()}
    right["conv"][1, 3, 2, 2] += 1
    numpy.savez(os.path.join(folder, "right.npz"), **right)
    said = run(fxdb, folder, ["trace %s:net()" % HERE, 'input x = file("@x.npy")',
                              "run", "why softmax[1,3,2,0] --against @right.npz"])
    yield "against a file", "from %conv[1,3,2,2]" in said, said
    with open(os.path.join(folder, "loaded.py"), "w") as file:
        file.write(LOADED)
    said = run(fxdb, folder, [
        "load @loaded.py", "input x = ones(2, 3)", "run", "print b.device",
        "dump value %output @loaded.npy"])
    path = os.path.join(folder, "loaded.npy")
    yield "a file that names devices runs without", os.path.exists(path) and \
        numpy.array_equal(numpy.load(path), 1 + numpy.arange(3) *
                          numpy.ones((2, 1))), said


def main():
    passed = failed = 0
    threads.as_fxdb()
    with tempfile.TemporaryDirectory() as folder:
        for what, is_so, said in check(sys.argv[1], folder):
            passed += is_so
            failed += not is_so
            if not is_so:
                print("FAILED %s\n%s" % (what, said))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
