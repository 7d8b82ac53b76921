"""Things that are neither a module nor a function."""
import functools

from torch import nn

number = 3
table = {"a": 1}


def makes_number():
    return 3


class Plain:
    pass


class NoForward(nn.Module):
    pass


def scale(x, by):
    return x * by


double = functools.partial(scale, by=2)
halve = lambda x: x / 2  # noqa: E731


class Helper:
    def method(self, x):
        return x + 1


bound = Helper().method
