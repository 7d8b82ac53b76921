"""What code of the user's remembers from call to call, for _run.py.

Buffers of one shape are put back as storages are.  Here is the rest: plain
attributes (self.calls += 1), containers of them, and tensors that get another
shape or another place (self.past = torch.cat([self.past, x])); the same of
objects that a module has (self.helper.calls += 1), and globals that its code,
or a function that it calls, writes.
"""
import dis
import pickle
import types

import torch

_ATOMS = (type(None), bool, int, float, complex, str, bytes)
_CONTAINERS = (list, tuple, set, frozenset)
_STORES = ("STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR")
_CHANGES = {"append", "clear", "extend", "insert", "pop", "popitem", "remove",
            "resize_", "setattr", "setdefault", "update"}
# What changes a global that is a container, and says other things of modules.
_MORE = {"add", "difference_update", "discard", "intersection_update",
         "reverse", "sort", "symmetric_difference_update"}
# Functions that are looked into for each that is called.
_MOST = 100
# More items of a global are not copied for each call.
_LARGE = 10000
# What every module has.
_MACHINERY = set(vars(torch.nn.Module()))


def _code_stores(code, changes=_CHANGES):
    return any(step.opname in _STORES or
               isinstance(step.argval, str) and step.argval in changes
               for step in dis.get_instructions(code)) or \
        any(_code_stores(inner, changes) for inner in code.co_consts
            if hasattr(inner, "co_code"))


def _in_place_names(code):
    return any(name == "data" or name[-1:] == "_" and name[:1] != "_"
               for name in code.co_names) or \
        any(_in_place_names(inner) for inner in code.co_consts
            if hasattr(inner, "co_code"))


def writes_in_place(kind):
    """Whether a method of the class KIND calls what ends in an underscore, or
    takes the data of a parameter.
    """
    return any(_in_place_names(method.__code__) for base in kind.__mro__
               if not _is_of_torch(base.__module__)
               for name, method in vars(base).items()
               if name != "__init__" and hasattr(method, "__code__"))


def _is_of_torch(name):
    return str(name).partition(".")[0] == "torch"


def _remembers(module):
    """Whether a method of MODULE's class looks as if it kept something."""
    for kind in type(module).__mro__:
        if _is_of_torch(kind.__module__):
            return False
        for name, method in vars(kind).items():
            code = getattr(method, "__code__", None)
            if code and name != "__init__" and _code_stores(code):
                return True
    return False


def _written_globals(code, table, found, seen):
    """Add the names in TABLE that CODE, or what it calls there, may write."""
    if code in seen or len(seen) > _MOST:
        return
    seen.add(code)
    may_store = _code_stores(code, _CHANGES | _MORE)
    for step in dis.get_instructions(code):
        if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            found.add(step.argval)
        elif step.opname == "LOAD_GLOBAL":
            value = table.get(step.argval)
            if may_store and type(value) in (list, set, dict) and \
                    len(value) <= _LARGE:
                found.add(step.argval)
            elif type(value) is types.FunctionType and \
                    value.__globals__ is table:
                _written_globals(value.__code__, table, found, seen)
    for inner in code.co_consts:
        if hasattr(inner, "co_code"):
            _written_globals(inner, table, found, seen)


def _globals_of(functions):
    """Pairs of a module's names and which of them FUNCTIONS may write."""
    tables = {}
    for function in functions:
        if type(function) is types.FunctionType and \
                not _is_of_torch(function.__module__):
            table = function.__globals__
            _, found, seen = tables.setdefault(id(table),
                                               (table, set(), set()))
            _written_globals(function.__code__, table, found, seen)
    return [(table, sorted(found)) for table, found, _ in tables.values()
            if found]


def _methods(module):
    return [method for kind in type(module).__mro__
            if not _is_of_torch(kind.__module__)
            for method in vars(kind).values()]


def _package(kind):
    return kind.__module__.partition(".")[0]


def _objects(module):
    """Objects of other classes of MODULE's package that it has, if they or it
    remember something.
    """
    return {name: value for name, value in vars(module).items()
            if name not in _MACHINERY
            and not isinstance(value, (type, torch.nn.Module, torch.Tensor))
            and _package(type(value)) == _package(type(module))
            and type(getattr(value, "__dict__", None)) is dict
            and (_remembers(module) or _remembers(value))}


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
    """What is plain in TABLE, as bytes by name; None for what is not."""
    plain = {}
    for name, value in table.items():
        if name not in _MACHINERY:
            try:
                plain[name] = pickle.dumps(_copied(value), -1)
            except (TypeError, RuntimeError):  # too deep, of no device
                plain[name] = None
    return plain


def _put(table, name, value):
    """VALUE under NAME; who else has the container there sees it, too."""
    now = table.get(name)
    if type(now) is not type(value) or type(now) not in (list, set, dict):
        table[name] = value
        return
    now.clear()
    (now.extend if type(now) is list else now.update)(value)


def _part(table, names):
    return {name: table[name] for name in names if name in table}


def _put_all(table, saved, names=None):
    """What is plain in TABLE, of NAMES if they are given, is SAVED again."""
    now = _all_plain(table if names is None else _part(table, names))
    for name in now.keys() - saved.keys():
        if now[name] is not None:
            del table[name]
    for name, value in saved.items():
        if value is not None and now.get(name) != value:
            _put(table, name, pickle.loads(value))


def lies(tensor):
    """How TENSOR lies in its storage."""
    return tuple(tensor.shape), tensor.stride(), tensor.storage_offset()


class Memory:
    """All that MODULES remember beside the bytes of BUFFERS, an owner, a name
    and a tensor each, and what TABLES have under some names.
    """

    def __init__(self, modules, buffers, tables):
        self.modules = modules
        self.buffers = buffers
        self.tables = tables
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
            objects = {name: _all_plain(vars(value))
                       for name, value in _objects(module).items()}
            state.append((_all_plain(vars(module)), same,
                          _all_plain(others), objects))
        globals_ = [_all_plain(_part(table, names))
                    for table, names in self.tables]
        return pickle.dumps((state, globals_), -1)

    def restore(self, saved):
        state, globals_ = pickle.loads(saved)
        with torch.no_grad():
            for module, one in zip(self.modules, state):
                self._restore(module, *one)
            for (table, names), one in zip(self.tables, globals_):
                _put_all(table, one, names)

    def _restore(self, module, attributes, same, others, objects):
        _put_all(vars(module), attributes)
        now = _objects(module)
        for name in objects.keys() & now.keys():
            _put_all(vars(now[name]), objects[name])
        for name, how in same.items():
            tensor = self.first[id(module), name]
            if lies(tensor) != how:
                tensor.as_strided_(*how)
            module._buffers[name] = tensor
        for name in module._buffers.keys() - same.keys() - others.keys():
            del module._buffers[name]
        now = _all_plain(self._buffers(module)[1])
        for name, value in others.items():
            if value is not None and now.get(name) != value:
                module._buffers[name] = pickle.loads(value)


def memory_of(own, buffers):
    """Of the modules OWN, if they remember anything, else None."""
    tables = _globals_of([method for module in own
                          for method in _methods(module)])
    remembers = any(_remembers(module) or _objects(module) for module in own)
    return Memory(own, buffers, tables) if remembers or tables else None


def memory_of_function(function):
    """Of what FUNCTION writes elsewhere, or None."""
    tables = _globals_of([function])
    return Memory([], [], tables) if tables else None
