"""Objects with parts: fxdb has named tuples as tuples and dataclasses as dicts,
each with the name of its class, and Python gets back what it gave.

Parts that went to another backend come back as others, and those that `why`
replaces are others too: then it is another object of that class.
"""
import dataclasses

import torch

from fxdb._results import has_tensor, is_data

_OF_TORCH = "torch.return_types."
_MOST = 1000  # classes of one name, made anew at each call


def _fields(value):
    """The parts of VALUE, of a dataclass, by name; None where they are not all
    that it has."""
    kind = type(value)
    if not dataclasses.is_dataclass(kind) or \
            isinstance(value, (type, list, tuple, torch.nn.Module)):
        return None
    names = [field.name for field in dataclasses.fields(kind)]
    if not all(hasattr(value, name) for name in names) or \
            set(getattr(value, "__dict__", ())) - set(names):
        return None
    parts = {name: getattr(value, name) for name in names}
    if isinstance(value, dict):  # as those of transformers
        given = {name: part for name, part in parts.items()
                 if part is not None}
        if list(value) != list(given) or \
                any(value[name] is not part for name, part in given.items()):
            return None
    return parts


def _is_named(kind):
    """Whether KIND is a named tuple with the items that it has as a tuple."""
    return issubclass(kind, tuple) and hasattr(kind, "_fields") and \
        kind.__iter__ is tuple.__iter__ and \
        kind.__getitem__ is tuple.__getitem__


def _made(kind, parts):
    """One of KIND, a dataclass, of PARTS."""
    if issubclass(kind, dict):
        return kind(**parts)
    value = object.__new__(kind)
    for name, part in parts.items():
        object.__setattr__(value, name, part)
    return value


def _is_same(told, sent):
    """Whether SENT, of fxdb's, is what it was TOLD."""
    if isinstance(told, dict) and isinstance(sent, dict):
        return told["h"] == sent.get("h") if "h" in told else \
            set(told) == set(sent) and \
            all(_is_same(told[key], sent[key]) for key in told)
    if isinstance(told, list) and isinstance(sent, list):
        return len(told) == len(sent) and all(map(_is_same, told, sent))
    return type(told) is type(sent) and told == sent


def _first(items):
    """The number of the first tensor or other object in ITEMS, or None."""
    if isinstance(items, dict):
        if "h" in items:
            return items["h"]
        items = list(items.values())
    return next(filter(None, map(_first, items)), None) \
        if isinstance(items, list) else None


class Objects:
    """Those of one process, whose classes have names for fxdb."""

    def __init__(self):
        self.classes = {}  # by name
        self.told = {}  # number of the first part -> (class, items, object)
        self.closed = set()  # classes of which objects were written
        # To the call that runs: (object, its parts, whether it is a copy).
        self.given = []

    def _name(self, kind):
        name = "%s.%s" % (kind.__module__, kind.__qualname__)
        for number in range(_MOST):
            unique = "%s#%d" % (name, number) if number else name
            if self.classes.setdefault(unique, kind) is kind:
                return unique
        return None

    def _parts(self, value):
        """("tuple" or "dict", a list) of VALUE, which is opened, or None."""
        kind = type(value)
        if kind.__module__ == "torch.return_types" or _is_named(kind):
            return "tuple", list(value)
        parts = _fields(value)
        return parts and ("dict", [item for pair in parts.items()
                                   for item in pair])

    def _has_tensor(self, value):
        if has_tensor(value):
            return True
        return is_data(value) and any(
            map(self._has_tensor, (_fields(value) or {}).values()))

    def plain(self, value, plain):
        """VALUE as data, its parts by PLAIN; None where it is not opened."""
        kind = type(value)
        found = None if kind in self.closed else self._parts(value)
        if not found or not any(map(self._has_tensor, found[1])):
            return None
        name = self._name(kind)
        word, items = found
        if not name:
            return None
        items = [plain(item) for item in items]
        first = _first(items)
        if first:
            self.told[first] = name, items, value
        return {word: items, "of": name}

    def made(self, sent, items, find):
        """The object that is SENT and has ITEMS: that which was told, or
        another; FIND knows classes that the graph names."""
        word, data = next(iter(sent.items()))
        name = sent["of"]
        told, known, value = self.told.get(_first(data), (None, None, None))
        if told == name and _is_same(known, data):
            if word == "dict":
                self.given.append((value, _fields(value), False))
            return value
        kind = self.classes.get(name)
        if not kind and name.startswith(_OF_TORCH):
            kind = getattr(torch.return_types, name[len(_OF_TORCH):], tuple)
        kind = kind or find(name)
        if word == "dict":
            value = _made(kind, dict(zip(items[::2], items[1::2])))
            self.given.append((value, _fields(value), True))
            return value
        return kind._make(items) if hasattr(kind, "_make") else kind(items)

    def written(self):
        """The class of a copy that the call which ran was given and wrote, or
        None; objects of such classes are opened no more."""
        given, self.given = self.given, []
        lost = None
        for value, parts, is_copy in given:
            now = _fields(value)
            if not now or now.keys() != parts.keys() or \
                    any(now[name] is not parts[name] for name in parts):
                self.closed.add(type(value))
                lost = type(value) if is_copy else lost
        return lost

    def forget(self, number):
        self.told.pop(number, None)
