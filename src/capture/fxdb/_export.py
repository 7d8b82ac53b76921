"""torch.export in the user's torch, from what is typed: f32[N,3,H,W] is an
input whose lettered sizes stay open.
"""
import inspect
import logging

import torch

from fxdb import _check, _find

# What lettered sizes are while a model is exported: of a first dimension, and
# of the others; the next where the model refuses them.  Different letters have
# different numbers, and none is 0 or 1, which torch.export holds for fixed.
_FIRST = 5, 7, 11, 13
_OTHERS = (64, 96, 160, 192), (224, 256, 288, 320), (16, 24, 40, 48)


def _letters(texts):
    """input -> {dimension: letter}, for the inputs that have any."""
    return {name: _find.letters(text) for name, text in texts.items()
            if _find.letters(text)}


def _numbers(letters, others):
    """letter -> a number for it."""
    numbers = {}
    firsts, rest = iter(_FIRST), iter(others)
    for dimensions in letters.values():
        for at, letter in dimensions.items():
            if letter not in numbers:
                numbers[letter] = next(rest if at else firsts, None)
    if None in numbers.values():
        raise _find.Refused("limit", "at most %d different letters are for "
                            "sizes" % len(_FIRST))
    return numbers


def _with_numbers(text, numbers):
    word, sizes = _find.form(text)
    if word is None:
        return text
    return "%s[%s]" % (word, ",".join(str(numbers.get(size, size))
                                      for size in sizes))


def numbered(request, model):
    """The inputs of REQUEST as "x=f32[5,4]": those that have letters, with
    numbers for them, and the others."""
    texts = dict(_find.texts(request, "export", model))
    letters = _letters(texts)
    numbers = _numbers(letters, _OTHERS[0])
    return ["%s=%s" % (name, _with_numbers(texts[name], numbers))
            for name in letters], \
        ["%s=%s" % item for item in texts.items() if item[0] not in letters]


def _as_module(function):
    """torch.export takes modules alone."""
    module = torch.nn.Module()
    module.forward = function
    return module


def _split(given, signature):
    """What of GIVEN, by name, goes by place, and what by keyword."""
    places, plain = [], True
    for parameter in signature.parameters.values():
        plain = plain and parameter.name in given and \
            parameter.kind in (parameter.POSITIONAL_ONLY,
                               parameter.POSITIONAL_OR_KEYWORD)
        if plain:
            places.append(parameter.name)
    return (tuple(given[name] for name in places),
            {name: given[name] for name in given if name not in places})


def _program(model, given, letters):
    dim = torch.export.Dim
    # AUTO, where torch has it: what a model fixes is fixed, and told.
    open_ = getattr(dim, "AUTO", None)
    sizes = {name: {at: open_ if open_ is not None else dim(letter)
                    for at, letter in letters.get(name, {}).items()} or None
             for name in given}
    args, kwargs = _split(given, inspect.signature(model.forward))
    with _check.silence(), torch.no_grad():
        return torch.export.export(model, args, kwargs,
                                   dynamic_shapes=sizes if letters else None)


def _told(program, letters):
    """What became of the lettered sizes: "x[0] = s77, x[2] fixed at 64"."""
    told = []
    for node in program.graph.nodes:
        value = node.meta.get("val")
        for at, letter in letters.get(node.target, {}).items() \
                if node.op == "placeholder" else ():
            size = value.shape[at]
            told.append(("%s[%d] fixed at %s" if str(size).isdigit()
                         else "%s[%d] = %s") % (node.target, at, size))
    return ", ".join(told)


def export(request, model, module):
    """The module() of MODEL as torch.export gives it with the inputs of
    REQUEST, and what is told of its sizes.  Raises what torch.export raises.
    """
    if not hasattr(torch, "export"):
        raise _find.Refused("unsupported", "torch.export is of torch 2, and "
                            "this is torch %s" % torch.__version__,
                            "--example records a run")
    texts = dict(_find.texts(request, "export", model))
    letters = _letters(texts)
    root = model if isinstance(model, torch.nn.Module) else _as_module(model)
    # What goes wrong is told once, by the exception.
    logging.disable(logging.ERROR)
    program = error = None
    try:
        for others in _OTHERS[:len(_OTHERS) if letters else 1]:
            numbers = _numbers(letters, others)
            given = _find.values(request, {
                name: _with_numbers(text, numbers)
                for name, text in texts.items()}, module, model)
            try:
                _check.settle(root, given)
                program = _program(root, given, letters)
                break
            except Exception as now:
                error = error or now
                if type(now).__module__.startswith("torch."):
                    break  # what it is about is the code, not these sizes
    finally:
        logging.disable(logging.NOTSET)
    if program is None:
        raise error
    # (Its checks of inputs are no part of the model.)
    checks = {"check_guards": False} if "check_guards" in \
        inspect.signature(program.module).parameters else {}
    return program.module(**checks), _told(program, letters)
