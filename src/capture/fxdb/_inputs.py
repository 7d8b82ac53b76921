"""Inputs of a recorded run that a graph cannot hold as they are: caches,
dataclasses, what the model's own functions give.  The tensors in them become
inputs of the graph, the rest is fixed.
"""
import copy
import dataclasses
import inspect

import torch

from fxdb import _find

_HOLDER = "example"  # the submodule that has the tensors, for the debugger
_PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.Tensor,
          torch.Size, torch.dtype, torch.device, slice, range)
_DEPTH = 12


class Object:
    """VALUE, what the model gets for its input NAME; tensors has those in it,
    by the names of the graph's inputs for them.
    """

    def __init__(self, name, value):
        self.name = name
        self.value = value
        found = []
        _collect(value, found, set(), 0)
        if value is not None and found and found[0] is value:
            self.tensors = {name: value}
        else:
            self.tensors = {"%s_%d" % (name, i + 1): tensor
                            for i, tensor in enumerate(found)}

    def map(self, function):
        """A copy with FUNCTION of the name and the value of each tensor."""
        memo = {id(tensor): function(name, tensor)
                for name, tensor in self.tensors.items()}
        return Object(self.name, copy.deepcopy(self.value, memo))

    def rest(self):
        """What of it is no input of the graph, in words; None: nothing."""
        kind = type(self.value).__name__
        if isinstance(self.value, (torch.Tensor, tuple, list)) and \
                all(isinstance(item, torch.Tensor) for item in self.value):
            return None
        return "%s, but for %d tensor%s" % (
            kind, len(self.tensors), "s" * (len(self.tensors) != 1)) \
            if self.tensors else kind


def _collect(value, found, seen, depth):
    """Add the tensors in VALUE to FOUND, in the order of its parts."""
    if depth > _DEPTH or isinstance(value, (type, torch.nn.Module)) or \
            id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, torch.Tensor):
        found.append(value)
        return
    parts = list(value.values()) if isinstance(value, dict) else \
        list(value) if isinstance(value, (tuple, list)) and \
        not isinstance(value, torch.Size) else []
    if dataclasses.is_dataclass(value):
        parts += [getattr(value, field.name, None)
                  for field in dataclasses.fields(value)]
    parts += list(getattr(value, "__dict__", {}).values())
    for part in parts:
        _collect(part, found, seen, depth + 1)


def _is_plain(value):
    """Whether the debugger can have VALUE as an input."""
    if type(value) is dict:
        return all(isinstance(key, str) for key in value) and \
            all(map(_is_plain, value.values()))
    if type(value) in (tuple, list):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN) and not isinstance(value, torch.nn.Module)


def is_own(text, module):
    """Whether TEXT says something that only MODULE knows."""
    try:
        code = compile(text.strip(), "<input>", "eval")
    except SyntaxError:  # f32[1,3]
        return False
    own = vars(module)
    return any(name in own and own[name] is not vars(torch).get(name, torch)
               for name in code.co_names)


def wrap(name, text, value, module):
    """VALUE of TEXT, for the input NAME, as an Object where it is one."""
    if name.startswith("*") and not isinstance(
            value, dict if name.startswith("**") else (tuple, list)):
        raise _find.Refused(
            "type", "%s stands for any number of inputs, and %s is no %s" % (
                name, text.strip(),
                "dict" if name.startswith("**") else "tuple"))
    is_held = _is_plain(value) and not name.startswith("*")
    if is_held and (not is_own(text, module) or not _tensors_in(value)):
        return value
    return Object(name.lstrip("*"), value)


def _tensors_in(value):
    found = []
    _collect(value, found, set(), 0)
    return found


def keep(root, given):
    """The tensors of the objects in GIVEN, in a submodule of ROOT: what the
    debugger begins with."""
    objects = [value for value in given.values()
               if isinstance(value, (Object, _Held))]
    if not any(each.tensors for each in objects):
        return
    holder = torch.nn.Module()
    for each in objects:
        for name, tensor in each.tensors.items():
            holder.register_buffer(name, tensor.detach().clone())
    setattr(root, _HOLDER, holder)


class _Held:
    """What a trace's input NAME is given by the model's own file: TEXT, what is
    typed for it, and the tensors in it by their names in the holder."""

    def __init__(self, name, value):
        self.name = name
        self.tensors = {}
        self.is_one = isinstance(value, torch.Tensor)
        self.text = self._text(value)

    def _text(self, value):
        if isinstance(value, torch.Tensor):
            part = self.name if self.is_one else "%s_%d" % (
                self.name, len(self.tensors) + 1)
            self.tensors[part] = value
            return "%s.%s" % (_HOLDER, part)
        if type(value) is dict:
            return "{%s}" % ", ".join("%r: %s" % (key, self._text(item))
                                      for key, item in value.items())
        if type(value) in (tuple, list):
            form = "[%s]" if type(value) is list else \
                "(%s,)" if len(value) == 1 else "(%s)"
            return form % ", ".join(map(self._text, value))
        return repr(value)


def held(values, texts):
    """VALUES of inputs by name, which were typed as TEXTS, for keep."""
    for name, value in values.items():
        if not _is_plain(value) or name.startswith("*"):
            raise _find.Refused(
                "type", "the input %s = %s is a %s, which only a run takes" % (
                    name, texts[name].strip(), type(value).__name__),
                "--example records one")
    return {name: _Held(name, value) for name, value in values.items()}


def typed(held, texts):
    """["x=example.x", ...]: what to type for the inputs that are typed as TEXTS,
    where some are HELD."""
    return ["%s=%s" % (name, held[name].text if name in held
                       else text.strip()) for name, text in texts.items()]


def texts(given, typed):
    """What to type for the inputs of the graph: ["x=f32[2]", ...]."""
    found = []
    for name, value in given.items():
        if isinstance(value, Object):
            found += ["%s=%s.%s" % (part, _HOLDER, part)
                      for part in value.tensors]
        else:
            found.append("%s=%s" % (name, typed[name].strip()
                                    if _tensors_in(value) else repr(value)))
    return found


def flat(given):
    """GIVEN by the names of the graph's inputs."""
    found = {}
    for name, value in given.items():
        if isinstance(value, Object):
            found.update(value.tensors)
        else:
            found[name] = value
    return found


class Fixed:
    """What a call has besides its inputs: VALUES, arguments by name that are
    none, and the names of the arguments that are given BY_PLACE."""

    def __init__(self, values, by_place):
        self.values = values
        self.by_place = by_place


def _parameters(root):
    """Those that ROOT, a module or function, takes by place."""
    function = root.forward if isinstance(root, torch.nn.Module) else root
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # TorchScript has none
        return []
    return [each for each in parameters if each.kind in
            (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]


def call(root, given, fixed=None):
    """What ROOT, a module or function, gives for GIVEN, by name: "*args" is
    what follows the others.  Hooks see what is given by place: that is FIXED's
    to say, else it is what has no default.
    """
    values = {name: value.value if isinstance(value, Object) else value
              for name, value in given.items()}
    values.update(fixed.values if fixed else {})
    rest = [values.pop(name) for name in list(values)
            if name[0] == "*" and name[1] != "*"]
    args = []
    for parameter in _parameters(root):
        if rest:
            args.append(values.pop(parameter.name, parameter.default))
        elif parameter.name in values and (
                parameter.name in fixed.by_place if fixed
                else parameter.default is parameter.empty):
            args.append(values.pop(parameter.name))
        else:
            break
    for more in rest:
        args += more
    for more in [values.pop(name) for name in list(values) if name[0] == "*"]:
        values.update(more)
    return root(*args, **values)
