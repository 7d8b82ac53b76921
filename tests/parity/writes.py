#!/usr/bin/env python3
"""Compare what fxdb says that operators write and draw with what they do in
torch.

usage: writes.py META_EVAL [SEED [ROUNDS]]

Every spelling of ops.def is called with tensors, by the calls of shapes.py and
those below, also with the keywords that ask for a write (out=, inplace=,
training=...), whether or not its signature has them.  Which arguments were
written is seen from their bytes, sizes and versions, what was drawn from the
generator, and what is shared from the storages of the result.  fxdb
(meta_eval.c) must have said all of it before: fx_side_effects, fx_may_alias and
the traits MUTATES, of the first argument alone, and RANDOM.  What it says of a
spelling without need, in no call, is an error too.
"""
import builtins
import collections
import importlib
import sys
import warnings

import torch

import shapes
from shapes import R, case, chance, tensor

warnings.simplefilter("ignore")

# Asked of every call that torch accepts; most are refused.
REQUESTS = [{"inplace": True}, {"training": True}, {"train": True},
            {"use_input_stats": True}, {"max_norm": 0.01}, {"dropout_p": 0.5},
            {"p": 0.5, "training": True},
            {"p": 0.5, "training": True, "inplace": True}]


# ------------------------------------------------------------------- calls

def statistics(count):
    return tensor([count]), tensor([count]) + 0.5


@case("torch.nn.functional.batch_norm", "torch.nn.functional.instance_norm")
def _():
    x = tensor([4, 3, 5])
    return (x, *statistics(3)), {}


@case("torch.batch_norm")
def _():
    return (tensor([4, 3, 5]), None, None, *statistics(3), chance(), 0.1,
            1e-5, False), {}


@case("torch.ops.aten.native_batch_norm.default")
def _():
    return (tensor([4, 3, 5]), None, None, *statistics(3), chance(), 0.1,
            1e-5), {}


@case("torch.ops.aten._native_batch_norm_legit_no_training.default")
def _():
    return (tensor([4, 3, 5]), None, None, *statistics(3), 0.1, 1e-5), {}


@case("torch.nn.functional.embedding", "torch.nn.functional.embedding_bag")
def _():
    return (tensor([2, 3], torch.int64, 5), tensor([5, 4]) + 1), {}


@case("torch.rand_like", "torch.bernoulli", "torch.randn_like")
def _():
    return (tensor([3, 4]),), {}


@case("torch.nn.functional.rrelu", "torch.nn.functional.dropout1d",
      "torch.nn.functional.dropout2d", "torch.nn.functional.dropout3d",
      "torch.nn.functional.alpha_dropout")
def _():
    return (tensor([2, 3, 4, 4, 4][:R(3, 5)]) - 0.5,), {}


@case("torch._VF.lstm")
def _():
    weights = [tensor([16, 3]), tensor([16, 4]), tensor([16]), tensor([16]),
               tensor([16, 4]), tensor([16, 4]), tensor([16]), tensor([16])]
    start = [tensor([2, 5, 4]), tensor([2, 5, 4])]
    return (tensor([6, 5, 3]), start, weights, True, 2, 0.5, True, False,
            False), {}


@case("torch._VF.gru")
def _():
    weights = [tensor([12, 3]), tensor([12, 4]), tensor([12]), tensor([12]),
               tensor([12, 4]), tensor([12, 4]), tensor([12]), tensor([12])]
    return (tensor([6, 5, 3]), tensor([2, 5, 4]), weights, True, 2, 0.5, True,
            False, False), {}


@case("torch._VF.rnn_tanh", "torch._VF.rnn_relu")
def _():
    weights = [tensor([4, 3]), tensor([4, 4]), tensor([4]), tensor([4]),
               tensor([4, 4]), tensor([4, 4]), tensor([4]), tensor([4])]
    return (tensor([6, 5, 3]), tensor([2, 5, 4]), weights, True, 2, 0.5, True,
            False, False), {}


@case("torch._C._nn.scaled_dot_product_attention")
def _():
    return (tensor([2, 2, 3, 4]), tensor([2, 2, 3, 4]),
            tensor([2, 2, 3, 4])), {}


@case("torch.dropout", "torch.dropout_")
def _():
    return (tensor([4, 3, 5]), 0.5, chance(0.7)), {}


@case("torch.ops.aten.native_layer_norm_backward.default")
def _():
    return (tensor([4, 3]), tensor([4, 3]), [3], tensor([4, 1]),
            tensor([4, 1]), tensor([3]), tensor([3]), [True] * 3), {}


@case("torch._VF.stft")
def _():
    return (tensor([2, 40]), 8, None, None, None, False, None, True), {}


def generic():
    """Arguments that one operator or another takes; keywords are a dict."""
    x, y, z = tensor([3, 4]), tensor([3, 4]), tensor([3, 4])
    image = tensor([2, 2, 6, 6])
    mask = tensor([3, 4], torch.bool)
    ints = tensor([3, 4], torch.int64) + 1
    index = tensor([3, 4], torch.int64, 3)
    row = tensor([3], torch.int64, 3)
    square = tensor([3, 3]) + torch.eye(3) * 4
    square = square @ square.t()
    return [
        (x,), (x, y), (x, 2), (x, 0.5), (ints,), (ints, ints.clone()),
        (ints, 2), (mask, mask.clone()), (mask,), (x, 0), (x, 0, 1),
        (x, y, z), (x, mask, 0.5), (mask, x, y), (x, 0.2, 0.7), (x, -1, 3),
        (x, 0.5, True), (square,), (x, x[0], 0, 1), (x, x[0], 0, 0, 2),
        (x, 0, index, y), (x, 0, index, 0.5), (x, 0, row, y),
        (x, 0, row, 0.5), (x, 0, row), (x, (row,), y[0]), (x, [row], y[0]),
        (x, y, 0.5), (x, 0, 0.5), (0.5, x), (tensor([4, 3, 5]), 2),
        (tensor([4, 3, 5]), 2, 2), (image, 2), (image[0], 2), (image, 2, 2),
        (tensor([2, 2, 4, 4, 4]), 2), (image, (3, 3)), (image, [3, 3]),
        (tensor([2, 2, 6]), 3), (tensor([2, 2, 6]), [3]),
        (tensor([2, 2, 4, 4, 4]), [3, 3, 3]),
        (tensor([2, 2, 6]), [2]), (image, [2, 2]),
        (image, None, (2.0, 2.0)), (image, None, False, (2.0, 2.0)),
        (tensor([2, 2, 6]), None, (2.0,)),
        (tensor([2, 2, 6]), None, False, (2.0,)),
        (tensor([2, 2, 4, 4, 4]), None, (2.0,) * 3),
        (tensor([2, 2, 4, 4, 4]), None, False, (2.0,) * 3),
        (image, [1, 1, 1, 1], 0.5), (x, (2, 2), (1, 1)), (x, [4]),
        (x, (2, 1)), (x, 2, 0, False, True), (x, mask, y),
        (x, mask, tensor([12])), (tensor([4]), tensor([3])), (ints[0],),
        (x, None, None), (torch.complex(x, y),), (x, torch.float64),
        (x, torch.device("cpu")), (tensor([]),), (x, [1.0, 2.0]),
        ([x, y],), (5,), (2, 3), (2.5,), (2.5, 1), (), ([2, 3],),
        ([2, 3], 0.5), (True, 2, 3), (x, y, 1, torch.float32),
        (x, 0.5, -1), (x, y, 2.0), (x, tensor([4, 3])), (x, tensor([4])),
        (tensor([2, 3, 4]), tensor([2, 4, 3])), (mask, 0.5, y),
        (mask, x, 0.5), (mask, 0.5, 0.25), (x, mask, tensor([])),
        (x, tensor([])), (x, [0], {"correction": 1}),
        (x, 2, {"rounding_mode": "floor"}), (x, y[:2], 0, 0, 2),
        ("ij,jk->ik", [x, tensor([4, 3])]),
        (tensor([2, 2, 6]), tensor([2, 2, 3]), None, [1], "same"),
        (image, tensor([2, 2, 3, 3]), None, [1, 1], "same"),
        (tensor([2, 2, 4, 4, 4]), tensor([2, 2, 3, 3, 3]), None, [1, 1, 1],
         "same"), (tensor([1, 1, 2, 2, 2]), torch.arange(8).view(
             1, 1, 2, 2, 2), [4, 4, 4], [2, 2, 2], [0, 0, 0]),
        (x, torch.device("cpu"), torch.float64), (x[0], y[0]),
        (x, y[:2], 0, 0, 2, 1), (x, 0, 2, 1), (True,), (True, "why"),
        (torch.tensor(True), "why"), (tensor([2, 2, 6]), tensor([2, 2, 3])),
        (image, tensor([2, 2, 3, 3])),
        (tensor([2, 2, 4, 4, 4]), tensor([2, 2, 3, 3, 3])),
        (5, {"start": 0, "step": 1, "dtype": torch.int64,
             "device": torch.device("cpu"), "requires_grad": False})]


def with_keywords(args):
    if args and isinstance(args[-1], dict):
        return args[:-1], args[-1]
    return args, {}


GENERIC = [lambda args=args: with_keywords(args) for args in generic()]


# Not called: what they do is no matter of tensors, or not done here.
LEFT_OUT = {
    "builtins.print", "print", "torch.save", "torch.serialization.save",
    "torch.load", "torch.serialization.load", "torch._C._set_grad_enabled",
    "torch.set_grad_enabled", "torch.cond", "torch.while_loop",
    "torch.ops.profiler._record_function_enter.default",
    "torch.ops.profiler._record_function_enter_new.default",
    "torch.ops.profiler._record_function_exit.default",
    "torch.ops.profiler._record_function_exit._RecordFunction",
    "torch.fx._symbolic_trace._assert_is_none", "builtins.isinstance",
    "isinstance", "operator.concat", "operator.iconcat", "Tensor.cuda",
    "Tensor.pin_memory", "Tensor.retain_grad",
    "torchvision.models.swin_transformer.shifted_window_attention"}
# Said to write, though nothing can be seen: of autograd's graph, and memory
# that is left as it is.
UNSEEN = {"Tensor.detach_", "torch.empty", "torch.ops.aten.empty.memory_format"}


# ----------------------------------------------------------------- running

def function_of(target):
    """What TARGET means, or None where this torch has no such thing."""
    if target.startswith("Tensor."):
        return getattr(torch.Tensor, target[7:], None)
    try:
        if "." not in target:
            return getattr(builtins, target)
        if target.startswith("torch."):
            return shapes.function_of(target)
        module, name = target.rsplit(".", 1)
        return getattr(importlib.import_module(module), name)
    except (AttributeError, ImportError, RuntimeError):
        return None


def tensors_of(value, found):
    """Those in VALUE, each once, in order, appended to FOUND."""
    if isinstance(value, torch.Tensor):
        if not any(value is other for other in found):
            found.append(value)
    elif isinstance(value, (tuple, list)):
        for item in value:
            tensors_of(item, found)
    elif isinstance(value, dict):
        tensors_of(list(value.values()), found)
    return found


def copied(value):
    """VALUE with tensors that nobody has written."""
    if isinstance(value, torch.Tensor):
        return value.clone()
    if type(value) in (tuple, list):
        return type(value)(copied(item) for item in value)
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return value


def text(value, names):
    """VALUE as Python, of which the tensors NAMES are t0, t1..."""
    if isinstance(value, torch.Tensor):
        return "t%d" % [value is other for other in names].index(True)
    if isinstance(value, tuple):
        return "(%s%s)" % (", ".join(text(item, names) for item in value),
                           "," if len(value) == 1 else "")
    if isinstance(value, list):
        return "[%s]" % ", ".join(text(item, names) for item in value)
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%r: %s" % (key, text(item, names))
                                  for key, item in value.items())
    return repr(value)


def state(t):
    """What a write of T changes."""
    if t.layout is not torch.strided:
        return None
    plain = t.detach().resolve_conj().resolve_neg().contiguous().view(-1)
    return (t._version, tuple(t.shape), t.stride(), t.dtype,
            plain.view(torch.uint8).numpy().tobytes() if t.numel() else b"")


def places(tensors):
    """The storages in which they lie."""
    return {t.storage().data_ptr() for t in tensors
            if t.layout is torch.strided and t.numel()}


class Call:
    """FUNCTION, which fxdb calls TARGET, called once: what that does."""

    def __init__(self, target, function, args, kwargs):
        names = tensors_of((args, kwargs), [])
        is_method = target.startswith("Tensor.")
        self.question = {
            "op": "call_method" if is_method else "call_function",
            "target": target[7:] if is_method else target,
            "inputs": len(names), "args": text(tuple(args), names),
            "kwargs": text(kwargs, names), "ask": "effects"}
        self.has_tensors = bool(names)
        before = [state(t) for t in names]
        storages = places(names)
        generator = torch.get_rng_state()
        self.result = function(*args, **kwargs)
        if self.result is NotImplemented:
            raise TypeError(target)
        self.written = [i for i, t in enumerate(names)
                        if state(t) != before[i]]
        self.draws = not torch.equal(generator, torch.get_rng_state())
        self.shares = bool(storages & places(tensors_of(self.result, [])))

    def outs(self):
        """What out= could be."""
        results = tensors_of(self.result, [])
        if not results or any(t.layout is not torch.strided for t in results):
            return []
        fresh = tuple(torch.zeros_like(t) for t in results)
        return [{"out": fresh[0] if torch.is_tensor(self.result) else fresh}]


def attempt(target, function, args, kwargs):
    """A call of copies, or None where torch refuses it."""
    try:
        return Call(target, function, *copied((args, kwargs)))
    except Exception:
        return None


def calls_of(target, function, makers):
    calls = []
    for make in makers:
        args, kwargs = make()
        call = attempt(target, function, args, kwargs)
        if not call:
            continue
        calls.append(call)
        for request in REQUESTS + call.outs():
            calls.append(attempt(target, function, args,
                                 dict(kwargs, **request)))
    return list(filter(None, calls))


def short(target):
    """relu of torch.relu, Tensor.relu_ and torch.ops.aten.relu_.default."""
    parts = target.split(".")
    name = parts[3] if target.startswith("torch.ops.") else parts[-1]
    return name if name.startswith("__") else name.rstrip("_")


def makers_of(rows, rounds):
    """What makes calls of each spelling: its own and those of its name, or
    those of its row.
    """
    by_target = collections.defaultdict(list)
    by_row = collections.defaultdict(list)
    by_name = collections.defaultdict(list)
    row_of = {row[0]: row[1] for row in rows}
    for targets, make, _, _ in shapes.CASES:
        for target in targets:
            target = "Tensor" + target if target[0] == "." else target
            by_target[target].append(make)
            by_row[row_of.get(target)].append(make)
            by_name[short(target)].append(make)
    return {target: list(dict.fromkeys(
        by_target[target] + by_name[short(target)] or by_row[row])) * rounds
        for target, row in row_of.items()}


# ----------------------------------------------------------------- judging

def judge(target, traits, calls, answers):
    """What is wrong, each a line with the first call that shows it."""
    wrong = {}
    said_of = [set(answer.split()) for answer in answers]

    def complain(call, what):
        wrong.setdefault(what, "%s %s %s: %s" % (
            target, call.question["args"], call.question["kwargs"], what))
    for call, answer, said in zip(calls, answers, said_of):
        if answer.startswith("error"):
            complain(call, answer)
            continue
        if call.written and "writes" not in said:
            complain(call, "writes, which fxdb does not know")
        if call.draws and "draws" not in said:
            complain(call, "draws, which fxdb does not know")
        if call.shares and "alias" not in said:
            complain(call, "shares memory, which fxdb does not know")
        if "MUTATES" in traits and set(call.written) - {0}:
            complain(call, "writes t%s, not its first argument alone" %
                     call.written)
    for word, happens in (("writes", [bool(c.written) for c in calls]),
                          ("draws", [c.draws for c in calls])):
        claimed = [i for i, said in enumerate(said_of) if word in said]
        if claimed and not any(happens) and target not in UNSEEN:
            complain(calls[claimed[0]], "never %s, as fxdb says" % word)
    return list(wrong.values())


def main():
    program = sys.argv[1]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 4
    rows = [line.split() for line in shapes.ask(program, [({"op": "rows"},)])
            if line]
    makers = makers_of(rows, rounds)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    called, absent, untried = {}, [], []
    for target, _, *traits in rows:
        function = function_of(target)
        # Graphs write what they do.
        if target in LEFT_OUT or target.startswith("torch.ops.higher_order."):
            continue
        if function is None:
            absent.append(target)
            continue
        # Each its own arguments, whatever rows there are.  Some cases often draw
        # what torch refuses, or what a call that writes leaves as it is.
        shapes.rng.seed(target)
        torch.manual_seed(1)
        calls = called[target] = []
        for again in range(5):
            if not calls or again < 3 and not any(c.written for c in calls):
                calls += calls_of(target, function, makers[target])
        if not calls:
            calls += calls_of(target, function, GENERIC)
        torch.set_grad_enabled(False)
        if not called[target]:
            untried.append(target)
    questions = [(call.question,) for calls in called.values()
                 for call in calls]
    answers = iter(shapes.ask(program, questions))
    wrong = []
    for target, _, *traits in rows:
        calls = called.get(target, [])
        wrong += judge(target, traits, calls, [next(answers) for _ in calls])
    print("\n".join(wrong[:200]))
    print("%d calls of %d spellings; %d are not in this torch; %d are not "
          "called: %s; %d differ" % (
              len(questions), len(called) - len(untried), len(absent),
              len(untried), " ".join(untried), len(wrong)))
    return bool(wrong or untried)


if __name__ == "__main__":
    sys.exit(main())
