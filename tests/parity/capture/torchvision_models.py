"""fxdb's tracer beside torch.fx's on torchvision's models: names, targets,
order of users and generated code must be equal.

usage: torchvision_models.py all | NAME...
"""
import os
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx

import zoo

zoo.declare_operators()
try:
    import torchvision  # noqa: F401
except Exception as error:
    print("no torchvision: %s" % error)
    sys.exit(77)

import oracle  # noqa: F401  which repairs torch.fx
import fxdb  # noqa: E402  after the oracle, which it must not need

zoo.leave_weights()


def users(nodes):
    return [[user.name for user in node.users] for node in nodes]


def compare(name):
    """"equal", "untraceable", or what differs."""
    try:
        theirs = torch.fx.Tracer().trace(zoo.build(name))
    except Exception:
        theirs = None
    try:
        ours = fxdb.symbolic_trace(zoo.build(name))
    except Exception as error:
        return "untraceable" if theirs is None else repr(error)[:300]
    if theirs is None:
        return "only fxdb traces it"
    if [n.name for n in ours.nodes] != [n.name for n in theirs.nodes]:
        return "names differ"
    if users(ours.nodes) != users(theirs.nodes):
        return "users differ"
    if str(ours) != str(theirs):
        return "the listings differ"
    if ours.code != theirs.python_code("self").src:
        return "the code differs"
    return "equal"


def main():
    names = sorted(zoo.builders()) if sys.argv[1:] == ["all"] else \
        sys.argv[1:]
    equal = failed = untraceable = 0
    for name in names:
        result = compare(name)
        if result == "equal":
            equal += 1
        elif result == "untraceable":
            untraceable += 1
        else:
            failed += 1
            print("FAIL %s: %s" % (name, result))
    print("%d equal, %d that neither traces" % (equal, untraceable))
    print("%d passed, %d failed" % (equal, failed))
    return 1 if failed or not equal else 0


sys.exit(main())
