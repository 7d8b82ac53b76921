"""Capture by recording: one real run of a model, each call a node.

Values have nodes here (not proxies values, as in symbolic tracing): a tensor is
known by its identity, a size is an int that remembers where it comes from.
Each call of a torch function arrives through a torch-function mode, each call
of a module through torch.nn.Module.__call__; it runs on real tensors with the
mode off, and is then made once more on Proxies, so that targets, names, scopes
and lines are those of a symbolic trace (capture/ext_dispatch.c).

What a run decides by a value or a size is a specialisation: the graph holds
where that comes out the same.
"""
import contextlib
import inspect
import linecache
import operator
import threading
import weakref

import torch
from torch.overrides import (TorchFunctionMode, _get_current_function_mode,
                             _pop_mode_temporarily)

import fxdb
from fxdb import _autocast, _capture, _check, _decisions, _failed, _frame, \
    _gradients, _inputs, _objects, _report, _torch, _unseen, _weights, _whole
from fxdb._numbers import Entry, Number, Size, part_of
from fxdb._results import check_given, check_held, has_names, has_tensor, \
    is_data, taken_apart, whole_of

# What torch.profiler.record_function calls, which gives the model nothing.
_UNTOLD = {"_record_function_enter", "_record_function_exit"}
_SIZES = {"size", "numel", "nelement", "sym_size", "sym_numel"}


class Recorder(TorchFunctionMode):
    """The mode under which a model runs once, and the hook that is told of
    calls of modules and of wrapped functions (capture/ext_patch.c).
    """

    def __init__(self, tracer, root, plan, wholes):
        super().__init__()
        self.wholes = _whole.Watch(self, wholes)
        self.is_foreign = False  # a tensor came from elsewhere
        self.tracer = tracer
        self.plan = plan
        self.nodes = {}  # id of a tensor that lives -> (weakref, entry)
        self.objects = _objects.Objects(self)
        self.notes = {}  # (file, line, value) -> what the line says
        # The same -> {expression of nodes: (its value, how many nodes there
        # were)}: where each gives its value the decision holds.
        self.tests = {}
        self.sizes = {}  # "x[0]" -> the number, of inputs
        self.integers = []  # those in arguments that have no node, in order
        self.scopes = []  # (path, class) of the modules that are called
        self.stops = []  # numbers of nodes after which it asked to stop
        self.failed = _failed.Failed(self)
        self.is_on = False
        self.kept = None  # values by the names of their nodes, if asked for
        self.types = {}  # annotations of the inputs, by name
        self.root, self.is_called = root, False
        self.default = torch.get_default_dtype()
        self.casts = _autocast.Casts(self)
        self.gradients = _gradients.Gradients(self)
        self.thread = threading.get_ident()
        self.registered = {id(tensor) for tensor in
                           list(root.parameters()) + list(root.buffers())}

    def note(self, value, what=None, tests=()):
        """A decision of the model's: its line, what came out, and TESTS of
        whether it holds, expressions with their values."""
        if not self.is_on and not what:
            return
        frame = _frame.model_frame()
        place = frame.f_code.co_filename, frame.f_lineno
        key = place + (repr(value)[:60],)
        self.notes.setdefault(key, what or linecache.getline(*place).strip())
        known = self.tests.setdefault(key, {})
        for text, given in tests:
            if text and text not in known:
                with self.working():
                    known[text] = repr(given), _capture.count()

    # -- values and nodes --------------------------------------------------

    def input(self, name, value):
        """VALUE as the model gets it for its parameter NAME."""
        if isinstance(value, _inputs.Object):
            for part, tensor in value.tensors.items():
                self.input(part, tensor)
            if value.rest():
                self.notes["the input " + name, 0, value.rest()] = "is fixed"
            return value
        if isinstance(value, bool) or not self._can_vary(value):
            self.notes["the input " + name, 0, repr(value)[:60]] = "is fixed"
        value = self.name(value, Entry(
            proxy=_capture.record("placeholder", name, (), {}, None, False,
                                  self.types.get(name))))
        self._find_sizes(name, value)
        return value

    def _find_sizes(self, name, value):
        """The sizes in the input VALUE, which NAME gives."""
        if isinstance(value, torch.Tensor) and id(value) in self.nodes:
            shape = self._shape(value, "shape")
            for i, size in enumerate(self._named_sizes(value.shape, shape)):
                self.sizes["%s[%d]" % (name, i)] = size
        elif isinstance(value, Size):
            self.sizes[name] = value
        elif isinstance(value, (tuple, list)):
            for i, item in enumerate(value):
                self._find_sizes("%s[%d]" % (name, i), item)
        elif isinstance(value, dict):
            for key, item in value.items():
                self._find_sizes("%s[%r]" % (name, key), item)

    def _can_vary(self, value):
        return isinstance(value, (int, float)) or has_tensor(value)

    def proxy(self, value):
        """VALUE as an argument of a node."""
        if isinstance(value, torch.Tensor):
            return self._proxy_of_tensor(value)
        if isinstance(value, Number):
            return value.entry.get() if value.recorder is self \
                else value.value
        if isinstance(value, torch.Size):
            return self._proxy_of_sizes(value)
        if isinstance(value, tuple):
            made = whole_of(value, self.nodes)
            if made:
                return made.get()
            items = [self.proxy(item) for item in value]
            return value._make(items) if hasattr(value, "_fields") \
                else tuple(items)
        if isinstance(value, list):
            return [self.proxy(item) for item in value]
        if isinstance(value, dict):
            return {key: self.proxy(item) for key, item in value.items()}
        if is_data(value):
            return self.objects.proxy(value)
        if isinstance(value, slice):
            return slice(self.proxy(value.start), self.proxy(value.stop),
                         self.proxy(value.step))
        return self._integer(value) if type(value) is int else value

    def result(self, value):
        """VALUE for the output: a call of its class for a dataclass, where
        torch takes that and a graph holds the fields."""
        check_given(value)
        if is_data(value) and not torch.__version__.startswith("1."):
            made = self.objects.proxy(value)
            if made is not value:
                return made
        parts = taken_apart(value)
        check_held(parts, self.holds)
        return self.proxy(parts)

    def _integer(self, value):
        """VALUE, which no node gave: as the plan has it, or as it is."""
        make = self.plan.get(len(self.integers))
        self.integers.append(value)
        if not make:
            return value
        # Its own arithmetic has nodes, and no place in the plan.
        before = self.is_on, self.plan, self.integers
        self.is_on, self.plan, self.integers = True, {}, []
        number = make(self.sizes)
        self.is_on = False
        proxy = number.entry.get()
        self.is_on, self.plan, self.integers = before
        return proxy

    def _proxy_of_tensor(self, tensor):
        if id(tensor) in self.nodes:
            return self.nodes[id(tensor)][1].get()
        made = _capture.attribute(tensor)
        if made is not None:
            return made
        if _whole.is_wrapped(tensor):
            self._refuse_transform()
        self.wholes.find_maker(tensor)
        self.is_foreign = True
        self.note("nested" if tensor.is_nested else list(tensor.shape),
                  "a tensor that no recorded call made")
        return tensor

    def _refuse_transform(self):
        self.wholes.known.add_transform()
        raise _report.NotRecorded(
            "a function transform (torch.func, vmap) runs here, which a "
            "recording does not see through")

    def _proxy_of_sizes(self, sizes):
        """All sizes of one tensor, in their order, are its shape."""
        whole = getattr(sizes[0], "whole", None) if len(sizes) else None
        if whole and len(whole[1]) == len(sizes) and \
                all(a is b for a, b in zip(whole[1], sizes)):
            return whole[0].get()
        return tuple(self.proxy(item) for item in sizes)

    def name(self, value, entry):
        """VALUE, which a call gave, with ENTRY for its node; sizes in it are
        those that remember."""
        if self.kept is not None and entry.proxy is not None:
            self.kept[_capture.node_name(entry.proxy)] = _check.copy(value)
        if isinstance(value, torch.Tensor):
            if id(value) not in self.registered:
                self.nodes[id(value)] = weakref.ref(
                    value, self._forgetting(id(value))), entry
            return value
        if isinstance(value, torch.Size):
            return self._named_sizes(value, entry)
        if isinstance(value, dict):
            items = {key: self.name(item, self._part(entry, key))
                     for key, item in value.items()}
            if type(value) is dict and not all(map(
                    operator.is_, items.values(), value.values())):
                return items
        elif isinstance(value, (tuple, list)):
            parts = [self._part(entry, i) for i in range(len(value))]
            if has_names(value):
                for part in parts:
                    part.whole = entry, parts
            items = list(map(self.name, value, parts))
            if any(a is not b for a, b in zip(items, value)):
                return getattr(type(value), "_make", type(value))(items)
        elif is_data(value):
            self.objects.name(value, entry)
        elif type(value) in (int, float):
            return Number.of(self, value, entry)
        return value

    def _forgetting(self, key):
        """What takes the tensor KEY out when it is gone: its id is another's
        then, and its memory is the model's to use again."""
        nodes, having = self.nodes, self.gradients.having
        return lambda _: (nodes.pop(key, None), having.discard(key))

    def _part(self, entry, key):
        return Entry(lambda: self.record(operator.getitem, (entry.get(), key)),
                     tell=lambda: part_of(entry.text(), "[%r]" % (key,)))

    def _named_sizes(self, value, entry):
        sizes = [Number.of(self, int(size), self._part(entry, i))
                 for i, size in enumerate(value)]
        for size in sizes:
            size.whole = entry, sizes
        return torch.Size(sizes)

    @contextlib.contextmanager
    def working(self):
        """What happens here is ours and not the model's."""
        was_on, self.is_on = self.is_on, False
        if was_on:
            _capture.pause(False)
        try:
            yield
        finally:
            if was_on:
                _capture.pause(True)
            self.is_on = was_on

    def record(self, function, args):
        """The Proxy of a new call_function node."""
        with self.working():
            return _capture.record("call_function", function,
                                   self.proxy(tuple(args)), {})

    # -- calls -----------------------------------------------------------

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(function, "__name__", "")
        if not self.is_on:
            return function(*args, **kwargs)
        if _whole.transforms():
            self._refuse_transform()
        _gradients.refuse(function)
        if name == "__get__":
            return self._attribute(function, args)
        if name == "__reversed__" and args[0].dim():
            return self.__torch_function__(torch.Tensor.flip, types,
                                           (args[0], 0))
        if name == "__iter__":
            _decisions.note(self, len(args[0].detach()), "__len__", args)
            return iter([args[0][i] for i in range(len(args[0].detach()))])
        self.is_on = False  # for what the function itself calls
        call = _autocast.begin(args, kwargs)
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            is_method = getattr(torch.Tensor, name, None) is function
            self.failed.note(error, *(
                ("call_function", operation) if
                (operation := self._operation(name)) else
                ("call_method", name) if is_method else
                ("call_function", function)), args, kwargs)
            raise
        finally:
            self.is_on = True
        if name in _decisions.DECIDING:
            _decisions.note(self, result, name, args)
        elif self._makes_node(name, result, args, kwargs):
            with self.working(), contextlib.suppress(NotImplementedError):
                self._note_state()
                self.gradients.call(result, (args, kwargs), name)
                entry = None
                if call:
                    entry, args, kwargs = self.casts.function(
                        call, function, result)
                return self.name(result, entry or self._call(
                    function, name, args, kwargs))
        return result  # also of numpy's arrays, which no graph holds

    def _note_state(self):
        """The default dtype of a call that is not that at the start, and the
        state that it is made in."""
        self.gradients.note_state()
        mode = torch.get_default_dtype()
        if mode != self.default:
            self.note(mode, "the default dtype, which the graph does not keep")

    def _makes_node(self, name, result, args, kwargs):
        """Whether a call gives tensors or sizes, or may have written what it
        was given.
        """
        if name in _UNTOLD:
            return False
        if result is None:
            return name != "__set__" and has_tensor((args, kwargs))
        if name in _SIZES:
            return id(args[0]) in self.nodes
        return has_tensor(result)

    def _attribute(self, getter, args):
        """The value of a property of a tensor."""
        name = getter.__self__.__name__
        result = self.gradients.attribute(name, args[0], getter(*args))
        if name == "shape" and id(args[0]) in self.nodes or \
                isinstance(result, torch.Tensor) and result is not args[0]:
            with self.working():
                return self.name(result, self._shape(args[0], name))
        return result

    def _shape(self, tensor, name):
        """The entry of the property NAME of TENSOR."""
        known = self.nodes.get(id(tensor))
        return Entry(lambda: self.record(getattr, (tensor, name)),
                     tell=known and (
                         lambda: part_of(known[1].text(), "." + name)))

    def stop(self):
        """The model asks to stop here (fxdb.breakpoint)."""
        self.stops.append(self.count())

    def count(self):
        """How many nodes there are."""
        with self.working():
            return _capture.count()

    @staticmethod
    def _operation(name):
        """The operator that the model's line has for a call of NAME."""
        return _unseen.ITEMS.get(name) or _frame.operator_at(_frame.model_frame(),
                                                      name.strip("_"))

    def _call(self, function, name, args, kwargs):
        """The node of a call of FUNCTION: as an operator where the model's
        line has one, else as torch.fx tells it.
        """
        proxies = self.proxy(tuple(args))
        operation = self._operation(name)
        if operation and not kwargs:
            if name.startswith("__r"):
                proxies = proxies[::-1]
            return Entry(proxy=_capture.record("call_function", operation,
                                                proxies, {}))
        kwargs = self.proxy(kwargs)
        if getattr(torch.Tensor, name, None) is function and \
                isinstance(proxies[0], fxdb.Proxy):
            return Entry(proxy=getattr(proxies[0], name)(*proxies[1:],
                                                          **kwargs))
        return Entry(proxy=fxdb.Proxy.__torch_function__(
            function, (), proxies, kwargs))

    def module(self, module, args, kwargs):
        """A call of MODULE, as capture/ext_patch.c hands it over."""
        call = _capture.original_call
        if not self.listens():
            return call(module, *args, **kwargs)
        if module is self.root and not self.is_called:
            self.is_called = True  # never a leaf, and the scope of no node
            return call(module, *args, **kwargs)
        with self.working():
            path = self.path_of(module)
            is_leaf = path is not None and (
                self.wholes.has(path, module) or
                self.tracer.is_leaf_module(module, path) and
                not _weights.has_any(module, self.nodes))
            if path is not None:
                _capture.enter(path, module)
                self.scopes.append((path, _torch.class_text(type(module))))
        try:
            whole = is_leaf and self.casts.leaf(module, path, args, kwargs)
            if not whole:
                return call(module, *args, **kwargs)
            return self._whole(lambda: call(module, *args, **kwargs),
                               "call_module", path, *whole)
        finally:
            if path is not None:
                self.scopes.pop()
                with self.working():
                    _capture.leave()

    def keeps(self):  # the graph
        return {"autocast": self.casts.modules,
                "gradients": self.gradients.asked()}

    @staticmethod
    @contextlib.contextmanager
    def apart():
        """What is called here, where we work, is recorded by nobody."""
        is_last = isinstance(_get_current_function_mode(), Recorder)
        with _pop_mode_temporarily() if is_last else contextlib.nullcontext():
            _capture.pause(True)
            try:
                yield
            finally:
                _capture.pause(False)

    def listens(self):
        """The mode is this thread's; the hook hears every one."""
        return self.is_on and threading.get_ident() == self.thread

    def path_of(self, module):
        try:
            return self.tracer.path_of_module(module)
        except NameError:  # made while the model runs
            return None

    def _whole(self, call, op, target, args, kwargs, wrapped=False):
        """What CALL gives, with the mode off, and its node."""
        with self.working():
            given = self.proxy(args), self.proxy(kwargs)  # it may write them
            try:
                with self.apart():
                    result = call()
            except BaseException as error:
                self.failed.note(error, op, target, args, kwargs)
                raise
            self._note_state()
            self.gradients.call(result, (args, kwargs, *(
                [self.root.get_submodule(target)] if op == "call_module"
                else [])))
            return self.name(result, Entry(proxy=_capture.record(
                op, target, *given, None, wrapped)))

    def wrapped(self, function, args, kwargs):
        """A call of FUNCTION, which fx.wrap or the math module has; of what no
        graph holds among its arguments, what it calls."""
        if not self.listens() or not self.knows((args, kwargs)) or \
                not self.holds((args, kwargs)):
            return function(*args, **kwargs)
        target = self.wholes.target(function, (args, kwargs))
        return self._whole(lambda: function(*args, **kwargs), "call_function",
                           target, args, kwargs, True)

    def give(self, value, function, args, kwargs):
        """A call of FUNCTION gave VALUE, by itself."""
        with self.working():
            self.name(value, Entry(proxy=_capture.record(
                "call_function", function, self.proxy(args),
                self.proxy(kwargs), None, True)))

    def holds(self, value):
        """Whether a graph holds VALUE as an argument."""
        if isinstance(value, (torch.Tensor, Number)):
            return True
        if isinstance(value, dict):
            return all(map(self.holds, value.values()))
        if isinstance(value, (tuple, list)):
            return all(map(self.holds, value))
        if is_data(value):
            return False
        with self.working():
            try:
                _capture.create_arg(value)
            except NotImplementedError:
                return False
        return True

    def knows(self, value):
        """Whether something in VALUE has a node."""
        if isinstance(value, torch.Tensor):
            return id(value) in self.nodes or \
                isinstance(value, torch.nn.Parameter)
        if isinstance(value, dict):
            value = value.values()
        elif not isinstance(value, (tuple, list)):
            return isinstance(value, Number)
        return any(self.knows(item) for item in value)


def stop():
    """fxdb.breakpoint(): whether a recording listens here."""
    mode = _get_current_function_mode()
    is_heard = isinstance(mode, Recorder) and mode.is_on
    if is_heard:
        mode.stop()
    return is_heard


def record(tracer, root, given, state=None, plan=None, fixed=None, kept=None):
    """The Graph of one run of ROOT, a module or function, on GIVEN, its inputs
    by name, and the Recorder, which has the specialisations.  Parameters and
    buffers are as before when it returns; STATE is what _weights.tensors_of gives, PLAN
    what integers are to be instead, of the sizes of inputs, by their place in
    Recorder.integers.  FIXED are arguments that are no inputs of the graph of
    a call that a program makes.
    KEPT, a dict, gets the values by the names of their nodes.
    """
    wholes = tracer.__dict__.setdefault("_wholes", _whole.Wholes())
    random = torch.get_rng_state()
    while True:
        again = given
        with contextlib.suppress(Exception):  # what cannot be copied stays
            again = _check.copy(given)
        try:
            return _record(tracer, root, given, state, (plan, fixed, kept),
                           wholes)
        except _whole.Again:
            pass
        torch.set_rng_state(random)
        given = again


def _record(tracer, root, given, state, asked, wholes):
    """One try of record(), which raises Again where more calls are to be
    WHOLES."""
    plan, fixed, kept = asked
    is_module = isinstance(root, torch.nn.Module)
    tracer.root = root if is_module else torch.nn.Module()
    state = state or _weights.tensors_of(root)
    _inputs.keep(tracer.root, given)
    recorder = Recorder(tracer, tracer.root, plan or {}, wholes)
    recorder.kept, recorder.is_of_program = kept, fixed is not None
    recorder.function = inspect.unwrap(
        root.forward if is_module else root)
    recorder.types = getattr(recorder.function, "__annotations__", {})
    note = recorder.types.get("return")

    functions = _unseen.functions(root)

    def body():
        values = {name: recorder.input(name, value)
                  for name, value in given.items()}
        torch.fx._symbolic_trace._is_fx_tracing_flag = False
        _capture.hook(recorder)
        _capture.pause(True)
        try:
            with torch.no_grad(), _unseen.not_compiled(), \
                    _unseen.items_seen(recorder), \
                    recorder.gradients.regions_seen(), \
                    recorder.gradients.functions_seen(), \
                    recorder.gradients.questions_seen(functions), \
                    _unseen.ranges_seen(recorder, functions), \
                    recorder.wholes.calls_seen(), recorder:
                recorder.is_on = True
                result = _inputs.call(root, values, fixed)
        except BaseException as error:
            _capture.pause(False)
            recorder.is_on = False
            recorder.failed.add(error)
            raise
        finally:
            recorder.is_on = False
            _capture.pause(False)
            _capture.hook(None)
        return (recorder.result(result), fxdb._type_text(note),
                type(root).__name__ if is_module else root.__name__, note)
    try:
        graph = _capture.run(
            tracer, fxdb.Tracer, tracer.root,
            type(root).forward if is_module else root, body,
            torch.__version__.split("+")[0], not fxdb._installed)
    finally:
        state.restore()
    graph._kept.update(recorder.keeps(), annotations={"output": note})
    return graph, recorder
