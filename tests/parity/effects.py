#!/usr/bin/env python3
"""What models change besides giving a result, on each backend, beside eager
PyTorch: buffers that a module writes itself, what else it keeps, the random
generator, shapes.

usage: effects.py FXDB

Each model is run, taken back and run on; every value must be what eager
PyTorch has at that time, bit for bit.
"""
import os
import string
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch

import threads

warnings.simplefilter("ignore")
DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path.insert(0, DATA)
import effects  # noqa: E402

SEED = 5


def run(fxdb, folder, backend, model, commands):
    """The arrays that COMMANDS dump as a, b, c..., or what is said."""
    names = iter(string.ascii_letters)
    words = [fxdb, "-nx", "-q", "-batch", "--python", sys.executable]
    dumped = []
    for command in ["set backend " + backend, "seed %d" % SEED,
                    "trace %s/effects.py:%s" % (DATA, model),
                    'input x = file("%s/x.npy")' % folder] + commands:
        if command.startswith("dump "):
            dumped.append("%s/%s.npy" % (folder, next(names)))
            command = "dump value %s %s" % (command[5:], dumped[-1])
        words += ["-ex", command]
    done = subprocess.run(words, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    if done.returncode:
        return done.stdout + done.stderr
    return [numpy.load(path) for path in dumped]


def normed(fxdb, folder, x, backend):
    """Statistics as they are at each time."""
    module = effects.Normed().train()
    norm = module.norm
    mean = module.average.running_mean
    before = [norm.running_mean.numpy().copy(), numpy.array(0),
              mean.numpy().copy()]
    with torch.no_grad():
        want = module(x).numpy()
    after = [norm.running_mean.numpy(), norm.num_batches_tracked.numpy(),
             mean.numpy()]
    state = ["dump norm.running_mean", "dump norm.num_batches_tracked",
             "dump average.running_mean"]
    return run(fxdb, folder, backend, "Normed() --train", [
        "run", "dump %output"] + state + ["goto norm"] + state + [
        "goto first", "continue", "dump %output"] + state), \
        [want] + after + before + [want] + after


def drawing(fxdb, folder, x, backend):
    """Random numbers that are drawn here and there come in one order."""
    torch.manual_seed(SEED)
    want = effects.Drawing()(x).numpy()
    then = torch.rand(2).numpy()
    return run(fxdb, folder, backend, "Drawing()", [
        "run", "dump %output", "dump torch.rand(2)", "goto noisy_1",
        "reverse-step", "continue", "dump %output", "goto noisy",
        "start", "run", "dump %output", "dump torch.rand(2)"]), \
        [want, then, want, want, then]


def counting(fxdb, folder, x, backend):
    """What a leaf of the user's writes outside training is put back."""
    names = ["calls", "mean", "norm.running_mean"]
    module = effects.Counting().eval()
    counter = module.counter
    buffers = [counter.calls, counter.mean, counter.norm.running_mean]
    state = ["dump counter." + name for name in names]
    before = [buffer.numpy().copy() for buffer in buffers]
    with torch.no_grad():
        once = counter(module.first(x))
        between = [b.numpy().copy() for b in (
            counter.calls, counter.mean, counter.norm.running_mean)]
        want = counter(torch.relu(once)).numpy()
    after = [counter.calls.numpy(), counter.mean.numpy(),
             counter.norm.running_mean.numpy()]
    return run(fxdb, folder, backend, "Counting() --leaf effects.Counter", [
        "run", "dump %output"] + state + ["goto counter_1"] + state + [
        "goto counter"] + state + ["continue", "dump %output"] + state), \
        [want] + after + between + before + [want] + after


def remembering(fxdb, folder, x, backend):
    """So is what else a leaf of the user's keeps."""
    module = effects.Remembering()
    first = module.leaf(x + 1)
    second = module.leaf(torch.relu(first))
    want = module.leaf(second)
    outputs = [first.numpy(), second.numpy(), want.numpy()]
    return run(fxdb, folder, backend,
               "Remembering() --leaf effects.Rememberer", [
        "run", "dump leaf", "dump leaf_1", "dump %output", "goto leaf_1",
        "continue", "dump leaf_1", "dump %output", "goto leaf", "step",
        "reverse-step", "step 2", "continue", "dump leaf", "dump leaf_1",
        "dump %output", "run", "dump %output"]), \
        outputs + outputs[1:] + outputs + [want.numpy()]


def elsewhere(fxdb, folder, x, backend):
    """So is what it keeps in globals and in objects of other classes."""
    effects.total = 0
    effects.seen.clear()
    effects.met.clear()
    module = effects.Elsewhere()
    first = module.leaf(x)
    second = effects.counted(first)
    third = module.leaf(second)
    outputs = [value.numpy() for value in (
        first, second, third, effects.counted(third))]
    names = ["dump leaf", "dump counted", "dump leaf_1", "dump counted_1"]
    return run(fxdb, folder, backend, "Elsewhere() --leaf effects.Helped", [
        "run"] + names + ["goto counted_1", "continue"] + names +
        ["goto leaf", "step 3", "reverse-step 2", "continue"] + names +
        ["run"] + names), outputs * 4


def turning(fxdb, folder, x, backend):
    """Shapes, too, are as they are at each time."""
    x = x.clone()
    given = x.clone()
    first = x + 1
    x.unsqueeze_(0)
    part = first[:, 1:3]
    before = part.clone()
    part.t_()
    turned = part.clone()
    part.unsqueeze_(1)
    want = (part * turned.sum(1).sum() + x.sum()).numpy()
    return run(fxdb, folder, backend, "Turning()", [
        "run", "dump %output", "dump %getitem", "dump x", "goto sum_1",
        "dump %getitem", "goto t_", "dump %getitem", "goto unsqueeze_",
        "dump x", "continue", "dump %output", "run", "dump %output"]), \
        [want, part.numpy(), x.numpy(), turned.numpy(), before.numpy(),
         given.numpy(), want, want]


def growing(fxdb, folder, x, backend):
    """What grew has the size and the bytes that it had; parameters are one
    object, whatever reads them.
    """
    module = effects.Growing()
    weight = module.layer.weight.detach().clone()
    with torch.no_grad():
        want = module(x)
    turned = module.layer.weight.detach()
    one = "print self.layer.weight.shape", "dump self.layer.weight"
    return run(fxdb, folder, backend, "Growing()", [
        "run", "dump %output", *one, "goto %layer_1", one[1], "goto %t_",
        one[1], "goto resize__1", "dump new_empty", "goto fill_",
        "goto resize_", "dump clone", "continue", "dump %output", *one,
        "run", "dump %output", *one]), \
        [want.numpy(), turned.numpy(), weight.t().numpy(), weight.numpy(),
         x[0, :0].numpy(), x.numpy()] + 2 * [want.numpy(), turned.numpy()]


def sharing(fxdb, folder, x, backend):
    """What lies in one memory is read as it is, also from a file."""
    want = effects.Sharing()(x).numpy()
    path = os.path.join(folder, "sharing.fxg")
    given = 'input x = file("%s/x.npy")' % folder
    return run(fxdb, folder, backend, "Sharing()", [
        "run", "dump %output", "save " + path, "set backend auto",
        "load " + path, given, "run", "dump %output"]), [want, want]


def moving(fxdb, folder, x, backend):
    """What one backend computed is an operand and an input on the next."""
    first = effects.Turning()(x.clone())
    other = "torch" if backend == "python" else "python"
    twice = torch.cat([x * 2, x])
    return run(fxdb, folder, backend, "Turning()", [
        "run", "print %output", "print x[0] * 2", "set $x = x[0]",
        "set backend " + other, "input x = torch.cat([$, $x])", "run",
        "dump $1 + $1", "dump x", "dump %output"]), \
        [(first + first).numpy(), twice.numpy()[None],
         effects.Turning()(twice.clone()).numpy()]


def made_up(fxdb, folder, x, backend):
    """An input that is only a shape has the numbers that PyTorch draws; integers
    are in inputs.py."""
    commands = []
    want = []
    for short, dtype in (("f64", torch.float64), ("f16", torch.float16),
                         ("c64", torch.complex64)):
        commands += ["input x = %s[8,4]" % short, "start", "dump x"]
        torch.manual_seed(SEED)
        value = torch.zeros(8, 4, dtype=dtype)
        want.append(value.normal_().numpy())
    return run(fxdb, folder, backend, "Drawing()", commands), want


def aliased(fxdb, folder, x, backend):
    """What is written to a view of a part is in the whole, and across."""
    module = effects.Aliased()
    state = ["dump self." + name
             for name in ("table", "turned", "part", "word")]
    before = [t.numpy().copy() for t in (
        module.table, module.turned, module.part, module.word)]
    want = module(x).numpy()
    after = [t.numpy().copy() for t in (
        module.table, module.turned, module.part, module.word)]
    module = effects.Aliased()
    module.part.copy_(module.part * 3)
    other = module(x).numpy()
    path = os.path.join(folder, "aliased.fxg")
    given = 'input x = file("%s/x.npy")' % folder
    more = ["save " + path, "load " + path, given,
            "run", "dump %output"] + state
    return run(fxdb, folder, backend, "Aliased()", [
        "run", "dump %output"] + state + ["goto @0"] + state + [
        "continue", "dump %output"] + state + [
        "set backend auto", "graph copy Aliased as b", "graph b", given, "run", "dump %output"] +
        state + ["graph Aliased", "start", "set value self.part = $v * 3", "run",
                 "dump %output", "undo"] + more), \
        [want] + after + before + ([want] + after) * 2 + [other, want] + after


def operating(fxdb, folder, x, backend):
    """What single operators write is as it is at each time."""
    values = {"x": x, "total": x.clone(), "long": x.reshape(2, 4, 4),
              "mean": torch.zeros(4), "var": torch.ones(4)}
    names = ["total", "mean", "var"]
    times = []
    for name, function, args in effects.operators():
        times.append((name, [values[n].numpy().copy() for n in names]))
        function(*(values.get(arg, arg) for arg in args))
    state = ["dump clone", "dump self.mean", "dump self.var"]
    commands = ["run"] + state
    want = [values[name].numpy().copy() for name in names]
    for name, before in reversed(times):
        commands += ["goto %" + name] + state
        want += before
    return run(fxdb, folder, backend, "Operators()", commands), want


def main():
    failed = 0
    threads.as_fxdb()
    x = torch.randn(8, 4)
    for check in normed, drawing, counting, remembering, elsewhere, \
            turning, growing, sharing, moving, made_up, aliased, operating:
        for backend in "python", "auto":
            with tempfile.TemporaryDirectory() as folder:
                numpy.save(os.path.join(folder, "x.npy"), x.numpy())
                have, want = check(sys.argv[1], folder, x, backend)
            assert isinstance(have, str) or len(have) == len(want)
            wrong = [have] if isinstance(have, str) else [
                "value %d is %s, not %s" % (i, a, b)
                for i, (a, b) in enumerate(zip(have, want))
                if a.dtype != b.dtype or a.shape != b.shape
                or a.tobytes() != b.tobytes()]
            print("%s on %s: %s" % (check.__name__, backend,
                                    "; ".join(wrong) or "equal"), flush=True)
            failed += bool(wrong)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
