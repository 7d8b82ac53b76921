#!/usr/bin/env python3
"""Objects of the user's that leaves give and take, dataclasses and named tuples,
traced and recorded, on both backends: beside eager; their parts can be read.

usage: objects.py
"""
import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "capture")]
from session import DATA, Session  # noqa: E402

import torch  # noqa: E402

sys.path[:0] = [DATA]
import objects  # noqa: E402

X = torch.tensor([[-1., 2.], [0.5, 3.]])
LEAVES = " ".join("--leaf objects." + name for name in [
    "Gives", "Takes", "GivesOutput", "GivesPair", "GivesFrozen", "TakesFrozen",
    "Writes", "GivesSized"])
SEEN = [
    ("print %gives.mean[0]", "min -2@[0] max 4@[1]"),
    ("print %gives.count", "= 3"), ("print %gives.total()", "9.32"),
    ("print output_0.extra", "None"), ("print output_0[0][0,0]", "1.27"),
    ("print output_0.hidden[0,0]", "1.27"),
    ("print %frozen.inner.mean[0,0]", "  -2"),
    ("print %frozen.rest[1][0][0,1]", "0.881"),
    ("print %pair.mean[0,0]", "  -2"), ("print %pair.total()[0,1]", "  4"),
    ("print %gives.nothing", "'Held' object has no attribute 'nothing'"),
    ("print %gives[0]", "'Held' object is not subscriptable"),
    ("stats gives", "gives['scale']"),
    ("nodes name=frozen", "'rest':(f32[2,2],[f32[2,2]])"),
    ("why nan", "pair[0][0,0] = -2.0"),
    ('why gives["mean"][0,0]', "finite"), ("why gives.mean[0,0]", "finite"),
    ("why frozen.inner.scale[0,0]", "finite"),
    ("explain gives.mean[0,1]", "%gives['mean'][0,1] = 4"),
    ("why gives.mode[0,0]", "why gives['mean'][0,0]"),
    ('print "mean" in %gives', "True")]


class Check:
    def __init__(self):
        self.session = Session("-q", python=sys.executable)
        self.failed = 0

    def begin(self, model, how, backend):
        self.name = "%s%s on %s" % (model, how, backend)
        said = self.session.run("trace objects.py:%s%s %s -i x=torch.tensor("
                                "%s)" % (model, how, LEAVES, X.tolist()))
        self.session.run("set backend " + backend)
        return said + self.session.run("run")

    def end(self):
        self.session.run("close -f")

    def expect(self, wanted, said):
        if wanted not in said:
            print("%s: no %r in %s" % (self.name, wanted, said))
            self.failed += 1

    def equal(self, what, wanted):
        self.expect("True", self.session.run(
            "print allclose(%s, torch.tensor(%s).nan_to_num(77), 1e-5)" % (
                what, wanted.tolist())))


def main():
    check = Check()
    for how in "", " --example":
        for backend in "auto", "python":
            said = check.begin("Objects", how, backend)
            for at, wanted in enumerate(objects.Objects()(X)):
                check.equal("%%output_1[%d].nan_to_num(77)" % at, wanted)
            for command, wanted in SEEN:
                check.expect(wanted, check.session.run(
                    command.replace("output_0", "%output")))
            if how:
                check.expect("checked on other values and sizes", said)
            check.end()
            said = check.begin("Sizes", how, backend)
            check.equal("%output", objects.Sizes()(X))
            if how:
                check.expect("checked on other values and sizes", said)
            check.end()
    said = check.begin("Members", " --example", "auto")
    check.expect("Color.RED", check.session.run("print %output[1]"))
    check.expect("2", check.session.run("print %output[2] + 0"))
    check.end()
    said = check.begin("Array", " --example", "auto")
    check.expect("forward gives numpy.ndarray, which no graph gives", said)
    check.expect("hint: have forward return tensors", said)
    check.end()
    # What is set in the place of an object is one.
    for backend in "auto", "python":
        check.begin("Objects", "", backend)
        check.session.run("set value pair = (pair[0].abs() + 1, $v[1])")
        check.session.run('set value gives = {"mean": $v.mean.abs(), '
                          '"scale": $v.scale, "count": 3}')
        check.expect("Finished", check.session.run("run"))
        check.expect("True", check.session.run("print allfinite(%output_1)"))
        check.expect("hint: trace objects.py:Objects takes such modules apart",
                     check.session.run("inline gives"))
        check.end()
    # Where tensors are copied nothing that is written would come back.
    said = check.begin("Changed", "", "auto")
    check.expect("set backend python", said)
    check.session.run("set backend python")
    check.session.run("run")
    check.equal("%output", objects.Changed()(X))
    check.end()
    check.session.end()
    return check.failed != 0


if __name__ == "__main__":
    sys.exit(main())
