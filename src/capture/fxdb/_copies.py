"""Copies of a model in its own process, for copies of its graph (_run.py).

A run writes buffers and what the model's code remembers, so that each graph
runs a model of its own.  Values and their numbers are shared by all.
"""
import copy

from fxdb import _effects, _memory

# What asks for the model; the rest is of values.
_OF_MODEL = {"run_resolve", "run_call", "run_tensor"}


def of(runner, message):
    """The Runner that MESSAGE is for: RUNNER, or one of a copy."""
    number = message.pop("copy", 0)
    if not number:
        return runner
    if message["op"] in _OF_MODEL and number not in runner.copies:
        runner.copies[number] = _copied(runner)
    if message["op"] == "run_end_copy":
        runner.copies.pop(number, None)
    return runner.copies.get(number, runner)


def _copied(runner):
    """RUNNER for a copy of its model as it was before anything ran."""
    from fxdb import _run  # which needs this module
    memo = {}
    try:
        root, tensors, weights = copy.deepcopy(
            (runner.root, runner.tensors, runner.weights()), memo)
    except Exception as error:
        raise _run.NoValue("the model cannot be copied in Python: %s: %s" % (
            type(error).__name__, error))
    weights.restore()
    other = copy.copy(runner)
    other.root, other.tensors = root, tensors
    other.weights = lambda: weights
    other.targets = {text: _target(target, memo)
                     for text, target in runner.targets.items()}
    other.memories, other.began = {}, dict(runner.began)
    other.is_changed = False
    for path, saved in runner.began.items():
        module = other.root.get_submodule(path)
        memory = other._memory_of(module, _effects.buffers_of(module))
        if memory:
            # Globals are one for all that runs in the process.
            _memory.Memory(memory.modules, memory.buffers, []).restore(saved)
    return other


def _target(target, memo):
    try:
        return copy.deepcopy(target, memo)
    except Exception:  # a module of Python's, a lock: it stays the one
        return target
