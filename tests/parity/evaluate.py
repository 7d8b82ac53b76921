"""evaluate.py FXDB: expressions over tensors, evaluated and shown by fxdb on
libtorch and by Python's torch of the same version: the texts must be equal."""
import os
import random
import subprocess
import sys
import tempfile
import warnings

import numpy
import torch
import torch.nn.functional as F

# Lists that are read as tuples are deprecated.
warnings.simplefilter("ignore")

EXPRESSIONS = """
a
a + b
a * 2 - b / 3
-a
a @ b.t()
a[0]
a[0, :3]
a[..., -1]
a[:, None, 1]
a[1:3, ::2]
a[a > 0]
a[0, 1].item()
a[0].tolist()
float(a.sum())
torch.softmax(a, 1)
torch.softmax(a, dim=1).topk(2)[0]
torch.softmax(a, 1).topk(2)[1]
a.topk(3)[0].shape
a.t()
a.t()[1]
a.permute(1, 0).contiguous()
a.reshape(2, -1)
a.view(-1)[3:7]
a.unsqueeze(0).expand(3, -1, -1)
a.mean()
a.mean(0)
a.std(1, keepdim=True)
a.var()
a.max()
a.argmax(1)
a.abs().max().item()
a > b
(a > b).sum()
(a > b).any()
a.half()
a.bfloat16()
a.double()
a.to(torch.int32)
a.long()
i
i * 2
i // 3
i % 4
i.float().mean()
i == 2
a[0][i[0]]
c
c * c
c.real
c.abs()
c.conj()[0]
d
d / 7
h
h + 1
t
t & t
~t
torch.cat([a, b], 0)
torch.cat((a, b), dim=1)
torch.stack([a, b])[1, 0]
torch.where(a > 0, a, b)
torch.zeros(2, 3)
torch.ones(3, dtype=torch.int64)
torch.arange(7)
torch.full((2, 2), 3.5)
torch.linspace(0, 1, 5)
torch.eye(3)
torch.zeros(0, 3)
torch.zeros(0)
torch.zeros(2, 0).tolist()
torch.zeros(0, 5).tolist()
torch.tensor(3.5)
torch.tensor([])
torch.tensor([[], []])
torch.as_tensor([])
torch.tensor([], dtype=torch.int64)
torch.tensor([1 + 0.1j, 2])
torch.tensor([[1j, 2], [True, 0.1]])
torch.tensor(0.1j)
torch.tensor([1 + 0.1j, 2], dtype=torch.complex128)
torch.tensor([[1, 2], [3, 4]])
torch.arange(2000).float()
torch.arange(2000).reshape(2, 1000)
torch.arange(12).reshape(2, 1, 2, 3) * 1000000
F.relu(a)
F.layer_norm(a, (6,))
F.linear(a, b)
torch.einsum("ij,kj->ik", a, b)
a.clamp(min=0)
a.clamp(-1, 1)
a.softmax(-1).log()
a / 0
(a / 0 - a / 0)
a * 1e10
a * 1e-10
a.round()
a.numel()
a.size(0)
a.dtype
a.shape
a.dim()
a.is_contiguous()
len(a)
abs(a)
a.pow(2).sum().sqrt()
a ** 2
2 ** i.float()
a.split(2)[1]
a.chunk(3, 1)[2]
a.sort(1)[1]
a.flatten()
a.isnan().any()
torch.zeros(1).expand(1500)
1 if a.sum() > 1e9 else 2
a.clone().T.real
torch.fliplr(a)
a.clone().add_(1)
a.clone().relu_().mul_(2)
F.gelu(a, approximate="tanh")
F.interpolate(a[None, None], scale_factor=2)
F.pad(a, (1, 2))
F.cross_entropy(a, i.flatten()[1:5])
(a.split(2) + (b,))[2]
a.unbind(1)[0]
a.stride()
(torch.broadcast_tensors(a[0], a[1]) + (1,))[2]
a.max(1).values
a.topk(2).indices
torch.linalg.eigh(a @ a.t()).eigenvalues
torch.linalg.eigvalsh(a @ a.t(), UPLO="U")
a[1].data_ptr() - a.data_ptr()
a[:0].data_ptr()
e[[0, 2], 1:3]
e[[0, 2], ..., [1, 0]]
e[[[0, 1], [1, 2]]]
e[((0, 1), (1, 2)), 0]
e[[slice(0, 2), 0]]
e[[True, False, True], None, [0, 1]]
a[[True, 0]]
a[[1.0]]
a[[i[0, 1], 2]]
a[range(1, 3), range(2)]
a[[0] * 40].shape
a[False, [[1], [0]]]
a[..., True]
a[t[:4]]
a[:, []]
a[a > 0, ...]
e[e[..., 0] > 10, [0]]
torch.zeros(0, 3)[[]]
torch.zeros(0, 3)[:, [2, 0]]
torch.zeros(0, 3).mean(0)
torch.zeros(0, 3).sum()
torch.zeros(3, 0).prod(1)
torch.zeros(0, 3).max(1)[0]
torch.zeros(0, 3).logsumexp(0)
torch.cat([torch.zeros(0), a[0]])
torch.stack([torch.zeros(0, 2), torch.zeros(0, 2)])
torch.zeros(0).topk(0)[1]
torch.zeros(2, 0) @ torch.zeros(0, 3)
torch.zeros(0, 3).softmax(1)
torch.einsum("ij,jk->ik", torch.zeros(0, 2), torch.zeros(2, 3))
""".strip().split("\n")

# Torch before 2.9 takes what follows a mask of two dimensions for one about the
# second of them: most of these are refused there.
MASKS = """
e[m, 0]
e[m, 1:]
e[m, None]
e[m, :, None]
e[m, ..., 0]
e[m, i[0, 1]]
e[m, m]
e[m, True]
e[True, m]
e[None, m]
e[0, m]
e[m, [0] * 8].shape
e[m.to(torch.uint8), -1]
""".strip().split("\n")


def random_slice(r):
    """An index of a[4, 6] or e[3, 4, 5] without tensors."""
    name, rank = r.choice([("a", 2), ("e", 3)])
    parts, dots = [], False
    for _ in range(r.randrange(1, rank + 1)):
        kind = r.randrange(6)
        if kind == 0:
            parts.append("None")
        elif kind == 1 and not dots:
            parts.append("...")
            dots = True
        elif kind == 2:
            parts.append(str(r.randrange(-3, 3)))
        else:
            ends = [r.choice(["", str(r.randrange(-6, 7))]) for _ in "12"]
            step = r.choice(["", ":2", ":3"])
            parts.append(":".join(ends) + step)
    return f"{name}[{', '.join(parts)}]"


def some_list(r, size):
    """An index of a dimension that takes several elements, or is a tensor."""
    kind = r.randrange(6)
    if kind == 0:
        return str([r.random() < .5 for _ in range(size)])
    if kind == 1:
        return r.choice(["[]", "range(2)", "(0, 1)", "True", "False"])
    if kind == 2:
        return r.choice(["i[0] % 3", "i % 2", "i[1, 0] % 3", "[i[0, 1], 1]"])
    if kind == 3:
        return str([[r.randrange(2)] for _ in range(2)])
    return str([r.randrange(-2, 3) for _ in range(r.randrange(1, 4))])


def random_index(r):
    """An index with lists and tensors among slices."""
    name, sizes = r.choice([("a", (4, 6)), ("e", (3, 4, 5))])
    parts = [r.choice(["None", "...", ":", "1:", "::2", "0", "-1",
                       some_list(r, size), some_list(r, size)])
             for size in sizes[:r.randrange(1, len(sizes) + 1)]]
    index = ", ".join(parts)
    if r.random() < .1:
        index = f"[{index}]".replace("::2", "slice(None, None, 2)").replace(
            "1:", "slice(1, None)").replace(":", "slice(None)")
    return f"{name}[{index}]"


def good(r, count, make):
    """COUNT expressions that MAKE gives and torch takes."""
    found, values = [], dict(inputs(), torch=torch)
    while len(found) < count:
        expression = make(r)
        try:
            eval(expression, dict(values))
        except (IndexError, RuntimeError, TypeError, ValueError):
            continue
        found.append(expression)
    return found


def inputs():
    torch.manual_seed(int(os.environ.get("FXDB_SEED", "1")))
    a, b = torch.randn(4, 6), torch.randn(4, 6)
    return {
        "e": torch.arange(60).reshape(3, 4, 5), "a": a, "b": b, "i": torch.arange(6).reshape(2, 3) - 1,
        "c": torch.complex(torch.randn(2, 3), torch.randn(2, 3)),
        "d": torch.randn(3, dtype=torch.float64), "h": torch.randn(5).half(),
        "t": torch.rand(7) > .5, "m": torch.arange(12).reshape(3, 4) % 3 != 1,
    }


def shown(value):
    return str(value) if isinstance(value, torch.Tensor) else repr(value)


def wanted(expression, names):
    try:
        return shown(eval(expression, names))
    except IndexError:
        return "refused"


def fxdb_lines(program, backend, values, expressions):
    """What fxdb prints for each expression, with $a for a."""
    with tempfile.TemporaryDirectory() as folder:
        return lines_in(folder, program, backend, values, expressions)


def lines_in(folder, program, backend, values, expressions):
    # What this Python traced runs on its libtorch.
    lines = ["trace torch.nn:ReLU()", f"set backend {backend}",
             "input input = zeros(2, 4)", "run"]
    for name, value in values.items():
        path = os.path.join(folder, name + ".npy")
        numpy.save(path, value.numpy())
        lines.append(f"set ${name} = file(\"{path}\")")
    for expression in expressions:
        lines += ["echo ==\\n", f"print/r {expression}"]
    script = os.path.join(folder, "script")
    with open(script, "w") as file:
        file.write("\n".join(lines) + "\n")
    out = subprocess.run([program, "--python", sys.executable, "-nx", "-batch",
                          "--keep-going", "-x", script], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True)
    return out.stdout.split("==\n")


def of_fxdb(expression, names):
    """The names of inputs become user variables."""
    out, word = "", ""
    for char in expression + " ":
        if char.isalnum() or char in "_.":
            word += char
            continue
        head, dot, tail = word.partition(".")
        out += ("$" + word if head in names else word) + char
        word = ""
    return out.strip()


def answer_of(text):
    """What stands after "$1 =", on the line or below it."""
    text = text.rstrip("\n")
    if not text.startswith("$"):
        return "refused" if ": error: " in text else text
    return text.split(" =", 1)[1].lstrip(" \n")


def compare(backend, expressions):
    """How many differ; None without that backend."""
    values = inputs()
    names = {"F": F, "torch": torch, **values}
    said = fxdb_lines(sys.argv[1], backend, values,
                      [of_fxdb(e, values) for e in expressions])
    if "no libtorch" in said[0] or "without the torch" in said[0]:
        return None
    assert len(said) == len(expressions) + 1, said[0]
    bad = 0
    for expression, text in zip(expressions, said[1:]):
        want, got = wanted(expression, names), answer_of(text)
        if want != got:
            bad += 1
            print(f"{expression}\n  torch: {want[:300]}\n  fxdb:  {got[:300]}")
    print(f"{backend}: {len(expressions)} expressions, {bad} differ")
    return bad


def main():
    r = random.Random(int(os.environ.get("FXDB_SEED", "1")))
    slices = [random_slice(r) for _ in range(100)]
    # What is given has values without libtorch too, and so have its slices.
    bad = compare("meta", slices)
    more = compare("torch", EXPRESSIONS + MASKS + slices + good(r, 200, random_index))
    if more is None:
        print("no libtorch")
        return 1 if bad else 77
    return bad + more > 0


sys.exit(main())
