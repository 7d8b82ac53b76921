#!/usr/bin/env python3
"""The defaults of parameters in ops.def beside those that torch has.

usage: defaults.py

Of each function and operator that a row names, also by another name, every
parameter that both have: a call that leaves it out means the same.
"""
import inspect
import sys

import torch

import normalize

# Defaults of a row that are another way to say what torch has, or that only the
# arguments before it decide.
SAME = {
    # None is every dimension, and so is an empty list.
    ("dim", None, ()), ("dim", (), None), ("dims", (), None),
    # The window is as large as the kernel, and one is one for each dimension.
    ("stride", None, ()), ("stride", (), None),
    # Contiguous is what contiguous() gives, int64 what randint gives; valid is
    # no padding, and a correction that is not given is 1.
    ("memory_format", None, 0.0), ("dtype", None, 4.0),
    ("padding", 0.0, "valid"), ("correction", 1.0, None),
    # bernoulli(x) draws by x itself; the way cdist computes is its own; what is
    # called with_indices gives them in any case.
    ("p", None, 0.5), ("return_indices", True, False),
    ("compute_mode", None, "use_mm_for_euclid_dist_if_necessary"),
}


def schema(target):
    """name -> default of an operator of torch.ops, or None."""
    found = torch.ops
    try:
        for part in target.split(".")[2:]:
            found = getattr(found, part)
        arguments = found._schema.arguments
    except (AttributeError, RuntimeError):
        return None
    return {"input" if a.name == "self" else a.name: a.default_value
            for a in arguments if a.has_default_value()}


def defaults(signature):
    return {"input" if p.name == "self" else p.name: p.default
            for p in signature.parameters.values()
            if p.default is not inspect.Parameter.empty}


def theirs(target):
    """For each set of parameters that TARGET has: name -> default."""
    if target.startswith("torch.ops."):
        found = schema(target)
        return [] if found is None else [found]
    if not target.startswith("torch."):
        return []
    return [defaults(signature)
            for signature in normalize.signatures(target) or []]


def key(value):
    value = normalize.plain(value)
    return tuple(value) if isinstance(value, list) else value


def is_same(name, ours, torchs):
    ours, torchs = key(ours), key(torchs)
    return ours == torchs or str(ours) == str(torchs) or \
        (name, ours, torchs) in SAME


def main():
    wrong = checked = 0
    for target, parameters in sorted(normalize.operations().items()):
        if not parameters:
            continue
        ours = defaults(inspect.signature(eval("lambda %s: 0" % parameters)))
        sets = theirs(target)
        checked += bool(sets)
        for name in ours:
            said = [each[name] for each in sets if name in each]
            if said and not any(is_same(name, ours[name], value)
                                for value in said):
                wrong += 1
                print("%s(%s=%r): torch has %r" % (
                    target, name, ours[name], said[0]))
    print("torch %s: defaults of %d functions and operators, %d wrong" % (
        torch.__version__, checked, wrong))
    return wrong != 0


sys.exit(main())
