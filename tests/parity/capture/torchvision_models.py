"""fxdb's tracer beside torch.fx's on torchvision's models: names, targets,
order of users and generated code must be equal.

usage: torchvision_models.py all | NAME...
"""
import os
import sys
import warnings

warnings.simplefilter("ignore")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx

# torchvision's wheels for torch 2.x need its CUDA operators to be declared;
# the models' Python works without them.
if not torch.__version__.startswith("1."):
    library = torch.library.Library("torchvision", "DEF")
    for operator in ("nms", "qnms"):
        library.define(operator + "(Tensor dets, Tensor scores, "
                       "float iou_threshold) -> Tensor")

try:
    import torchvision
    import torchvision.models.video
except Exception as error:
    print("no torchvision: %s" % error)
    sys.exit(77)

import inspect

import oracle

oracle.repair()
import fxdb  # noqa: E402

# Values do not matter here, and drawing them takes most of the time.
for name in dir(torch.nn.init):
    if name.endswith("_") and not name.startswith("_"):
        setattr(torch.nn.init, name, lambda tensor, *args, **kwargs: tensor)


def builders():
    """name -> function, of classification and video models."""
    found = {}
    for module in (torchvision.models, torchvision.models.video):
        for name, value in vars(module).items():
            if inspect.isfunction(value) and name.islower() and \
                    value.__module__.startswith("torchvision.models") and \
                    not name.startswith(("get_", "list_")):
                found[name] = value
    return found


def build(name, function):
    options = {"init_weights": False} \
        if name in ("googlenet", "inception_v3") else {}
    return function(**options).eval()


def users(nodes):
    return [[user.name for user in node.users] for node in nodes]


def compare(name, function):
    """"equal", "untraceable", or what differs."""
    try:
        theirs = torch.fx.Tracer().trace(build(name, function))
    except Exception:
        theirs = None
    try:
        ours = fxdb.symbolic_trace(build(name, function))
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
    known = builders()
    names = sorted(known) if sys.argv[1:] == ["all"] else sys.argv[1:]
    equal = failed = untraceable = 0
    for name in names:
        result = compare(name, known[name])
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
