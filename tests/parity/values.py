"""values.py PROGRAM: random tensors as torch prints them, its statistics and
its isclose, beside what PROGRAM (values.c) says of the same bytes."""
import math
import os
import random
import subprocess
import sys

import torch

from export_fxg import SHORT_OF

SHORT = dict(SHORT_OF)
for name, short in (("float8_e4m3fn", "f8e4m3fn"), ("float8_e5m2", "f8e5m2")):
    if hasattr(torch, name):
        SHORT[getattr(torch, name)] = short


def sizes_of(r):
    kind = r.randrange(10)
    if kind == 0:
        return []
    if kind == 1:
        return [r.choice([0, 1, 2, 5]) for _ in range(r.randrange(1, 4))]
    if kind == 2:
        return [r.choice([999, 1000, 1001, 1500])]
    if kind == 3:
        return [r.randrange(1, 60), r.randrange(1, 60)]
    if kind == 4:
        return [r.randrange(1, 9) for _ in range(r.randrange(3, 6))]
    return [r.randrange(1, 12) for _ in range(r.randrange(1, 4))]


def floats(r, sizes):
    x = torch.randn(sizes, dtype=torch.float64)
    kind = r.randrange(8)
    if kind == 0:
        x = (x * 5).round()
    elif kind == 1:
        x = (x * 10 ** r.randrange(-6, 12)).round()
    elif kind == 2:
        x = x * 10.0 ** r.randrange(-8, 12)
    elif kind == 3:
        x = x.exp() ** r.randrange(1, 9)
    elif kind == 4:
        x = x.abs()
    elif kind == 5:
        x = torch.zeros(sizes, dtype=torch.float64) * r.choice([1, -1])
    if r.random() < .3 and x.numel():
        flat = x.reshape(-1)
        for _ in range(r.randrange(1, 4)):
            flat[r.randrange(flat.numel())] = r.choice(
                [math.nan, math.inf, -math.inf, 0.0, -0.0])
    return x


def tensor_of(r, dtype):
    sizes = sizes_of(r)
    if dtype is torch.bool:
        return torch.rand(sizes) < .5
    if dtype.is_complex:
        return torch.complex(floats(r, sizes), floats(r, sizes)).to(dtype)
    if dtype.is_floating_point:
        return floats(r, sizes).to(dtype)
    low, high = torch.iinfo(dtype).min, torch.iinfo(dtype).max
    if r.random() < .7:
        low, high = max(low, -200), min(high, 200)
    return torch.randint(low, high, sizes, dtype=dtype)


def line_of(x):
    data = x.contiguous().reshape(-1).view(torch.uint8) if x.numel() and \
        x.dtype not in (torch.bool,) and x.dim() else None
    if data is None:
        data = x.reshape(-1).to(torch.uint8) if x.dtype is torch.bool \
            else x.reshape(-1).view(torch.uint8) if x.numel() else x
    raw = bytes(data.tolist()).hex() if x.numel() else ""
    return "%s%s %s" % (SHORT[x.dtype], str(list(x.shape)).replace(" ", ""),
                        raw or "-")


def close(a, b, scale=1.0):
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if math.isinf(a) or math.isinf(b):
        return a == b
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b), scale)


def check_stats(x, words):
    """The numbers on the line of statistics, by torch in double."""
    low, high, mean, std = map(float, words[:4])
    first, last, nans, infs = map(int, words[4:])
    v = x.to(torch.complex128).abs() if x.dtype.is_complex else x.double()
    # A complex number is NaN if a part is, though its abs may be infinite.
    v = torch.where(x.isnan(), torch.tensor(math.nan, dtype=v.dtype), v)
    v = v.reshape(-1)
    if nans != int(v.isnan().sum()) or infs != int(v.isinf().sum()):
        return "counts"
    known = v[~v.isnan()]
    if known.numel():
        if not (close(low, float(known.min())) and close(high, float(known.max()))):
            return "range"
        # hypot and torch's abs may differ in the last digit.
        if not x.dtype.is_complex and (
                v[first] != known.min() or v[last] != known.max() or
                bool((v[:first] == known.min()).any()) or
                bool((v[:last] == known.max()).any())):
            return "place"
    finite = v[v.isfinite()]
    scale = float(finite.abs().max()) if finite.numel() else 1.0
    if v.numel() and not close(mean, float(v.mean()), scale):
        return "mean"
    if v.numel() > 1 and not close(std, float(v.std()), scale):
        return "std"
    return None


def check_one(x, answer):
    *text, numbers, summary = answer.split("\n")
    if "\n".join(text) != str(x):
        return "text"
    if not summary.startswith(SHORT[x.dtype] + "["):
        return "summary"
    return check_stats(x, numbers.split())


def pair_of(r):
    dtype = r.choice([torch.float32, torch.float64, torch.float16,
                      torch.bfloat16, torch.complex64, torch.int64])
    a = tensor_of(r, dtype)
    b = a.clone()
    if dtype.is_floating_point or dtype.is_complex:
        b = b * (1 + 10.0 ** r.randrange(-7, -2))
    rtol, atol = r.choice([(0, 0), (1e-5, 1e-8), (1e-3, 0), (0, 1e-2)])
    if dtype is torch.int64 and b.numel() and r.random() < .5:
        b.reshape(-1)[r.randrange(b.numel())] += 1
    return a, b, rtol, atol


def check_two(a, b, rtol, atol, answer):
    wrong = (~torch.isclose(a, b, rtol, atol)).reshape(-1)
    first = int(wrong.nonzero()[0]) if bool(wrong.any()) else 0
    if answer.split("\n")[0] != f"{int(wrong.sum())} {first}":
        return f"isclose: {int(wrong.sum())} {first}"
    return None


def is_near_limit(a, b, rtol, atol):
    """torch works in the dtype itself, we in double: at the limit of the
    tolerance the two may round differently."""
    if not (a.dtype.is_floating_point or a.dtype.is_complex):
        return False
    wide = torch.complex128 if a.dtype.is_complex else torch.float64
    by = (a.to(wide) - b.to(wide)).abs()
    room = atol + rtol * b.to(wide).abs()
    eps = torch.finfo(a.dtype).eps
    return bool(((by - room).abs() <= 8 * eps * (room + by)).any()) and rtol > 0


def main():
    seed = int(os.environ.get("FXDB_SEED", "1"))
    r = random.Random(seed)
    torch.manual_seed(seed)
    ones = [tensor_of(r, r.choice(list(SHORT))) for _ in range(800)]
    pairs = [pair_of(r) for _ in range(300)]
    pairs = [p for p in pairs if not is_near_limit(*p)]
    lines = [line_of(x) for x in ones]
    lines += ["%s %s %r %r" % (line_of(a), line_of(b), rtol, atol)
              for a, b, rtol, atol in pairs]
    out = subprocess.run([sys.argv[1]], input="\n".join(lines) + "\n",
                         capture_output=True, text=True, check=True).stdout
    answers = out.split("\n=\n")[:-1]
    assert len(answers) == len(lines), (len(answers), len(lines))
    bad = 0
    for i, answer in enumerate(answers):
        if i < len(ones):
            why = check_one(ones[i], answer)
        else:
            why = check_two(*pairs[i - len(ones)], answer)
        if why:
            bad += 1
            if bad < 8:
                print(f"{why}: {lines[i][:200]}\n{answer[:1000]}")
                if i < len(ones):
                    print(str(ones[i])[:1000])
    print(f"{len(ones)} tensors, {len(pairs)} pairs, {bad} differ")
    return bad > 0


sys.exit(main())
