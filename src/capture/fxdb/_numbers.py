"""Numbers of a recording: ints and floats that remember where they come from.
"""
import operator

from fxdb import _capture, _frame


class Entry:
    """The node of a value: a Proxy, or what makes one at its first use.  TELL
    gives the value as an expression of the debugger's meanwhile.
    """

    def __init__(self, make=None, proxy=None, tell=None):
        self.make = make
        self.proxy = proxy
        self.tell = tell
        self.whole = None  # of a part: (entry of all, entries of the parts)

    def get(self):
        if self.proxy is None:
            self.proxy = self.make()
        return self.proxy

    def text(self):
        """The value as an expression of nodes, "%x.shape[0] // 2"."""
        if self.proxy is None:
            return self.tell and self.tell()
        name = _capture.node_name(self.proxy)
        return name and "%" + name


def text_of(item):
    """ITEM, a number, as an expression; None where there is none."""
    return item.entry.text() if isinstance(item, Number) else repr(item)


def part_of(text, part):
    """The expression of the PART of what TEXT, which may be None, is of."""
    return text and text + part


def _joined(form, items):
    """FORM of the expressions of ITEMS; None where one has none."""
    texts = [text_of(item) for item in items]
    return None if None in texts else form % tuple(texts)


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

    def is_fixed(self, result=None):
        """A decision that asked for the number itself and gave RESULT."""
        self.recorder.note(self.value if result is None else result,
                           tests=[(text_of(self), self.value)])

    def __hash__(self):
        self.is_fixed()
        return hash(self.value)


class Size(Number, int):
    plain = int


class Real(Number, float):
    plain = float


def _arithmetic(function, form, swapped):
    def method(self, *others):
        recorder = self.recorder
        if others and not isinstance(others[0], (int, float)):
            if isinstance(others[0], (list, tuple, str, bytes)):
                self.is_fixed()  # [0] * n
            return NotImplemented
        given = (others + (self,)) if swapped else (self,) + others
        result = function(*map(plain_number, given))
        if not recorder.is_on:
            return result
        return Number.of(recorder, result, Entry(
            lambda: recorder.record(function, given),
            tell=lambda: _joined(form, given)))
    return method


_COMPARED = {"__eq__": "==", "__ne__": "!=", "__lt__": "<", "__le__": "<=",
             "__gt__": ">", "__ge__": ">="}
_CALLED = {"__bool__": "bool(%s)", "__int__": "int(%s)",
           "__round__": "round(%s)", "__abs__": "abs(%s)"}


def _decision(name):
    def method(self, *others):
        result = getattr(self.plain, name)(
            self.value, *[plain_number(item) for item in others])
        if not self.recorder or result is NotImplemented:
            return result
        if name in _COMPARED:
            self.recorder.note(result, tests=[(_joined(
                "%%s %s %%s" % _COMPARED[name], (self,) + others), result)])
        elif name in _CALLED and not others:
            self.recorder.note(result, tests=[(_joined(
                _CALLED[name], (self,)), result)])
        else:
            for item in others:
                if isinstance(item, Number):
                    item.is_fixed(result)
            self.is_fixed(result)
        return result
    return method


def plain_number(item):
    return item.value if isinstance(item, Number) else item


def _give_methods():
    for symbol, word in _frame.SYMBOLS.items():
        function, word = getattr(operator, word), word.rstrip("_")
        form = "(%%s %s %%s)" % symbol.replace("%", "%%")
        setattr(Number, "__%s__" % word, _arithmetic(function, form, False))
        setattr(Number, "__r%s__" % word, _arithmetic(function, form, True))
    Number.__neg__ = _arithmetic(operator.neg, "(-%s)", False)
    for word in ("eq", "ne", "lt", "le", "gt", "ge", "bool", "int", "float",
                 "str", "repr", "format", "round", "divmod", "abs", "trunc"):
        setattr(Number, "__%s__" % word, _decision("__%s__" % word))


_give_methods()
