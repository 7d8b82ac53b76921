"""What is made of a traced graph runs on the same torch with the same inputs:
copies, extracts and reductions beside eager PyTorch.

usage: copies.py FXDB
"""
import os
import subprocess
import sys
import tempfile

import numpy
import torch
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))


class Net(nn.Module):
    """Two layers; what stands between them is checked too."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.fc1 = nn.Linear(4, 8)
        self.act = nn.Tanh()
        self.fc2 = nn.Linear(8, 2)

    def forward(self, x):
        """x: f32[N, 4]"""
        return self.fc2(self.act(self.fc1(x)))


def spec():
    """How to trace it: the class, whose weights have a seed."""
    return "%s:Net" % os.path.abspath(__file__)


def run(fxdb, folder, commands):
    """What the commands say; '@NAME' in them is a file, read afterwards."""
    words = [fxdb, "-q", "-nx", "-batch", "--python", sys.executable]
    for command in commands:
        words += ["-ex", command.replace("@", folder + "/")]
    done = subprocess.run(words, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
    return done.stdout


CASES = {
    "copied before it ran": [
        "graph copy base as other", "run"],
    "copied after it ran": [
        "run", "graph copy base as other", "run"],
    "the copy of a copy, and then the first": [
        "graph copy base as second", "graph copy second as other", "run",
        "graph base", "run", "graph other"],
    "copied, and a pass that is verified": [
        "graph copy base as other", "set verify strict",
        "pass run inline-all", "run"],
    "beside a graph that nobody traced": [
        "load %s/../../doc/examples/mlp.fxg" % HERE, "graph base", "run",
        "graph mlp", "run", "graph copy base as other", "run"],
}


def main(fxdb):
    """Each case: the output of `other` is that of eager PyTorch."""
    failed = 0
    x = numpy.random.default_rng(1).standard_normal((3, 4))
    x = x.astype("float32")
    want = Net().eval()(torch.from_numpy(x)).detach().numpy()
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(folder + "/x.npy", x)
        begin = ["trace %s as base" % spec(), 'input x = file("@x.npy")']
        for number, (name, commands) in enumerate(CASES.items()):
            made = "%s/%d.npy" % (folder, number)
            said = run(fxdb, folder, begin + commands + [
                "dump value %%output @%d.npy" % number])
            good = os.path.exists(made) and numpy.allclose(
                numpy.load(made), want, rtol=1e-6, atol=1e-6)
            failed += not good
            print("%s %s" % ("ok" if good else "FAILED", name))
            if not good:
                print(said)
        said = run(fxdb, folder, begin + [
            "run", "extract {fc2} as other", "run",
            "dump value %output @part.npy"])
        good = os.path.exists(folder + "/part.npy") and numpy.allclose(
            numpy.load(folder + "/part.npy"), want, rtol=1e-6, atol=1e-6)
        failed += not good
        print("%s an extract, on what was there" %
              ("ok" if good else "FAILED"))
        if not good:
            print(said)
    count = len(CASES) + 1
    print("%d passed, %d failed, 0 skipped" % (count - failed, failed))
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
