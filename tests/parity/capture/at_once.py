"""After trace --example a person looks at once, forwards and back: each value
equal, bit for bit, to what a fresh run holds at that node and to what the
model's own modules gave, also where it was written over since.
"""
import io
import os
import re
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.environ["FXDB_SRCDIR"], "tests/data/trace"),
                os.path.dirname(HERE)]

import numpy
import torch

import at_once
import zoo
from session import Session

failures = []


def held(session, name, folder):
    """What SESSION has for the node NAME, exact to the last bit."""
    path = os.path.join(folder, name + ".npy")
    session.run("dump value %%%s %s" % (name, path))
    if not os.path.exists(path):  # no tensor
        return session.run("print/r %" + name).partition("=")[2]
    with open(path, "rb") as file:
        data = file.read()
    os.remove(path)
    return data


def counts(session):
    """How many nodes were executed, recomputed and run again."""
    return re.findall(r"(?m)^(?:executed|recomputed|rerun) .*",
                      session.run("info record"))


def look(session, folder, is_limited):
    """The values that are there, by names, from the end back; those that were
    dropped (IS_LIMITED) are computed again."""
    before = counts(session)
    names = [line.split()[2]
             for line in session.run("nodes").splitlines()[1:]]
    found = {names[-1]: held(session, names[-1], folder)}
    for i in range(len(names) - 1, 0, -1):
        session.run("goto @%d" % i)
        found[names[i - 1]] = held(session, names[i - 1], folder)
    if is_limited:
        if counts(session) == before:
            failures.append("nothing was dropped: %s" % before)
    elif counts(session) != before:
        failures.append("something ran again: %s, %s" % (before,
                                                         counts(session)))
    return found


def run_anew(session, given, names, folder):
    """What a run from the beginning holds, as each node has run."""
    found = {}
    session.run("input " + given)
    # It stops before the first node that computes.
    first = int(re.search(r"=> +(\d+)", session.run("start")).group(1))
    for i, name in enumerate(names, 1):
        if i > first:
            session.run("until @%d" % i if i < len(names) else "continue")
        found[name] = held(session, name, folder)
    return found


def compare(spec, given, backend, flags="", limit=None):
    """The values after SPEC was recorded with the input GIVEN, by names."""
    session = Session()
    if limit:
        session.run("set record limit " + limit)
    session.run("set backend " + backend)
    said = session.run("trace %s --example -i %s%s" % (spec, given, flags))
    if "one real run recorded" not in said:
        failures.append("%s: %s" % (spec, said))
    if "no longer holds" in session.run("info trace"):
        failures.append(spec + ": a decision is not that of its own recording")
    with tempfile.TemporaryDirectory() as folder:
        found = look(session, folder, limit)
        fresh = run_anew(session, given.replace("=", " = ", 1),
                         list(reversed(found)), folder)
    for name in found:
        if found[name] != fresh[name] or not found[name]:
            failures.append("%s%s, %s: %s is not what a fresh run holds" % (
                spec, flags, backend, name))
    session.end()
    return found


def of_modules(make, *shape):
    """What each module of MAKE() gives, as it gives it, by names of nodes."""
    torch.manual_seed(0)
    model = make().eval()
    torch.manual_seed(0)
    x = torch.randn(shape)
    given = {}

    def keep(name):
        def hook(module, inputs, result):
            given.setdefault(name, result.clone())
        return hook
    for path, module in model.named_modules():
        if not list(module.children()):
            module.register_forward_hook(keep(path.replace(".", "_")))
    with torch.no_grad():
        model(x)
    return given


def compare_with_modules(spec, make, shape, backend):
    found = compare(spec, "x=randn(%s)" % ",".join(map(str, shape)), backend)
    count = 0
    for name, result in of_modules(make, *shape).items():
        if name not in found:
            continue
        count += 1
        array = torch.from_numpy(numpy.load(io.BytesIO(found[name])))
        if not torch.equal(array, result):
            failures.append("%s, %s: %s is not what the module gave" % (
                spec, backend, name))
    return count


def check_state(backend):
    """Parameters and buffers are those from before the recording."""
    session = Session()
    session.run("set backend " + backend)
    session.run("trace at_once.py:Net() --example --train -i "
                "x=randn(2,3,8,8)")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.fxg")
        session.run("save " + path)
        session.run("load " + path)
        session.run("set backend auto")
        for text in ("self.calls == 0", "self.first.bn1.num_batches_tracked "
                     "== 0", "allclose(self.first.bn1.running_mean, 0, 0, 0)"):
            said = session.run("assert " + text)
            if "fail" in said or "error" in said:
                failures.append("%s, %s: %s" % (backend, text, said))
    session.end()


def main():
    resnet = None
    try:
        zoo.declare_operators()
        from torchvision.models import resnet18 as resnet
    except (ImportError, RuntimeError):
        pass
    for backend in "auto", "python":
        count = compare_with_modules("at_once.py:Net()", at_once.Net,
                                     (2, 3, 8, 8), backend)
        compare("at_once.py:Net()", "x=randn(2,3,8,8)", backend, " --train")
        compare("at_once.py:draws", "x=randn(3)", backend)
        compare("at_once.py:Net()", "x=randn(2,3,8,8)", backend, " --train",
                "8K")
        check_state(backend)
        if count < 9:
            failures.append("only %d results of modules" % count)
    if resnet and torch.__version__.startswith("1."):
        count = compare_with_modules("torchvision.models:resnet18()", resnet,
                                     (1, 3, 64, 64), "auto")
        if count < 50:
            failures.append("only %d results of modules" % count)
    for failure in failures:
        print(failure)
    sys.exit(bool(failures))


main()
