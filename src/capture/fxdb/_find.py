"""From what was typed to what is traced: specs, leaf classes, fixed arguments.

A SPEC is FILE.py:EXPR or package.module:EXPR, EXPR evaluated in that module.
"""
import builtins
import difflib
import functools
import importlib
import importlib.util
import inspect
import os
import pkgutil
import re
import sys
import types

import torch
import torch.fx

import fxdb
from fxdb import _home, _inputs, _torch

FORMS = "a model is FILE.py:EXPR or package.module:EXPR"
_ALIASES = {"nn": "torch.nn", "F": "torch.nn.functional"}
# Words of a tensor's metadata for dtypes, as f32[1,3] has them (FILES).
_DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
           "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
           "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8,
           "b8": torch.bool, "c64": torch.complex64, "c128": torch.complex128}


class Refused(Exception):
    """A request that cannot be done; `code` is a word of error.def."""

    def __init__(self, code, message, hint=None):
        super().__init__(message)
        self.code = code
        self.hint = hint


def nearest(name, names):
    """A hint naming what is spelled like NAME, or None."""
    near = difflib.get_close_matches(name, list(names), 3, 0.65)
    return "nearest: " + ", ".join(near) if near else None


def _files_hint(folder, files):
    if not files:
        return "no Python file is in %s" % os.path.abspath(folder)
    return "there are: " + ", ".join(sorted(files)[:5]) + (
        ", ..." if len(files) > 5 else "")


def _load_file(path):
    if not os.path.isfile(path):
        folder = os.path.dirname(path) or "."
        files = [os.path.join(os.path.dirname(path), name)
                 for name in (os.listdir(folder)
                              if os.path.isdir(folder) else [])
                 if name.endswith(".py")]
        raise Refused("io", "\"%s\" %s" % (
            path, "is no file" if os.path.exists(path) else "does not exist"),
            nearest(path, files) or _files_hint(folder, files))
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0]
    found = importlib.util.spec_from_file_location(name, path)
    if found is None:
        raise Refused("usage", "\"%s\" is no Python file" % path)
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    found.loader.exec_module(module)
    return module


def _missing_module(path, missing):
    parent, _, name = missing.rpartition(".")
    try:
        folders = importlib.import_module(parent).__path__ if parent else None
        names = [(parent + "." if parent else "") + found.name
                 for found in pkgutil.iter_modules(folders)]
    except Exception:
        names = []
    text = "no Python module \"%s\"" % path
    if missing != path:
        text += ": there is no \"%s\"" % missing
    return Refused("no-name", text, nearest(missing, names) or
                   FORMS)


def load(spec):
    """The module that SPEC names, and the text of its expression or None."""
    path, colon, expression = spec.partition(":")
    if not colon:
        path, expression = spec, None
    if not path.endswith(".py") and os.path.isfile(path):
        raise Refused("usage", "\"%s\" is no Python file" % path,
                      "load opens files that hold a graph")
    if path.endswith(".py") or os.sep in path:
        return _load_file(path), expression
    sys.path.insert(0, os.getcwd())
    if not all(part.isidentifier() for part in path.split(".")):
        raise Refused("usage", "\"%s\" is neither FILE.py nor a module's name" %
                      path, FORMS)
    try:
        return importlib.import_module(path), expression
    except ModuleNotFoundError as error:
        if error.name and (path == error.name or
                           path.startswith(error.name + ".")):
            raise _missing_module(path, error.name) from None
        raise


def _models_of(module):
    """Names of what a bare SPEC could have meant."""
    return [name for name, value in vars(module).items()
            if isinstance(value, torch.nn.Module) or
            isinstance(value, type) and issubclass(value, torch.nn.Module) and
            value.__module__ == module.__name__]


class _Lazy(dict):
    """Names that a module makes when asked for (its __getattr__)."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def __missing__(self, name):
        if name in vars(self.module) or hasattr(builtins, name):
            raise KeyError(name)
        try:
            return getattr(self.module, name)
        except AttributeError:
            raise KeyError(name) from None


def _is_own(error):
    """Whether ERROR arose in the text of a SPEC itself."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return trace.tb_frame.f_code.co_filename == "<spec>"


def evaluate(module, expression, spec, kind="model", names_of=_models_of):
    """What EXPRESSION, of a KIND that MODULE has NAMES_OF, means in it."""
    if not expression:
        names = names_of(module)
        raise Refused("usage", "\"%s\" names no %s" % (spec, kind),
                      "add :EXPR, such as :%s" % ", :".join(names[:5])
                      if names else "add :EXPR")
    try:
        code = compile(expression.strip(), "<spec>", "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Refused("syntax", "\"%s\" is no expression: %s" % (
            expression, getattr(error, "msg", error))) from None
    try:
        return eval(code, vars(module), _Lazy(module))
    except NameError as error:
        name = getattr(error, "name", None) or str(error).split("'")[1]
        if not _is_own(error):
            raise
        names = names_of(module)
        raise Refused("no-name", "%s has no \"%s\"" % (module.__name__, name),
                      nearest(name, vars(module)) or (names and
                      "it has " + ", ".join(names[:5]))) from None
    except AttributeError as error:
        if not _is_own(error) or not getattr(error, "name", None):
            raise
        raise Refused("no-name", str(error), nearest(
            error.name, dir(error.obj))) from None


def _required(function):
    """Names of FUNCTION's parameters that must be given."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return []
    return [p.name for p in signature.parameters.values()
            if p.default is p.empty and
            p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def _not_a_function(value, spec, missing):
    """A callable that takes inputs and is no plain function: say how."""
    kind = "a partial" if isinstance(value, functools.partial) else \
        "a bound method" if isinstance(value, types.MethodType) else \
        "a built-in function" if isinstance(
            value, types.BuiltinFunctionType) else \
        "a callable %s" % type(value).__name__
    path, _, expression = spec.partition(":")
    inputs = ", ".join(missing)
    return Refused("type", "\"%s\" is %s; a module or a Python function is traced"
                   % (spec, kind),
                   "trace %s:(lambda %s: %s(%s))" % (path, inputs, expression,
                                                     inputs))


def _check_compiled(value, spec):
    """Refuses what TorchScript compiled: it has no Python code."""
    if isinstance(value, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        raise Refused("type", "\"%s\" is a %s: TorchScript compiled it, and no "
                      "Python code is left to trace" % (
                          spec, "ScriptModule" if isinstance(
                              value, torch.nn.Module) else "ScriptFunction"),
                      "trace what it was made from; a part of another model "
                      "may be compiled, and is one node")


def model(value, spec, module):
    """What SPEC gave in MODULE, as a module or a function to trace, or a graph
    of fxdb or of torch.fx alone."""
    _check_compiled(value, spec)
    value = _torch.module_of(value)
    if not isinstance(value, torch.nn.Module) and callable(value):
        missing = _required(value)
        if missing and inspect.isfunction(value):
            return value
        if missing and isinstance(value, type):
            raise Refused("usage", "\"%s\" needs arguments: %s" %
                          (spec, ", ".join(missing)),
                          "trace %s(%s)" % (spec, ", ".join(
                              name + "=..." for name in missing)))
        if missing:
            raise _not_a_function(value, spec, missing)
        value = _torch.module_of(value())
        spec += "()"
        _check_compiled(value, spec)
    if isinstance(value, (fxdb.Graph, torch.fx.Graph)):
        return value
    if isinstance(value, torch.nn.Module):
        value = fxdb._compiled(value)
        if type(value).forward is torch.nn.Module.forward:
            raise Refused("type", "\"%s\", a %s, has no forward" %
                          (spec, type(value).__name__))
        return value
    if inspect.isfunction(value):
        return value
    raise Refused("type", "\"%s\" is of type %s, neither a module nor a function" %
                  (spec, type(value).__name__), _models_hint(module, spec))


def _models_hint(module, spec):
    names = [name for name in _models_of(module)
             if name != spec.partition(":")[2]]
    return "%s has: %s" % (module.__name__, ", ".join(names[:5])) \
        if names else None


def _named(name, module):
    """A dotted name from the model's module or by import."""
    head, _, rest = name.partition(".")
    base = vars(module).get(head)
    if base is None:
        parts = (_ALIASES.get(head, head) + ("." + rest if rest else "")
                 ).split(".")
        for cut in range(len(parts) - 1, 0, -1):
            try:
                base = importlib.import_module(".".join(parts[:cut]))
            except (ImportError, ValueError):
                continue
            rest = ".".join(parts[cut:])
            break
        else:
            raise Refused("no-name", "--leaf: no class \"%s\"" % name,
                          nearest(name, vars(module)) or "a class of the "
                          "model's file, or a dotted name as nn.Linear")
    for part in rest.split(".") if rest else []:
        if not hasattr(base, part):
            raise Refused("no-name", "--leaf: no class \"%s\"" % name,
                          nearest(part, dir(base)))
        base = getattr(base, part)
    if not isinstance(base, type):
        raise Refused("type", "--leaf takes a class, and \"%s\" is of type %s" %
                      (name, type(base).__name__))
    return base


def tracer(request, module, root=None):
    """The tracer asked for: its class, with the leaf classes added; where ROOT
    has compiled parts, those too."""
    base = fxdb.Tracer
    if request.get("tracer"):
        owner, expression = load(request["tracer"])
        base = evaluate(owner, expression, request["tracer"])
        if not (isinstance(base, type) and issubclass(base, fxdb.Tracer)):
            raise Refused("type", "\"%s\" is no subclass of fxdb.Tracer" %
                          request["tracer"])
    leaves = tuple(_named(name, module) for name in request.get("leaf", []))
    if isinstance(root, torch.nn.Module) and any(
            isinstance(each, torch.jit.ScriptModule)
            for each in root.modules()):
        leaves += torch.jit.ScriptModule,
    if not leaves:
        return base()

    class LeafTracer(base):
        def is_leaf_module(self, module, path):
            return isinstance(module, leaves) or \
                super().is_leaf_module(module, path)
    LeafTracer.__name__ = base.__name__
    return LeafTracer()


def word(dtype):
    """How DTYPE is typed: "f32"."""
    return next(word for word, each in _DTYPES.items() if each == dtype)


def form(text):
    """The word and the sizes, as texts, of "f32[N,3]"; (None, []) of any other
    text."""
    match = re.fullmatch(r"\s*([a-z]+\d+)\[([\w,\s]*)\]\s*", text)
    return (match[1], [size.strip() for size in match[2].split(",")
                       if size.strip()]) if match else (None, [])


def letters(text):
    """The sizes of "f32[N,3]" that are letters, by dimension."""
    return {at: size for at, size in enumerate(form(text)[1])
            if not size.isdigit()}


def _file(path, name=None):
    """The tensor in a file of numpy's: of a .npz NAME, or the only one."""
    try:
        import numpy
    except ImportError:
        raise Refused("unsupported", "%s is for numpy to read, which this "
                      "Python has not" % path) from None
    found = numpy.load(os.path.expanduser(path), allow_pickle=False)
    if not isinstance(found, numpy.ndarray):
        if name not in found and len(found.files) != 1:
            raise KeyError("%s has the arrays %s" % (path,
                                                     ", ".join(found.files)))
        found = found[name if name in found else found.files[0]]
    return torch.from_numpy(found.copy())


def example(name, text, seed, module, home=None):
    """What the input NAME = TEXT, "f32[1,3]", a file of numpy's or a Python
    expression over torch and MODULE, is under SEED: the values that fxdb gives
    it (session/input.c).  What no expression places lies on the device HOME."""
    word, sizes = form(text)
    if word in _DTYPES and all(size.isdigit() for size in sizes):
        return filled(list(map(int, sizes)), _DTYPES[word], seed).to(
            home or "cpu")
    if re.fullmatch(r"""[^\s'"()[\],]+\.np[yz]""", text.strip()):
        return _file(text.strip(), name).to(home or "cpu")
    torch.manual_seed(seed)
    return eval(text.strip(), {**vars(torch), "torch": torch, "file": _file,
                               **vars(module)})


def filled(sizes, dtype, seed):
    """Normal for floats and complex numbers, else zeros."""
    small = dtype.is_floating_point and torch.finfo(dtype).bits < 16
    tensor = torch.zeros(sizes, dtype=torch.float if small else dtype)
    if dtype.is_floating_point or dtype.is_complex:
        tensor.normal_(generator=torch.Generator().manual_seed(seed))
    return tensor.to(dtype)


def _texts(items, flag, root):
    """What is typed for inputs of ROOT, by name, from ITEMS as "x=f32[1,3]".
    """
    names = fxdb.inputs(root)
    takes_any = any(name.startswith("**") for name in names)
    texts = {}
    for item in items:
        name, equals, text = item.partition("=")
        name = name.strip().lstrip("%")
        if not equals or not text.strip():
            raise Refused("usage", "%s takes NAME=SPEC, not \"%s\"" %
                          (flag, item), "%s %s=%s" % (flag, names[0], item)
                          if names and not equals and not
                          name.isidentifier() else None)
        if name not in names and not (takes_any and name.isidentifier()):
            raise Refused("no-input", "the model has no input \"%s\"" % name,
                          nearest(name, names) or
                          "its inputs: " + ", ".join(names))
        texts[name] = text
    return texts


def _value(name, text, seed, module, home):
    if text.strip() == "...":
        raise Refused("value", "the input %s = ...: a shape or a value goes "
                      "there" % name, "such as -i %s=f32[1,3], randn(1, 3)" %
                      name)
    open_ = letters(text)
    if open_:
        word, sizes = form(text)
        numbers = [size if at not in open_ else "224" if at else "2"
                   for at, size in enumerate(sizes)]
        raise Refused("value", "the input %s = %s: a run that is recorded has "
                      "numbers for its sizes, not %s" % (
                          name, text.strip(), " and ".join(open_.values())),
                      "such as -i %s=%s[%s]" % (name, word, ",".join(numbers)))
    try:
        return example(name, text, seed, module, home)
    except Exception as error:
        is_form = isinstance(error, NameError) and any(
            re.search(r"\b%s\[" % word, text) for word in _DTYPES)
        raise Refused("value", "the input %s = %s: %s: %s" % (
            name, text.strip(), type(error).__name__, error),
            "within a value a tensor is a value too, as randn(2, 3)"
            if is_form else None) from None


def values(request, texts, module, root):
    """The values of TEXTS, inputs of ROOT, by name, each under the seed of its
    place."""
    home = _home.home_of_model(root)
    return {name: _value(name, text, request["seed"] + at, module, home)
            for at, (name, text) in enumerate(texts.items())}


def _inputs_of(request, texts, module, home):
    """The values of TEXTS, by name, as a recording takes them, each under the
    seed of its place among the inputs of the graph (session/input.c)."""
    given, seed = {}, request["seed"]
    for name, text in texts.items():
        given[name] = _inputs.wrap(name, text,
                                   _value(name, text, seed, module, home),
                                   module)
        seed += len(_inputs.flat({name: given[name]}))
    return given


def texts(request, key, root):
    """What is typed for the inputs of a run of ROOT that REQUEST asks for under
    KEY: (name, text), in the order of the parameters.
    """
    names = fxdb.inputs(root)
    texts = _texts(request[key], "-i", root)
    if request.get("concrete"):
        raise Refused("usage", "--concrete fixes an input of a trace; a run "
                      "takes it with -i")
    missing = [name for name in _required(
        root.forward if isinstance(root, torch.nn.Module) else root)
        if name not in texts]
    if missing:
        raise Refused("no-input", "a run needs the input%s %s" % (
            "s" * (len(missing) > 1), ", ".join(missing)),
            "add " + " ".join("-i %s=..." % name for name in missing) +
            ", a shape as f32[1,3] or a value as randn(1, 3)")
    order = [name for name in names if name in texts]
    order += [name for name in texts if name not in names]
    return [(name, texts[name]) for name in order]


def own_inputs(request, module, root):
    """(values, texts) by name: of inputs of a trace, or of an export, those that
    say what only MODULE knows, and what is typed for all.  fxdb reads the others.
    """
    items = request.get("inputs") or request.get("export") or []
    if not any(_inputs.is_own(item.partition("=")[2], module)
               for item in items):
        return {}, {}
    texts = _texts(items, "-i", root)
    home = _home.home_of_model(root)
    return {name: _value(name, text, request["seed"] + at, module, home)
            for at, (name, text) in enumerate(texts.items())
            if _inputs.is_own(text, module)}, texts


def examples(request, module, root):
    """The inputs to record with, by name, in the order of the parameters; and
    those to record with once more, or None.
    """
    typed = dict(texts(request, "example", root))
    home = _home.home_of_model(root)
    given = _inputs_of(request, typed, module, home)
    if not request.get("vary"):
        return given, None
    others = _texts(request["vary"], "--vary", root)
    unknown = [name for name in others if name not in given]
    if unknown:
        raise Refused("no-input", "--vary %s: -i does not give it" %
                      unknown[0], "add -i %s=..." % unknown[0])
    both = _inputs_of(request, dict(typed, **others), module, home)
    return given, {name: both[name] if name in others else given[name]
                   for name in given}


def concrete(request, module, root):
    """The arguments fixed with --concrete, or None."""
    values = {}
    names = fxdb.inputs(root)
    for item in request.get("concrete", []):
        name, equals, text = item.partition("=")
        name = name.strip()
        if not equals or not text.strip():
            raise Refused("usage", "--concrete takes NAME=VALUE, not \"%s\"" %
                          item)
        if name not in names:
            raise Refused("no-name", "--concrete: the model has no input \"%s\"" %
                          name, nearest(name, names) or
                          "its inputs: " + ", ".join(names))
        if name in values:
            raise Refused("usage", "--concrete fixes \"%s\" twice" % name,
                          "give one of them")
        try:
            values[name] = eval(text.strip(), dict(vars(module), PH=fxdb.PH))
        except Exception as error:
            raise Refused("value", "--concrete %s: %s: %s" % (
                item, type(error).__name__, error)) from None
    return values or None
