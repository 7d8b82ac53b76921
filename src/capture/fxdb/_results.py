"""What a model gives, as far as a graph can give it."""
import collections.abc
import dataclasses
import enum

import torch

from fxdb._numbers import Number


def has_tensor(value):
    if isinstance(value, torch.Tensor):
        return True
    if isinstance(value, dict):
        value = value.values()
    return isinstance(value, (tuple, list, type({}.values()))) and \
        any(has_tensor(item) for item in value)


def has_names(value):
    """Whether VALUE is a tuple whose items have names too."""
    return isinstance(value, tuple) and (
        hasattr(value, "_fields") or hasattr(value, "n_sequence_fields"))


def whole_of(value, nodes):
    """The entry of the call that gave VALUE, a tuple with names, as it is: NODES
    has its tensors as the parts of that; None for another."""
    parts = [nodes[id(item)][1] if isinstance(item, torch.Tensor)
             and id(item) in nodes else None for item in value]
    whole = parts[0].whole if has_names(value) and parts and parts[0] else None
    return whole[0] if whole and len(whole[1]) == len(parts) and \
        all(a is b for a, b in zip(whole[1], parts)) else None


def is_data(value):
    """Whether VALUE is of a dataclass, and no container."""
    return dataclasses.is_dataclass(value) and \
        not isinstance(value, (type, dict, list, tuple))


def fields_of(value):
    """The parts of VALUE, of a dataclass, by name."""
    return {field.name: getattr(value, field.name)
            for field in dataclasses.fields(value)
            if hasattr(value, field.name)}


_LATE = (collections.abc.Iterator, collections.abc.Coroutine,
         collections.abc.Set, collections.abc.ValuesView)


def check_given(value):
    """Raises for a result VALUE that no graph gives: what is to be iterated
    over, and has no order or no values yet."""
    if isinstance(value, _LATE):
        raise NotImplementedError(
            "forward gives a %s, and a graph gives tensors, numbers, tuples, "
            "lists and dicts" % type(value).__name__)
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (tuple, list)):
        return
    for item in value:
        check_given(item)


def check_held(value, holds):
    """Raises for a part of the result VALUE that no graph has, as HOLDS says."""
    if isinstance(value, dict):
        value = list(value.values())
    if type(value) in (tuple, list):
        for item in value:
            check_held(item, holds)
    elif not holds(value):
        kind = "%s.%s" % (type(value).__module__, type(value).__qualname__)
        raise NotImplementedError(
            "forward gives %s, which no graph gives" % kind.replace(
                "builtins.", "a "))


def taken_apart(value, depth=0):
    """A result as what a graph can give: of an object, as a dataclass or a
    cache, its attributes that hold tensors, by name.
    """
    if isinstance(value, (tuple, list)) and not isinstance(value, torch.Size):
        items = [taken_apart(item, depth) for item in value]
        return type(value)._make(items) if hasattr(value, "_fields") \
            else type(value)(items)
    if isinstance(value, dict):
        return {key: taken_apart(item, depth) for key, item in value.items()}
    if isinstance(value, enum.Enum):  # torch 1 has no place for most of them
        return value if not torch.__version__.startswith("1.") or \
            isinstance(value, (int, float, complex, str)) else str(value)
    if isinstance(value, (torch.Tensor, torch.nn.Module, type)) or \
            not hasattr(value, "__dict__") or isinstance(value, Number) or \
            depth > 10:
        return value
    parts = {name: taken_apart(item, depth + 1)
             for name, item in vars(value).items()}
    return {name: item for name, item in parts.items() if has_tensor(item)}
