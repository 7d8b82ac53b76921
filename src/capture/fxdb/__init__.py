"""fxdb's symbolic tracer: torch.fx's Tracer, Proxy and wrap, recorded in C.

    import fxdb
    graph = fxdb.symbolic_trace(model)      # touches nothing in the model
    print(graph.code)

Rules are torch.fx's; its classes are neither called nor needed.
"""
import copy
import functools
import inspect
import math
import sys
import types
import warnings

import torch
import torch.fx
from torch.utils import _pytree

from . import _capture, _frame, _results
from ._capture import Graph, Node, Proxy

__all__ = ["Graph", "Node", "Proxy", "Tracer", "symbolic_trace", "from_torch",
           "to_torch", "load", "wrap", "inputs", "backend", "breakpoint",
           "debug", "PH"]

_VARARGS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_wrapped_fns_to_patch = []
PH = torch.fx._symbolic_trace.PH
_PH_TYPE = type(PH)
_TRACE_ERROR = torch.fx.proxy.TraceError
_RECORDED = ("call_function", "call_method", "call_module", "placeholder",
             "get_attr")
# What param_shapes_constant answers for a parameter.
_OF_SHAPES = "shape", "size", "dim", "ndim", "numel", "nelement"
# Before a trace wraps it.
_assert_is_none = torch.fx._symbolic_trace._assert_is_none


def wrap(name_or_function):
    """Record calls of a function instead of tracing into it.

    Call it at module level with the function or its name in that module, or
    use it as a decorator.  Returns its argument.
    """
    if callable(name_or_function):
        name = name_or_function.__name__
    elif isinstance(name_or_function, str):
        name = name_or_function
    else:
        raise RuntimeError("wrap takes a function or its name")
    frame = inspect.currentframe().f_back
    if frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap is called at module level only")
    _wrapped_fns_to_patch.append((frame.f_globals, name))
    return name_or_function


def _type_text(annotation):
    """How a listing shows an annotation; None when there is none."""
    if annotation is None:
        return None
    if isinstance(annotation, str):
        return repr(annotation)
    if isinstance(annotation, type) and \
            not isinstance(annotation, types.GenericAlias):
        if annotation.__module__ == "builtins":
            return annotation.__qualname__
        return annotation.__module__ + "." + annotation.__qualname__
    if annotation is ...:
        return "..."
    if isinstance(annotation, types.FunctionType):
        return annotation.__name__
    return repr(annotation)


def _without_varargs(function, total):
    """FUNCTION taking its *args, **kwargs and keyword-only parameters as
    plain ones, so that a Proxy can stand for each."""
    code = function.__code__
    code = code.replace(co_argcount=total, co_posonlyargcount=0,
                        co_kwonlyargcount=0,
                        co_flags=code.co_flags & ~_VARARGS)
    return types.FunctionType(code, function.__globals__, function.__name__,
                              function.__defaults__, function.__closure__)


def _code_parameters(function):
    """Names of FUNCTION's parameters in the order torch.fx makes inputs of
    them: plain, keyword-only, *args, **kwargs; and how many variables they
    take."""
    code = function.__code__
    total = code.co_argcount + code.co_kwonlyargcount
    names = list(code.co_varnames[:total])
    for flag, stars in ((inspect.CO_VARARGS, "*"),
                        (inspect.CO_VARKEYWORDS, "**")):
        if code.co_flags & flag:
            names.append(stars + code.co_varnames[total])
            total += 1
    return names, total


def _compiled(root):
    """ROOT; a GraphModule that Dynamo left uncompiled is compiled first, as
    torch.fx's tracer does."""
    lazy = sys.modules.get("torch.fx._lazy_graph_module")
    if lazy:
        lazy._LazyGraphModule.force_recompile(root)
    return root


def _function_of(root, name="forward"):
    if isinstance(root, torch.nn.Module):
        if not hasattr(type(root), name):
            raise AssertionError("traced_func_name=%s doesn't exist in %s" % (
                name, type(root).__name__))
        return getattr(type(root), name)
    if not isinstance(root, types.FunctionType):
        raise TypeError("a module or a Python function is traced, not a %s; "
                        "a lambda that calls it can be" % type(root).__name__)
    return root


def inputs(root):
    """Names of the inputs that a trace of ROOT, a module or function, has."""
    inner = inspect.unwrap(_function_of(root))
    if not isinstance(inner, types.FunctionType):
        return []
    names, _ = _code_parameters(inner)
    return names[1:] if isinstance(root, torch.nn.Module) else names


def _caller(function, inner, names, total):
    """A callable that takes one value for each of NAMES and calls FUNCTION,
    which may be a wrapper around INNER."""
    if total == inner.__code__.co_argcount:
        return function
    if function is inner:
        return _without_varargs(inner, total)
    # A decorated function with *args, **kwargs or keyword-only parameters:
    # the wrapper is called by name, so that it does what it does; nothing is
    # left over for *args and **kwargs.
    takes = inspect.signature(function, follow_wrapped=False).parameters
    plain = [p for p in takes.values()
             if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    by_name = any(p.kind == p.VAR_KEYWORD for p in takes.values())
    keyword_only = inner.__code__.co_varnames[
        inner.__code__.co_argcount:][:inner.__code__.co_kwonlyargcount]
    first = len(plain) if by_name else inner.__code__.co_argcount

    def call(*values):
        given = [(name, value) for name, value in zip(names, values)
                 if name[0] != "*"]
        return function(
            *[value for name, value in given[:first]
              if name not in keyword_only],
            **{name: value for name, value in given
               if name in keyword_only or name in dict(given[first:])})
    return call


class Tracer:
    """One symbolic trace; subclass it to change what a leaf is, what paths
    modules have or what may be an argument.

    After a trace that failed, `partial` is the Graph so far.
    `traced_func_name` is the method of a module that is traced.  Switches, as
    torch.fx has them: `param_shapes_constant`, `proxy_buffer_attributes`,
    `trace_asserts`, `check_mutable_operations`.
    """

    partial = None
    traced_func_name = "forward"
    param_shapes_constant = proxy_buffer_attributes = False
    trace_asserts = check_mutable_operations = False
    _autowrap = ()
    _hold = None  # called with what a trace's module is, before it

    def __init__(self, autowrap_modules=(math,), autowrap_functions=(),
                 param_shapes_constant=False):
        """Functions of AUTOWRAP_MODULES, of math always, and
        AUTOWRAP_FUNCTIONS are recorded as if marked by wrap, wherever a module
        that is traced has them by name."""
        self.param_shapes_constant = param_shapes_constant
        self._autowrap = tuple(autowrap_modules), tuple(autowrap_functions)

    def __deepcopy__(self, memo):
        """What the modules of autowrap_modules have stays shared."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in vars(self).items():
            setattr(made, name, value if name == "_autowrap"
                    else copy.deepcopy(value, memo))
        return made

    def is_leaf_module(self, module, path):
        """Whether a call of MODULE, which lies at PATH, is recorded whole
        instead of traced into.  Here: torch.nn's own, Sequential excepted."""
        return _capture.is_leaf_module(module)

    def path_of_module(self, module):
        """The dotted path that a call_module node names: the first under
        which the root has MODULE.  NameError when it has not."""
        return _capture.path_of_module(module)

    def create_arg(self, argument):
        """What is recorded for ARGUMENT, asked for every value that becomes
        an argument, containers before what they hold.  Return something that
        may stand in a graph (a number, string, Proxy, tensor, or a container
        of them), or what this method gives for it."""
        return _capture.create_arg(argument)

    def create_proxy(self, kind, target, args, kwargs, name=None,
                     type_expr=None, proxy_factory_fn=None):
        """Record a call of TARGET and give its Proxy: KIND is "call_function"
        with a function, "call_method" with a method's name, "call_module" with
        a path, "placeholder" with the name of an input, "get_attr" with the
        path of a parameter.  Asked for all of these, but for what create_arg
        makes; classes made with torch.fx.ProxyableClassMeta ask for it too.
        NAME is the node's, numbered where it is taken."""
        if kind not in _RECORDED:
            raise NotImplementedError("create_proxy records inputs, attributes "
                                      "and calls, not %s" % kind)
        return _capture.record(kind, target, tuple(args), dict(kwargs), name,
                               False, type_expr, proxy_factory_fn)

    def create_node(self, kind, target, args, kwargs, name=None,
                    type_expr=None):
        """Add a node and give it: asked for every one, also by create_arg and
        for the output.  In ARGS and KWARGS values are Nodes."""
        if kind == "call_function" and self.check_mutable_operations:
            torch.fx.operator_schemas.check_for_mutable_operation(
                target, args, kwargs)
        node = _capture.create_node(kind, target, tuple(args), dict(kwargs),
                                    name)
        if type_expr is not None:
            node.type = type_expr
        return node

    def proxy(self, node):
        """The Proxy of NODE, which create_proxy made."""
        return _capture.proxy(node)

    def getattr(self, attr, attr_val, parameter_proxy_cache):
        """What a module gives for its attribute ATTR, which is ATTR_VAL: a
        Proxy for a parameter, one for each path in PARAMETER_PROXY_CACHE; with
        proxy_buffer_attributes for a buffer too."""
        if isinstance(attr_val, torch.nn.Parameter):
            named = self.root.named_parameters()
        elif self.proxy_buffer_attributes and \
                isinstance(attr_val, torch.Tensor):
            named = self.root.named_buffers()
        else:
            return attr_val
        for path, tensor in named:
            if tensor is attr_val:
                if path not in parameter_proxy_cache:
                    parameter_proxy_cache[path] = self._known(
                        self.create_proxy("get_attr", path, (), {}), tensor)
                return parameter_proxy_cache[path]
        return attr_val

    def _known(self, proxy, tensor):
        """PROXY; with param_shapes_constant it knows the sizes of TENSOR."""
        if self.param_shapes_constant:
            for name in _OF_SHAPES:
                setattr(proxy, name, getattr(tensor, name))
        return proxy

    def _attribute(self, name, value):
        return self.getattr(name, value, self._parameters)

    def _truth(self, proxy):
        """The truth of PROXY for the caller."""
        if self.trace_asserts and _frame.is_assert(sys._getframe(1)):
            self.create_proxy("call_function", torch.fx.proxy.assert_fn,
                              (proxy,), {})
            return True
        return self.to_bool(proxy)

    def call_module(self, module, forward, args, kwargs):
        """What a call of MODULE gives: a Proxy of one node for a leaf, else
        what forward(*args, **kwargs), its own call, gives."""
        return _capture.call_module(module, forward, tuple(args), dict(kwargs))

    def _keys_of(self, proxy):
        return functools.partial(self.keys, proxy)

    def _forward_of(self, module):
        return functools.partial(_capture.original_call, module)

    def to_bool(self, proxy):
        """The truth of a traced value, that an if asks for: refused."""
        raise _TRACE_ERROR("symbolically traced variables cannot be used as "
                           "inputs to control flow: the truth of %%%s is not "
                           "known while tracing" % proxy.node.name)

    def iter(self, proxy):
        """An iterator over the items of a traced value: refused."""
        raise _TRACE_ERROR("a loop asks for the items of %%%s, and how many "
                           "there are is not known while tracing" %
                           proxy.node.name)

    def keys(self, proxy):
        """What proxy.keys() gives: a call of that method."""
        return self.create_proxy("call_method", "keys", (proxy,), {})

    def create_args_for_root(self, root_fn, is_module, concrete_args=None):
        """(function, values): what a trace calls, and on what; inputs are made
        here."""
        inner, names, call, fixed = _plan(root_fn, is_module, concrete_args)
        defaults = _defaults(inner)
        values = [self.root] * is_module
        for name in names[is_module:]:
            values.append(self._input(name, fixed, defaults,
                                      inner.__annotations__))
        if not any(_is_nested(fixed[name]) for name in names if name in fixed):
            return call, values
        values, shape = _pytree.tree_flatten(tuple(values))
        names = [name for name in names if name[0] != "*"]
        _capture.nested(tuple(names))

        def flat(*parts):
            results, shape_out = _pytree.tree_flatten(
                call(*_pytree.tree_unflatten(list(parts), shape)))
            self._containers = names, shape, shape_out
            return results
        return flat, values

    def _input(self, name, fixed, defaults, notes):
        """What the function gets for its parameter NAME."""
        default = (defaults[name],) if name in defaults else ()
        if name not in fixed:
            return self.create_proxy("placeholder", name, default, {},
                                     type_expr=notes.get(name))
        # A fixed one: a placeholder for each part all the same (semantics 2.2).
        count = 0

        def part(value):
            nonlocal count
            count += 1
            proxy = self.create_proxy("placeholder", "%s_%d" % (name, count),
                                      default, {})
            return proxy if isinstance(value, _PH_TYPE) else self._checked(
                name, value, proxy)
        return _pytree.tree_map(part, fixed[name])

    def _checked(self, name, value, proxy):
        """VALUE, with an assertion in the graph that later calls agree."""
        text = "%s has been specialized to have value %s but got another " \
            "value" % (name, value)
        if type(value) in _BASE_TYPES:
            torch._assert(proxy == value, text)
        elif value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, text),
                              {})
        else:
            warnings.warn("nothing checks that %s is always given as it was "
                          "fixed" % name)
        return value

    def _autowrapped(self, function):
        """(globals, name) of what is wrapped while FUNCTION is traced, in it and
        in forward of the root's modules."""
        if not self._autowrap or self._autowrap == ((math,), ()):
            return []  # those of math always are
        modules, functions = self._autowrap
        tables = [vars(module) for module in modules if module is not math]
        known = {id(value) for table in tables
                 for name, value in table.items()
                 if name[0] != "_" and callable(value)}
        known.update(map(id, functions))
        tables += [getattr(inspect.unwrap(each), "__globals__", {})
                   for each in [function] + [module.forward for module
                                             in self.root.modules()]]
        return [(table, name) for table in {id(table): table
                                            for table in tables}.values()
                for name, value in table.items()
                if name[:1] != "_" and id(value) in known]

    def trace(self, root, concrete_args=None):
        """The Graph of ROOT, a module or a function.

        concrete_args: {parameter name: value} or a tuple of values, fixed
        while tracing; PH stands for "not fixed", also inside of containers,
        which then are taken apart.  Raises what the model raises, and leaves
        torch as it was.
        """
        self.partial = self._containers = None
        self._parameters = {}
        function = _function_of(_compiled(root), self.traced_func_name)
        is_module = isinstance(root, torch.nn.Module)
        self.root = root if is_module else torch.nn.Module()
        if self._hold:
            self._hold(self.root)
        _plan(function, is_module, concrete_args)  # which may refuse
        note = None

        def body():
            nonlocal note
            call, values = self.create_args_for_root(function, is_module,
                                                     concrete_args)
            note = getattr(call, "__annotations__", {}).get("return")
            result = call(*values)
            _results.check_given(result)
            return (result, _type_text(note),
                    type(root).__name__ if is_module else root.__name__, note)
        wrapped = len(_wrapped_fns_to_patch)
        _wrapped_fns_to_patch.extend(self._autowrapped(function))
        try:
            graph = _capture.run(self, Tracer, self.root, function, body,
                                 torch.__version__.split("+")[0],
                                 not _installed)
        finally:
            del _wrapped_fns_to_patch[wrapped:]
        graph._kept["annotations"] = {"output": note}
        if self._containers is not None:
            graph._kept["codegen"] = torch.fx.graph._PyTreeCodeGen(
                torch.fx.graph._PyTreeInfo(*self._containers))
        return graph


def _plan(function, is_module, concrete_args):
    """(what FUNCTION wraps, names of its parameters, what takes a value for
    each, the fixed ones by name)."""
    inner = inspect.unwrap(function)
    names, total = _code_parameters(inner)
    if is_module and (not names or names[0][0] == "*"):
        raise RuntimeError("forward takes self through *args; name it as "
                           "a parameter of its own")
    if isinstance(concrete_args, tuple) and concrete_args and \
            names[is_module:] and names[is_module][0] == "*":
        # All of them go to *args, one input each.
        names[is_module:] = ["input_%d" % i for i in range(len(concrete_args))]
        return inner, names, function, {}
    return (inner, names, _caller(function, inner, names, total),
            _fixed(concrete_args, names[is_module:]))


def _defaults(function):
    code = function.__code__
    given = function.__defaults__ or ()
    at = code.co_argcount
    defaults = dict(zip(code.co_varnames[at - len(given):at], given))
    defaults.update(function.__kwdefaults__ or {})
    return defaults


def _fixed(concrete_args, names):
    """The fixed arguments by name."""
    if not concrete_args:
        return {}
    if isinstance(concrete_args, tuple):
        names = [name for name in names if name[0] != "*"]
        if len(concrete_args) != len(names):
            raise RuntimeError("%d values are given for %d inputs" % (
                len(concrete_args), len(names)))
        concrete_args = dict(zip(names, concrete_args))
    return concrete_args


def _is_nested(value):
    """Whether VALUE is a container that torch takes apart."""
    leaves = _pytree.tree_flatten(value)[0]
    return len(leaves) != 1 or leaves[0] is not value


_BASE_TYPES = (bool, int, float, complex, str, torch.dtype, torch.device,
               torch.memory_format, torch.layout)
_installed = False


def symbolic_trace(root, concrete_args=None):
    """The Graph of ROOT, a module or a function: Tracer().trace(...)."""
    return Tracer().trace(root, concrete_args)


from ._file import load  # noqa: E402  which need the above
from ._torch import from_torch, to_torch  # noqa: E402


def debug(root, *args, script=None, **kwargs):
    """root(*args, **kwargs), looked at with fxdb on the way.

    The call of ROOT, a module or function, is recorded (each call in it a node,
    with its value), and the prompt opens on the terminal of this program; what
    runs there is computed by this process, on copies of the inputs, and leaves
    parameters, buffers and generators as they were.  A call that raises, or
    that Ctrl-C ends, opens there, with everything before it.

    quit, or continue at the end, goes on: the call is then made as if nothing
    had been, so that what it returns has its grad_fn; when the graph was edited,
    the edited graph is called instead, and what it raises is raised.
    SCRIPT is a file of commands to run instead of a prompt, without a terminal;
    RuntimeError when one of them fails.
    Where no prompt can be opened, one line on standard error says why, and the
    call is made.
    """
    global _is_told
    _is_told = True  # whoever calls this knows
    from . import _debug  # which few programs need, and takes its time
    return _debug.debug(root, *args, script=script, **kwargs)


def breakpoint():
    """Stop here, in a forward that is being recorded (debug, trace --example):
    before the next call that is.  A graph that torch.compile makes for backend
    stops there too.  In any other run one line on standard error says how to get
    here, once.
    """
    if _is_compiling():
        from torch._dynamo.comptime import comptime
        comptime(_compile_stop)
        return
    from . import _example
    if not _example.stop():
        _tell("nothing is recorded here; fxdb.debug(module, *inputs) around "
              "the call stops in it")


def _tell(what):
    """WHAT of a breakpoint, once."""
    global _is_told
    if not _is_told:
        _is_told = True
        print("fxdb.breakpoint: " + what, file=sys.stderr)


_is_told = False
_is_compiling = getattr(getattr(torch, "compiler", None),
                        "is_dynamo_compiling", bool)


def _compile_stop(context):
    """What torch.compile calls at a breakpoint, while it makes a graph."""
    nodes = list(context.graph().nodes)
    if nodes:
        nodes[-1].meta[STOP] = True
    compiler = context._i_will_not_complain_if_bc_breaks_InstructionTranslator(
        ).output.compiler_fn
    while compiler not in (backend, None):
        compiler = next((getattr(compiler, name) for name in (
            "compiler_fn", "_torchdynamo_orig_backend", "func")
            if hasattr(compiler, name)), None)
    if not compiler:
        _tell("torch.compile's backend does not stop; backend=fxdb.backend does")


STOP = "fxdb.breakpoint"  # in the meta of a node: it stops after it


def backend(gm=None, example_inputs=None, *, script=None, aot=False):
    """A backend of torch.compile: torch.compile(model, backend=fxdb.backend).

    fxdb opens at the first call of each graph, on its real inputs, as debug
    does; later calls run the graph as it was left.  Parameters that Dynamo made
    inputs are parameters again, under their own names.  fxdb.backend(aot=True)
    gives the forward and backward graphs of AOTAutograd, and
    fxdb.backend(script=FILE) runs the commands of FILE on each graph, without a
    terminal.  torch 2.
    """
    if gm is None:
        return functools.partial(backend, script=script, aot=aot)
    global _is_told
    _is_told = True
    from . import _backend
    return _backend.backend(gm, example_inputs, script, aot)
