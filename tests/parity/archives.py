#!/usr/bin/env python3
"""Read archives of torch.export.save without Python, beside torch.

usage: archives.py RUN_GRAPH FXDB SAMPLES	the test
       archives.py make FOLDER [NAME...]	write archives, with inputs and
						what eager gives, as .npy

Where this torch exports, each program is saved, opened by fxdb and run by
RUN_GRAPH on two inputs: its graph must be that of torch.export.load, its
results eager's bits; so, but for rounding, where torch imports what `dump
folder` writes.  SAMPLES has archives of torch 2.13 with eager's results: they
run on any libtorch.
"""
import copy
import glob
import importlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile

import numpy
import torch
from torch import nn
from torch.nn import functional as F


class Tied(nn.Module):
    """One parameter with two names, buffers of all kinds, defaults."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 8)
        self.back = nn.Linear(8, 10, bias=False)
        self.back.weight = self.table.weight
        self.register_buffer("calls", torch.zeros(2))
        self.register_buffer("scratch", torch.ones(3), persistent=False)
        self.factor = torch.tensor([1.0, 2.0])

    def forward(self, ids, flag=True, scale=3.0):
        self.calls.add_(1)
        hidden = self.table(ids)
        values, indices = hidden.topk(2)
        out = self.back(hidden) * scale
        return {"out": out, "top": (values * self.factor, indices),
                "sum": self.scratch.sum() + self.calls}


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.yes = nn.Linear(4, 4)
        self.no = nn.Linear(4, 4)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.yes(x),
                          lambda x: self.no(x).relu(), (x,))


class Loop(nn.Module):
    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)

    def forward(self, x):
        def more(i, y):
            return i < 3

        def step(i, y):
            return i + 1, torch.tanh(self.step(y))

        return torch._higher_order_ops.while_loop(
            more, step, (torch.zeros([], dtype=torch.int64), x))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 8, batch_first=True)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return out[:, -1], h, c


class Sizes(nn.Module):
    """Sizes that are computed with."""

    def forward(self, x, n):
        y = torch.cat([x, x]).view(-1, 2, 2).permute(1, 0, 2)
        y = y[:, :2 * x.shape[0] - 3].reshape(-1)
        return y, x.new_ones(x.shape[0] * 6 // 5), n.split(2)


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, stride=2), nn.BatchNorm2d(8),
            nn.Hardswish(), nn.AdaptiveAvgPool2d(2), nn.Flatten(),
            nn.Linear(32, 5))

    def forward(self, x):
        return self.layers(x).softmax(-1)


class Masked(nn.Module):
    """Inputs of bool and int; infinity; a dtype; a memory format."""

    def forward(self, mask, ids):
        scores = ids.to(torch.float32).masked_fill(mask, float("-inf"))
        image = ids.view(1, 2, 2, -1).double()
        image = image.contiguous(memory_format=torch.channels_last)
        return scores.softmax(-1), image * 2, mask.logical_not().sum()


class Writes(nn.Module):
    """A buffer and an input that are written; decomposed, as copies."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0))
        x.add_(1)
        return x * self.mean, self.mean + 1


class Nested(nn.Module):
    """Structured inputs, keyword arguments, a chain of modules."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(4, 4), nn.GELU()) for _ in range(3))

    def forward(self, pair, *, options):
        x = pair[0] * options["scale"] + pair[1]
        for block in self.blocks:
            x = x + block(x)
        return [x, (x.mean(), x.std(0))]


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.groups = nn.GroupNorm(2, 8)
        self.weight = nn.Parameter(torch.randn(8, 8).t())  # strides

    def forward(self, x):
        return self.groups(F.silu(self.norm(x) @ self.weight))


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


class Item(nn.Module):
    """A size that comes from data, with its checks."""

    def forward(self, x):
        count = x.sum().to(torch.int32).item()
        torch._check(count >= 1)
        torch._check(count <= 100)
        return torch.arange(count) * 2, x[:1]


class Named(nn.Module):
    """Names that Python has already."""

    def forward(self, input, type, sum):
        return input + type, sum.max(0)[1], torch.where(sum > 0, sum, input)


def f(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def i(*shape):
    return torch.arange(int(numpy.prod(shape))).view(*shape) % 7


def dim(name, **limits):
    return torch.export.Dim(name, **limits)


# name: module, inputs, other inputs, dynamic shapes, options
PROGRAMS = {
    "tied": lambda: (Tied(), (i(2, 3),), (i(4, 3) + 1,),
                     ({0: dim("N", min=2, max=64)},)),
    "branches": lambda: (Branches(), (f(3, 4) + 1,), (f(3, 4) - 1,), None),
    "loop": lambda: (Loop(), (f(2, 4),), (f(2, 4, seed=1),), None),
    "recurrent": lambda: (Recurrent(), (f(2, 5, 4),), (f(2, 5, 4, seed=1),),
                          None),
    "sizes": lambda: (Sizes(), (f(12, 4), i(6)), (f(20, 4), i(6)),
                      ({0: dim("N", min=6, max=64)}, None)),
    "convolutions": lambda: (Convolutions().eval(), (f(2, 3, 16, 16),),
                             (f(3, 3, 16, 16),),
                             ({0: dim("N", min=2)},)),
    "masked": lambda: (Masked(), (i(4, 4) > 4, i(4, 4)),
                       (i(4, 4) > 2, i(4, 4) * 2), None),
    "writes": lambda: (Writes(), (f(3, 4),), (f(3, 4, seed=1),), None),
    "written": lambda: (Writes(), (f(3, 4),), (f(3, 4, seed=1),), None,
                        {"decomposed": True}),
    "nested": lambda: (Nested(), ((f(2, 4), f(2, 4, seed=1)),),
                       ((f(2, 4, seed=2), f(2, 4, seed=3)),), None,
                       {"kwargs": {"options": {"scale": f(4)}}}),
    "normed": lambda: (Normed(), (f(3, 8),), (f(3, 8, seed=1),), None),
    "attention": lambda: (Attention().eval(), (f(2, 5, 8),),
                          (f(2, 5, 8, seed=1),), None),
    "item": lambda: (Item(), (torch.tensor([2.0, 3.0]),),
                     (torch.tensor([5.0, 3.0]),), None),
    "named": lambda: (Named(), (f(4), f(4, seed=1), f(4, seed=2)),
                      (f(4, seed=3), f(4, seed=4), f(4, seed=5)), None),
}


def flatten(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in flatten(item)]
    return []


def make(folder, name):
    """Save PROGRAMS[name], inputs and results.  The number of inputs."""
    torch.manual_seed(0)
    # Another algorithm, which export does not take.
    torch.backends.mha.set_fastpath_enabled(False)
    module, inputs, others, shapes, *options = PROGRAMS[name]()
    options = options[0] if options else {}
    kwargs = options.get("kwargs", {})
    fresh = copy.deepcopy(module)
    copies = torch.utils._pytree.tree_map(torch.clone, inputs)
    program = torch.export.export(module, copies, kwargs,
                                  dynamic_shapes=shapes)
    if options.get("decomposed"):
        program = program.run_decompositions()
    torch.export.save(program, os.path.join(folder, name + ".pt2"))
    for call, given in enumerate((inputs, others)):
        base = os.path.join(folder, "%s.%d" % (name, call))
        for number, tensor in enumerate(flatten((given, kwargs))):
            numpy.save("%s.in.%d.npy" % (base, number), tensor.numpy())
        copied = torch.utils._pytree.tree_map(torch.clone, given)
        with torch.no_grad():
            result = copy.deepcopy(fresh)(*copied, **kwargs)
        for number, tensor in enumerate(flatten(result)):
            numpy.save("%s.out.%d.npy" % (base, number), tensor.numpy())


def forget_folders(archive):
    """Leave the folders of this machine out of ARCHIVE's source lines."""
    with zipfile.ZipFile(archive) as old:
        entries = [(entry.filename, old.read(entry)) for entry in
                   old.infolist()]
    with zipfile.ZipFile(archive, "w") as new:
        for name, data in entries:
            if name.endswith("model.json"):
                data = re.sub(rb'File \\"[^"]*?(torch/[^"]*|[^"/]*)\\"',
                              rb'File \\"/models/\1\\"', data)
            new.writestr(zipfile.ZipInfo(name), data)


def files(base, kind):
    found = glob.glob("%s.%s.*.npy" % (base, kind))
    return sorted(found, key=lambda path: int(path.split(".")[-2]))


def run(run_graph, archive, exact):
    """Run ARCHIVE as the files beside it say; a list of what is wrong."""
    wrong = []
    for call in range(2):
        base = "%s.%d" % (archive[:-len(".pt2")], call)
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            done = subprocess.run(
                [run_graph, archive, out, *files(base, "in")],
                capture_output=True, text=True)
            if done.returncode:
                wrong.append(done.stdout[-500:] + done.stderr[-500:])
                continue
            wanted = files(base, "out")
            if not wanted:
                wrong.append("no results to compare with")
            for number, path in enumerate(wanted):
                want = numpy.load(path)
                have = numpy.load("%s.%d.npy" % (out, number))
                same = want.dtype == have.dtype and want.shape == have.shape \
                    and (want.tobytes() == have.tobytes() if exact else
                         numpy.allclose(want, have, 1e-5, 1e-6))
                if not same:
                    wrong.append("call %d, result %d: %s, wanted %s"
                                 % (call, number, have, want))
            if os.path.exists("%s.%d.npy" % (out, len(wanted))):
                wrong.append("more results than eager has")
    return wrong


def listing_of(fxdb, archive):
    done = subprocess.run([fxdb, "--batch", "-ex", "load " + archive,
                           "-ex", "dump listing"],
                          capture_output=True, text=True)
    text = done.stdout
    return re.sub(r"\(default=.*\)$", "",
                  text[text.find("graph():"):].rstrip(), flags=re.M)


def run_folder(fxdb, archive):
    """Import what `dump folder` writes of ARCHIVE, in this torch, and run it;
    a list of what is wrong."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([fxdb, "--batch", "-ex", "load " + archive,
                               "-ex", "dump folder %s/dumped" % folder],
                              capture_output=True, text=True)
        if done.returncode:
            return [done.stderr]
        sys.path.insert(0, folder)
        dumped = importlib.import_module("dumped")
        for call in range(2):
            base = "%s.%d" % (archive[:-len(".pt2")], call)
            given = [torch.from_numpy(numpy.load(path))
                     for path in files(base, "in")]
            with torch.no_grad():
                have = flatten(dumped.FxModule()(*given))
            want = [numpy.load(path) for path in files(base, "out")]
            # Not to the bit: parameters lie in order there, without strides.
            if len(have) != len(want) or not all(
                    mine.numpy().dtype == theirs.dtype and
                    numpy.allclose(mine, theirs, 1e-5, 1e-6)
                    for mine, theirs in zip(have, want)):
                wrong.append("dump folder, call %d: %s, wanted %s"
                             % (call, have, want))
        sys.path.remove(folder)
        for name in [name for name in sys.modules
                     if name.split(".")[0] == "dumped"]:
            del sys.modules[name]
    return wrong


def torchs_listing(archive):
    program = torch.export.load(archive)
    kinds = [spec.kind.name for spec in program.graph_signature.input_specs +
             program.graph_signature.output_specs]
    # module() numbers names that Python has; without members there is nothing
    # else that it changes.
    if set(kinds) == {"USER_INPUT", "USER_OUTPUT"}:
        return str(program.graph).strip()
    return str(program.module(check_guards=False).graph).strip()


def main():
    run_graph, fxdb, samples = sys.argv[1:]
    failed = 0
    checked = 0

    def report(name, wrong):
        nonlocal failed, checked
        checked += 1
        for line in wrong:
            failed += 1
            print("%s: %s" % (name, line))

    for archive in sorted(glob.glob(os.path.join(samples, "*.pt2"))):
        report("sample " + os.path.basename(archive),
               run(run_graph, archive, False))
    if not checked:
        print("no samples in " + samples)
        return 1
    if not hasattr(torch, "export"):
        print("%d samples (torch %s exports nothing)"
              % (checked, torch.__version__))
        return failed > 0
    with tempfile.TemporaryDirectory() as folder:
        for name in PROGRAMS:
            make(folder, name)
            archive = os.path.join(folder, name + ".pt2")
            wrong = run(run_graph, archive, True)
            have, want = listing_of(fxdb, archive), torchs_listing(archive)
            if have != want:
                wrong.append("listing:\n%s\nwanted:\n%s" % (have, want))
            report(name, wrong + run_folder(fxdb, archive))
    print("%d archives, %d failed" % (checked, failed))
    return failed > 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        for program in sys.argv[3:] or PROGRAMS:
            make(sys.argv[2], program)
            forget_folders(os.path.join(sys.argv[2], program + ".pt2"))
    else:
        sys.exit(main())
