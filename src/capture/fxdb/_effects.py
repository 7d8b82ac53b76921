"""What a call in Python may write: arguments, buffers and parameters."""
import inspect
import operator

import torch

from fxdb import _memory

# Operators that write into their first operand.
_IN_PLACE = {name for name in dir(operator)
             if name[0] == "i" and hasattr(operator, "__%s__" % name)
             and hasattr(operator, name[1:])} | {"setitem", "delitem"}
_IN_PLACE |= {"__%s__" % name for name in _IN_PLACE}


def writes(function, message):
    """Which arguments a call may write in place, a bit each: all of those of
    modules and functions that say they can, the first of those that end in an
    underscore (torch's convention) or are an assignment; of an ATen operator
    what its schema says.  What fxdb knows besides comes with the MESSAGE.
    """
    first, every, known = 1, (1 << 63) - 1, message["writes"]
    name = message["target"].rpartition(".")[2]
    if message["opcode"] == "call_module":
        return every if any(getattr(inner, "inplace", False) or
                            _has_own_code(inner)
                            for inner in function.modules()) else 0
    if {"inplace", "out"} & set(message["keywords"]):
        return every
    # Where keywords stand is not known here.
    if known & ~first and \
            {"running_mean", "running_var"} & set(message["keywords"]):
        return every
    if isinstance(function, torch._ops.OpOverload):
        written = {argument.name: 1 << place for place, argument in
                   enumerate(function._schema.arguments)
                   if argument.alias_info and argument.alias_info.is_write}
        return every if set(written) & set(message["keywords"]) else \
            known | sum(written.values())
    if known or name in _IN_PLACE or \
            name.endswith("_") and not name.endswith("__"):
        return known or first
    try:
        return every if "inplace" in inspect.signature(function).parameters \
            else 0
    except (TypeError, ValueError):  # torch's own have none
        return 0


def _has_own_code(module):
    """Whether more than its class's code runs when MODULE is called.  Python
    looks for __getitem__ and the like, which a ScriptModule has among its
    attributes, in classes only.
    """
    return bool(module._forward_hooks or module._forward_pre_hooks or
                any(callable(value) and name[:2] != "__" and
                    callable(getattr(type(module), name, None))
                    for name, value in vars(module).items()))


def is_own(module):
    """Whether MODULE is the user's: torch's write buffers in training only."""
    return not type(module).__module__.startswith("torch.nn.modules.") or \
        _has_own_code(module)


def buffers_of(module):
    """Those that a call of MODULE may write, as (owner, name, tensor); its
    parameters too where its code looks as if it wrote in place.
    """
    parts = [inner for inner in module.modules() if inner.training]
    for inner in module.modules():
        if is_own(inner):
            parts.extend(inner.modules())
    tables = [(owner, owner._buffers) for owner in dict.fromkeys(parts)]
    tables += [(owner, owner._parameters) for owner in dict.fromkeys(parts)
               if is_own(owner) and _memory.writes_in_place(type(owner))]
    return [(owner, name, tensor) for owner, table in tables
            for name, tensor in table.items()
            if tensor is not None and tensor.layout is torch.strided]


def _is_like(a, b):
    return isinstance(b, torch.Tensor) and a.dtype == b.dtype and \
        a.shape == b.shape and a.device == b.device


def settle(buffers):
    """Have values of buffers that are other tensors than before (self.mean =
    0.9 * self.mean + x) in the tensors that they were: these are put back
    when execution goes back.
    """
    for owner, name, tensor in buffers:
        new = owner._buffers.get(name)
        if new is not tensor and _is_like(tensor, new):
            tensor.copy_(new)
            owner._buffers[name] = tensor
