#!/usr/bin/env python3
"""Run cond, while_loop and what calls a graph in fxdb and as plain Python on the same libtorch.

usage: control.py RUN_GRAPH

The texts are graphs as torch 2.x prints them; RUN_GRAPH runs each without
Python.  What they compute is written out below with `if` and `while`, which
must give equal bits.  Where torch has them, torch.export prints the graph of
the same function with torch.cond and torch.while_loop, and eager PyTorch says
what it gives.
"""
import os
import subprocess
import sys
import tempfile

import numpy
import torch

SEED = 11                                       # as run_graph.c has it
HIGHER = "torch.ops.higher_order"


def plain_cond(predicate, yes, no, operands):
    return yes(*operands) if predicate else no(*operands)


def plain_loop(more, step, carried):
    while more(*carried):
        carried = step(*carried)
    return carried


# Each: text, function of (cond, while_loop, inputs), whether torch exports it.
CASES = {}


def case(text, exports=True):
    def keep(function):
        CASES[function.__name__] = (text, function, exports)
        return function
    return keep


@case(f"""
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 4]", w: "f32[4, 4]"):
        zeros = torch.ops.aten.zeros.default([], dtype = torch.int64)
        more = self.more
        step = self.step
        loop = {HIGHER}.while_loop(more, step, (zeros, x), (w,))
        i = loop[0]
        y = loop[1];  loop = None
        total = torch.ops.aten.sum.default(y)
        gt = torch.ops.aten.gt.Scalar(total, 0)
        yes = self.yes
        no = self.no
        cond = {HIGHER}.cond(gt, yes, no, (y,))
        picked = cond[0]
        return (picked, i)
    class more(torch.nn.Module):
        def forward(self, i, y, w):
            lt = torch.ops.aten.lt.Scalar(i, 10)
            return lt
    class step(torch.nn.Module):
        def forward(self, i, y, w):
            add = torch.ops.aten.add.Tensor(i, 1)
            mm = torch.ops.aten.matmul.default(y, w)
            tanh = torch.ops.aten.tanh.default(mm)
            return (add, tanh)
    class yes(torch.nn.Module):
        def forward(self, y):
            mean = torch.ops.aten.mean.default(y)
            gt = torch.ops.aten.gt.Scalar(mean, 1)
            big = self.big
            small = self.small
            cond = {HIGHER}.cond(gt, big, small, (y,))
            getitem = cond[0]
            return (getitem,)
        class big(torch.nn.Module):
            def forward(self, y):
                exp = torch.ops.aten.exp.default(y)
                return (exp,)
        class small(torch.nn.Module):
            def forward(self, y):
                sin = torch.ops.aten.sin.default(y)
                mul = torch.ops.aten.mul.Tensor(sin, 2)
                return (mul,)
    class no(torch.nn.Module):
        def forward(self, y):
            cos = torch.ops.aten.cos.default(y)
            return (cos,)
""")
def branches(cond, loop, x, w):
    i, y = loop(lambda i, y: i < 10,
                lambda i, y: (i + 1, torch.tanh(y @ w)),
                (torch.zeros((), dtype=torch.int64), x))
    def inner(y):
        return cond(y.mean() > 1, lambda y: y.exp(), lambda y: y.sin() * 2,
                    (y,))
    return cond(y.sum() > 0, inner, lambda y: y.cos(), (y,)), i


@case(f"""
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 4]", w: "f32[4, 4]"):
        zeros = torch.ops.aten.zeros.default([], dtype = torch.int64)
        more = self.more
        step = self.step
        loop = {HIGHER}.while_loop(more, step, (zeros, x), ())
        i = loop[0]
        y = loop[1]
        return (y, i)
    class more(torch.nn.Module):
        def forward(self, i, y):
            lt = torch.ops.aten.lt.Scalar(i, 3)
            return lt
    class step(torch.nn.Module):
        def forward(self, i, y):
            zeros = torch.ops.aten.zeros.default([], dtype = torch.int64)
            more = self.more
            step = self.step
            loop = {HIGHER}.while_loop(more, step, (zeros, y), (i,))
            inner = loop[1]
            add = torch.ops.aten.add.Tensor(i, 1)
            return (add, inner)
        class more(torch.nn.Module):
            def forward(self, j, y, i):
                le = torch.ops.aten.le.Tensor(j, i)
                return le
        class step(torch.nn.Module):
            def forward(self, j, y, i):
                add = torch.ops.aten.add.Tensor(j, 1)
                sin = torch.ops.aten.sin.default(y)
                add_1 = torch.ops.aten.add.Tensor(sin, i)
                return (add, add_1)
""", exports=False)
def loop_in_loop(cond, loop, x, w):
    zero = torch.zeros((), dtype=torch.int64)
    def step(i, y):
        _, y = loop(lambda j, y: j <= i,
                    lambda j, y: (j + 1, torch.sin(y) + i), (zero, y))
        return i + 1, y
    i, y = loop(lambda i, y: i < 3, step, (zero, x))
    return y, i


@case(f"""
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 4]", w: "f32[4, 4]"):
        ones = torch.ops.aten.ones.default([], dtype = torch.int64)
        more = self.more
        step = self.step
        loop = {HIGHER}.while_loop(more, step, (ones, x), ())
        y = loop[1]
        add_ = torch.ops.aten.add_.Tensor(y, 1)
        return (add_, x)
    class more(torch.nn.Module):
        def forward(self, i, y):
            lt = torch.ops.aten.lt.Scalar(i, 1)
            return lt
    class step(torch.nn.Module):
        def forward(self, i, y):
            add = torch.ops.aten.add.Tensor(i, 1)
            return (add, y)
""", exports=False)
def no_turn_gives_copies(cond, loop, x, w):
    return x + 1, x


@case(f"""
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 4]", w: "f32[4, 4]"):
        zeros = torch.ops.aten.zeros.default([], dtype = torch.int64)
        more = self.more
        step = self.step
        loop = {HIGHER}.while_loop(cond_fn = more, body_fn = step, """
      f"""carried_inputs = (zeros, x), additional_inputs = ())
        y = loop[1]
        drop = torch.nn.functional.dropout(y, 0.5, True)
        yes = self.yes
        cond = {HIGHER}.cond(True, yes, yes, (drop, y))
        return cond
    class more(torch.nn.Module):
        def forward(self, i, y):
            lt = torch.ops.aten.lt.Scalar(i, 200)
            return lt
    class step(torch.nn.Module):
        def forward(self, i, y):
            add = torch.ops.aten.add.Tensor(i, 1)
            drop = torch.nn.functional.dropout(y, 0.25, True)
            mul = torch.ops.aten.mul.Tensor(drop, 0.75)
            add_ = torch.ops.aten.add_.Tensor(mul, 0.5)
            return (add, add_)
    class yes(torch.nn.Module):
        def forward(self, a, b):
            sub = torch.ops.aten.sub.Tensor(a, b)
            return (sub,)
""", exports=False)
def random_numbers_in_order(cond, loop, x, w):
    drop = torch.nn.functional.dropout
    _, y = loop(lambda i, y: i < 200,
                lambda i, y: (i + 1, drop(y, 0.25, True) * 0.75 + 0.5),
                (torch.zeros((), dtype=torch.int64), x))
    return drop(y, 0.5, True) - y,


@case(f"""
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 4]", w: "f32[4, 4]"):
        mm = torch.ops.aten.mm.default(x, w)
        body = self.body
        tag = {HIGHER}.tag_activation_checkpoint(body, mm, w = w, use_reentrant = False, debug = False)
        first = tag[0]
        part = self.part
        invoke = {HIGHER}.invoke_subgraph(part, 'part', first, mm)
        second = invoke[0]
        quiet = self.quiet
        grad = {HIGHER}.wrap_with_set_grad_enabled(False, quiet, second)
        third = grad[0]
        cast = {HIGHER}.wrap_with_autocast('cpu', None, False, None, quiet, third)
        fourth = cast[0]
        wrapped = {HIGHER}.wrap(quiet, fourth)
        fifth = wrapped[0]
        again = {HIGHER}.wrap_activation_checkpoint(body, fifth, w)
        last = again[0]
        return (last, first)
    class body(torch.nn.Module):
        def forward(self, y, w, debug: "Sym(s0)" = 3):
            drop = torch.nn.functional.dropout(y, 0.5, True)
            deep = self.deep
            wrap = {HIGHER}.wrap(deep, drop, w)
            mul = torch.ops.aten.mul.Tensor(wrap, debug)
            return (mul,)
        class deep(torch.nn.Module):
            def forward(self, y, w):
                mm_1 = torch.ops.aten.mm.default(y, w)
                sin = torch.ops.aten.sin.default(mm_1)
                return sin
    class part(torch.nn.Module):
        def forward(self, a, b):
            sub = torch.ops.aten.sub.Tensor(a, b)
            return (sub,)
    class quiet(torch.nn.Module):
        def forward(self, a):
            cos = torch.ops.aten.cos.default(a)
            exp = torch.ops.aten.exp.default(cos)
            return (exp,)
""", exports=False)
def calls(cond, loop, x, w):
    def body(y):
        return torch.sin(torch.nn.functional.dropout(y, 0.5, True) @ w) * 3
    def quiet(y):
        return y.cos().exp()
    first = body(x @ w)
    return body(quiet(quiet(quiet(first - x @ w)))), first


def run(program, text, inputs, count):
    """What RUN_GRAPH makes of TEXT: COUNT arrays."""
    with tempfile.TemporaryDirectory() as folder:
        def place(name):
            return os.path.join(folder, name)
        with open(place("graph.py"), "w") as f:
            f.write(text)
        for i, x in enumerate(inputs):
            numpy.save(place(f"in{i}.npy"), x.numpy())
        done = subprocess.run(
            [program, place("graph.py"), place("out")] +
            [place(f"in{i}.npy") for i in range(len(inputs))],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return done.stdout
        return [numpy.load(place(f"out.{i}.npy")) for i in range(count)]


def check(what, got, expected):
    if isinstance(got, str):
        print(f"{what}: {got}")
        return False
    same = all(numpy.array_equal(a, b.numpy()) and a.shape == tuple(b.shape)
               for a, b in zip(got, expected))
    print(f"{what}: {'equal' if same else f'{got} instead of {expected}'}")
    return same


def exported(function, inputs):
    """The text of FUNCTION as torch.export has it, and what eager gives."""
    class Model(torch.nn.Module):
        def forward(self, x, w):
            return function(torch.cond, torch.while_loop, x, w)
    program = torch.export.export(Model(), tuple(inputs), strict=True)
    return (program.graph_module.print_readable(print_output=False),
            program.module()(*inputs))


def main():
    ok = True
    for name, (text, function, exports) in CASES.items():
        torch.manual_seed(3)
        inputs = [torch.randn(2, 4), torch.randn(4, 4)]
        torch.manual_seed(SEED)
        expected = function(plain_cond, plain_loop, *inputs)
        ok &= check(name, run(sys.argv[1], text, inputs, len(expected)),
                    expected)
        if not exports or not hasattr(torch, "while_loop"):
            continue
        text, eager = exported(function, inputs)
        ok &= check(f"{name}, exported",
                    run(sys.argv[1], text, inputs, len(eager)), eager)
    return 0 if ok else 1


sys.exit(main())
