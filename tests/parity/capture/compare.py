"""fxdb's tracer beside torch.fx's, in one Python: every case of
small_models.py and numbered_models.py must give the same names, opcodes, targets, arguments, order of
users, generated code and listing.
"""
import os
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(os.environ["FXDB_BUILDDIR"], "src/capture"))

import torch
import torch.fx

import oracle  # noqa: F401  which repairs torch.fx
import numbered_models
import small_models
import fxdb  # noqa: E402  after the oracle, which it must not need


def describe(node):
    """Everything compared of one node, as text."""
    def text(value):
        if isinstance(value, (torch.fx.Node, fxdb.Node)):
            return "%" + value.name
        if isinstance(value, dict):
            return "{%s}" % ", ".join("%s: %s" % (text(k), text(v))
                                      for k, v in value.items())
        if isinstance(value, slice):
            return "slice(%s, %s, %s)" % tuple(
                text(part) for part in (value.start, value.stop, value.step))
        if isinstance(value, (list, tuple)):
            inner = ", ".join(text(item) for item in value)
            return "[%s]" % inner if isinstance(value, list) \
                else "(%s)" % inner
        return repr(value)
    return (node.op, node.name, str(node.target), text(node.args),
            text(node.kwargs), [user.name for user in node.users])


def compare(rule, make, options):
    """None, or what differs."""
    concrete = options.get("concrete_args")
    hooks = options.get("tracer", lambda base: base)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours = hooks(fxdb.Tracer)().trace(make(), concrete)
        theirs = hooks(torch.fx.Tracer)().trace(make(), concrete)
    for mine, other in zip(ours.nodes, theirs.nodes):
        if describe(mine) != describe(other):
            return "node %s\n    ours   %s\n    theirs %s" % (
                other.name, describe(mine), describe(other))
    if len(ours.nodes) != len(list(theirs.nodes)):
        return "another number of nodes"
    if str(ours) != str(theirs):
        return "the listing\n%s\n%s" % (ours, theirs)
    code = theirs.python_code("self").src.replace(
        *options.get("wrong_code", ("", "")))
    if ours.code != code:
        return "the code\n%s\n%s" % (ours.code, code)
    return None


def main():
    failed = 0
    cases = small_models.cases() + numbered_models.cases()
    for rule, make, options in cases:
        try:
            difference = compare(rule, make, options)
        except Exception as error:
            difference = "%s: %s" % (type(error).__name__, error)
        if difference:
            failed += 1
            print("FAIL %s: %s" % (rule, difference))
        else:
            print("ok   %s" % rule)
    print("%d passed, %d failed" % (len(cases) - failed, failed))
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
