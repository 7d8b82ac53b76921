"""What modules of the user's remember from call to call, for _run.py.

Buffers of one shape are put back as storages are.  Here is the rest: plain
attributes (self.calls += 1), containers of them, and tensors that get another
shape or another place (self.past = torch.cat([self.past, x])).
"""
import dis
import pickle

import torch

_ATOMS = (type(None), bool, int, float, complex, str, bytes)
_CONTAINERS = (list, tuple, set, frozenset)
_STORES = ("STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR")
_CHANGES = {"append", "clear", "extend", "insert", "pop", "popitem", "remove",
            "resize_", "setattr", "setdefault", "update"}
# What every module has.
_MACHINERY = set(vars(torch.nn.Module()))


def _code_stores(code):
    return any(step.opname in _STORES or
               isinstance(step.argval, str) and step.argval in _CHANGES
               for step in dis.get_instructions(code)) or \
        any(_code_stores(inner) for inner in code.co_consts
            if hasattr(inner, "co_code"))


def _remembers(module):
    """Whether a method of MODULE's class looks as if it kept something."""
    for kind in type(module).__mro__:
        if kind.__module__.partition(".")[0] == "torch":
            return False
        for name, method in vars(kind).items():
            code = getattr(method, "__code__", None)
            if code and name != "__init__" and _code_stores(code):
                return True
    return False


def _copied(value):
    """VALUE by itself; TypeError where it is more than plain data."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is torch.Tensor and value.layout is torch.strided and \
            not value.requires_grad:
        return value.clone()
    if kind in _CONTAINERS:
        return kind(_copied(item) for item in value)
    if kind is dict:
        return {_copied(key): _copied(item) for key, item in value.items()}
    raise TypeError("no plain value")


def _all_plain(table):
    """What is plain in TABLE, as bytes by name."""
    plain = {}
    for name, value in table.items():
        if name not in _MACHINERY:
            try:
                plain[name] = pickle.dumps(_copied(value), -1)
            except (TypeError, RuntimeError):  # too deep, of no device
                pass
    return plain


def _put(table, name, value):
    """VALUE under NAME; who else has the container there sees it, too."""
    now = table.get(name)
    if type(now) is not type(value) or type(now) not in (list, set, dict):
        table[name] = value
        return
    now.clear()
    (now.extend if type(now) is list else now.update)(value)


def _put_all(table, saved):
    now = _all_plain(table)
    for name in now.keys() - saved.keys():
        del table[name]
    for name, value in saved.items():
        if now.get(name) != value:
            _put(table, name, pickle.loads(value))


def lies(tensor):
    """How TENSOR lies in its storage."""
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


class Memory:
    """All that MODULES remember beside the bytes of BUFFERS, an owner, a name
    and a tensor each.
    """

    def __init__(self, modules, buffers):
        self.modules = modules
        self.first = {(id(owner), name): tensor
                      for owner, name, tensor in buffers}

    def _buffers(self, module):
        """Those that are what they were, and the others' values."""
        same, others = {}, {}
        for name, tensor in module._buffers.items():
            if tensor is not None and \
                    tensor is self.first.get((id(module), name)):
                same[name] = lies(tensor)
            else:
                others[name] = tensor
        return same, others

    def save(self):
        state = []
        for module in self.modules:
            same, others = self._buffers(module)
            state.append((_all_plain(vars(module)), same,
                          _all_plain(others)))
        return pickle.dumps(state, -1)

    def restore(self, saved):
        with torch.no_grad():
            for module, state in zip(self.modules, pickle.loads(saved)):
                self._restore(module, *state)

    def _restore(self, module, attributes, same, others):
        _put_all(vars(module), attributes)
        for name, how in same.items():
            tensor = self.first[id(module), name]
            if lies(tensor) != how:
                tensor.as_strided_(*how)
            module._buffers[name] = tensor
        for name in module._buffers.keys() - same.keys() - others.keys():
            del module._buffers[name]
        now = _all_plain(self._buffers(module)[1])
        for name, value in others.items():
            if now.get(name) != value:
                module._buffers[name] = pickle.loads(value)


def memory_of(own, buffers):
    """Of the modules OWN, if they remember anything, else None."""
    return Memory(own, buffers) if any(map(_remembers, own)) else None
