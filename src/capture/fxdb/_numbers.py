"""Numbers of a recording: ints and floats that remember where they come from.
"""
import operator

from fxdb import _frame


class Entry:
    """The node of a value: a Proxy, or what makes one at its first use."""

    def __init__(self, make=None, proxy=None):
        self.make = make
        self.proxy = proxy

    def get(self):
        if self.proxy is None:
            self.proxy = self.make()
        return self.proxy


class Number:
    """What the recorded numbers share: arithmetic is recorded, a decision is
    noted."""

    recorder = None

    @staticmethod
    def of(recorder, value, entry):
        """VALUE, with ENTRY for its node, as long as RECORDER records."""
        kind = Size if type(value) is int else Real
        made = kind(value)
        made.recorder, made.entry, made.value = recorder, entry, value
        return made

    def __reduce__(self):
        return self.plain, (self.value,)

    def __hash__(self):
        self.recorder.note(self.value)
        return hash(self.value)


class Size(Number, int):
    plain = int


class Real(Number, float):
    plain = float


def _arithmetic(function, swapped):
    def method(self, *others):
        recorder = self.recorder
        if others and not isinstance(others[0], (int, float)):
            if isinstance(others[0], (list, tuple, str, bytes)):
                recorder.note(self.value)  # [0] * n
            return NotImplemented
        given = (others + (self,)) if swapped else (self,) + others
        result = function(*map(plain_number, given))
        if not recorder.is_on:
            return result
        return Number.of(recorder, result, Entry(
            lambda: recorder.record(function, given)))
    return method


def _decision(name):
    def method(self, *others):
        result = getattr(self.plain, name)(
            self.value, *[plain_number(item) for item in others])
        if self.recorder and result is not NotImplemented:
            self.recorder.note(result)
        return result
    return method


def plain_number(item):
    return item.value if isinstance(item, Number) else item


def _give_methods():
    for word in _frame.SYMBOLS.values():
        function, word = getattr(operator, word), word.rstrip("_")
        setattr(Number, "__%s__" % word, _arithmetic(function, False))
        setattr(Number, "__r%s__" % word, _arithmetic(function, True))
    Number.__neg__ = _arithmetic(operator.neg, False)
    for word in ("eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float",
                 "str", "repr", "format", "round", "divmod", "abs", "trunc"):
        setattr(Number, "__%s__" % word, _decision("__%s__" % word))


_give_methods()
