"""looking.py FXDB: what stats, hist, freq, find and x say of random arrays,
and what dump value writes, beside numpy on the same elements."""
import json
import math
import os
import random
import subprocess
import sys
import tempfile

import numpy

numpy.seterr(all="ignore")
DTYPES = ["bool", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16"]
# Values are dumped where a graph is open.
MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                     "../../doc/examples/mlp.fxg")
SPECIAL = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e300]
CONDITIONS = {
    "$v > 0": lambda v: v > 0,
    "$v = 0": lambda v: v == 0,
    "isnan($v)": lambda v: numpy.isnan(v),
    "not isfinite($v)": lambda v: ~numpy.isfinite(v),
    "$v >= -1 and $v < 2": lambda v: (v >= -1) & (v < 2),
}


def sizes_of(r):
    return r.choice([[], [0], [1], [5, 0], [0, 3], [7], [300], [4, 6],
                     [2, 3, 5], [2, 5, 3, 4], [1, 2, 1, 3, 1], [60, 90],
                     [1] * 9 + [4]])


def array_of(r, g, name):
    sizes, dtype = sizes_of(r), numpy.dtype(name)
    if name == "bool":
        return g.random(sizes) < .5
    if dtype.kind in "iu":
        info = numpy.iinfo(dtype)
        if r.random() < .3:
            return g.integers(info.min, info.max, sizes, dtype, endpoint=True)
        return g.integers(max(info.min, -9), 9, sizes).astype(dtype)
    x = g.standard_normal(sizes) * r.choice([1, 100, 1e-6, 1e30])
    if r.random() < .3:
        x = numpy.round(x * 3)
    x = numpy.asarray(x)
    if dtype.kind == "c":
        x = x + 1j * g.standard_normal(sizes)
    x = numpy.asarray(x).astype(dtype)
    if r.random() < .4 and x.size:
        flat = x.reshape(-1)
        for _ in range(r.randrange(1, 4)):
            flat[r.randrange(x.size)] = r.choice(SPECIAL)
    return x


def number(value):
    return float(value) if value is not None else math.nan


def close(a, b, scale=0.0):
    a, b = number(a), number(b)
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b), scale)


def real_of(x):
    """Doubles: of complex elements their absolute values."""
    if x.dtype.kind != "c":
        return x.astype(numpy.float64)
    v = numpy.hypot(x.real.astype("f8"), x.imag.astype("f8"))
    return numpy.where(numpy.isnan(x), math.nan, v)


def check_stats(row, x):
    """What ROW says of X."""
    v = real_of(x).reshape(-1)
    finite = v[numpy.isfinite(v)]
    known = v[~numpy.isnan(v)]
    scale = float(abs(finite).max()) if finite.size else 0.0
    if row["elements"] != v.size or row["nan"] != numpy.isnan(v).sum() or \
            row["inf"] != numpy.isinf(v).sum() or \
            row["nonzero"] != numpy.count_nonzero(v):
        return "counts"
    if (row["min"] is None) != (known.size == 0):
        return "none"
    if known.size and not (close(row["min"], known.min()) and
                           close(row["max"], known.max())):
        return "range"
    if x.dtype.kind in "iu" and x.size and \
            (row["min"] != int(x.min()) or row["max"] != int(x.max())) and \
            abs(v).max() < 2 ** 53:
        return "integers"
    if not finite.size:
        return None if row["mean"] is None else "mean of none"
    wide = finite.astype(numpy.longdouble)
    mean = wide.mean()
    if not close(row["mean"], mean, scale):
        return "mean"
    if finite.size > 1 and not close(row["std"], wide.std(ddof=1), scale):
        return "std"
    if not close(row["norm"], numpy.sqrt((wide * wide).sum())):
        return "norm"
    return None


def check_places(row, x):
    v = real_of(x)
    for key, test in (("min_index", lambda v: v == numpy.nanmin(v)),
                      ("max_index", lambda v: v == numpy.nanmax(v)),
                      ("nan_index", numpy.isnan), ("inf_index", numpy.isinf)):
        # A hypot differs in the last digit, a 64-bit integer is rounded.
        if x.dtype.kind == "c" or x.dtype.itemsize == 8 and x.dtype.kind == "i":
            continue
        known = v.size and (key[0] in "ni" or not numpy.isnan(v).all())
        places = numpy.argwhere(test(v)) if known else []
        want = [int(i) for i in places[0]] if len(places) else None
        if row[key] != want:
            return key
    return None


def check_by(answer, x, dimension):
    rows = answer["stats"]
    if len(rows) != x.shape[dimension]:
        return "rows"
    for i, row in enumerate(rows):
        wrong = check_stats(row, x.take(i, dimension))
        if wrong:
            return "index %d: %s" % (i, wrong)
    return None


def check_hist(answer, x, bins):
    v = real_of(x).reshape(-1)
    finite = v[numpy.isfinite(v)]
    if answer["finite"] != finite.size or \
            answer["left_out"] != v.size - finite.size:
        return "counts"
    if not finite.size:
        return None
    try:
        counts, edges = numpy.histogram(finite, bins)
    except IndexError:
        # Of a range so wide numpy makes none.
        return None
    rows = answer["histogram"]
    if [r["count"] for r in rows] != counts.tolist():
        return "bins"
    if not all(close(r["from"], a) and close(r["to"], b)
               for r, a, b in zip(rows, edges, edges[1:])):
        return "edges"
    return None


def check_freq(answer, x, digits):
    v = x.reshape(-1)
    if digits is not None and x.dtype.kind in "fc":
        wide = v.astype("c16" if x.dtype.kind == "c" else "f8")
        rounded = numpy.round(wide, digits)
        v = numpy.where(numpy.isfinite(rounded), rounded, wide)
    if x.dtype.kind == "c":
        # Numbers with a NaN are all different to numpy.
        wanted = {}
        for one in v.tolist():
            key = repr(complex(one.real + 0.0, one.imag + 0.0))
            wanted[key] = wanted.get(key, 0) + 1
        counts = sorted(wanted.values(), reverse=True)
    else:
        values, counts = numpy.unique(v, return_counts=True)
        pairs = sorted(zip(counts.tolist(), values.tolist()),
                       key=lambda p: (-p[0], p[1]))
        counts = [c for c, _ in pairs]
    rows = answer.get("frequencies", [])
    if answer["different"] != len(rows) or [r["count"] for r in rows] != counts:
        return "counts"
    if x.dtype.kind == "b":
        return None if [r["value"] for r in rows] == [
            str(p[1]) for p in pairs] else "truths"
    if x.dtype.kind == "c" or numpy.isnan(v).any():
        return None
    return None if all(close(r["value"], p[1]) for r, p in zip(rows, pairs)) \
        else "values"


def check_find(answer, x, test):
    places = numpy.argwhere(test(x)).tolist()
    rows = answer["elements"]
    if answer["matches"] != len(places) or \
            [r["index"] for r in rows] != places:
        return "places"
    return None


def read_safetensors(path):
    """The one tensor of a file, by what the format says."""
    with open(path, "rb") as f:
        data = f.read()
    size = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8:8 + size])["tensor"]
    begin, end = entry["data_offsets"]
    return entry["dtype"], entry["shape"], data[8 + size:][begin:end]


SAFETENSORS = {"bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16",
               "int32": "I32", "int64": "I64", "float16": "F16",
               "float32": "F32", "float64": "F64"}


def check_safetensors(path, x):
    dtype, shape, raw = read_safetensors(path)
    if dtype != SAFETENSORS[str(x.dtype)] or shape != list(x.shape):
        return "header"
    return None if raw == x.tobytes() else "bytes"


def check_npz(path, x):
    with numpy.load(path) as arrays:
        if arrays.files != ["0", "1"]:
            return "names"
        for name in arrays.files:
            if arrays[name].dtype != x.dtype or \
                    not numpy.array_equal(arrays[name], x,
                                          equal_nan=x.dtype.kind == "f"):
                return "elements of %s" % name
    return None


def check_csv(path, x):
    read = numpy.loadtxt(path, delimiter=",", ndmin=2, dtype=numpy.longdouble)
    return None if numpy.array_equal(
        read.astype(x.dtype).reshape(x.shape), x, equal_nan=x.dtype.kind == "f"
    ) else "numbers"


UNITS = {"b": 1, "h": 2, "w": 4, "g": 8}


def unit_text(letter, raw):
    """The bytes RAW of a unit as gdb shows them."""
    bits = int.from_bytes(raw, "little")
    if letter == "d":
        return int.from_bytes(raw, "little", signed=True)
    return {"u": "%d" % bits, "x": "0x%0*x" % (2 * len(raw), bits),
            "o": "0%o" % bits if bits else "0",
            "t": format(bits, "0%db" % (8 * len(raw)))}[letter]


def check_x(answer, x, letter, size, count):
    raw = x.tobytes()
    total = len(raw) // size
    wanted = [unit_text(letter, raw[i * size:(i + 1) * size])
              for i in range(min(count, total))]
    got = [row["u%d" % i] for row in answer.get("units", [])
           for i in range(8) if row.get("u%d" % i) is not None]
    if answer["total"] != total or got != wanted:
        return "units"
    return None


def cases(r, path, x):
    """Lines to type and how to judge each."""
    name = 'file("%s")' % path
    yield "stats %s -m 0" % name, lambda a: \
        check_stats(a["stats"][0], x) or check_places(a["stats"][0], x)
    if x.ndim:
        d = r.randrange(-x.ndim, x.ndim)
        yield "stats %s --by %d -m 0" % (name, d), \
            lambda a: check_by(a, x, d)
    if x.ndim > 1:
        yield "stats %s --by channel -m 0" % name, lambda a: check_by(a, x, 1)
    bins = r.choice([1, 2, 7, 16, 100])
    yield "hist %s --bins %d -m 0" % (name, bins), \
        lambda a: check_hist(a, x, bins)
    digits = r.choice([None, None, 0, 1, 3])
    yield "freq %s -m 0%s" % (
        name, "" if digits is None else " --round %d" % digits), \
        lambda a: check_freq(a, x, digits)
    if x.dtype.kind != "c":
        yield "dump value %s %s.safetensors" % (name, path), \
            lambda a: check_safetensors(path + ".safetensors", x)
        yield "dump value (%s, %s) %s.npz" % (name, name, path), \
            lambda a: check_npz(path + ".npz", x)
        if x.ndim < 3 and x.size:
            yield "dump value %s %s.csv" % (name, path), \
                lambda a: check_csv(path + ".csv", x)
    letter, size = r.choice("duxot"), r.choice("bhwg")
    count = r.choice([1, 3, 9, 40])
    yield "x/%d%s%s %s" % (count, letter, size, name), \
        lambda a: check_x(a, x, letter, UNITS[size], count)
    if x.dtype.kind != "c":
        words = r.choice(list(CONDITIONS))
        yield "find %s %s -m 0" % (name, words), \
            lambda a: check_find(a, x, CONDITIONS[words])


def main():
    fxdb, rounds = sys.argv[1], 12
    r, g = random.Random(16), numpy.random.default_rng(16)
    judges, lines, wrong = [], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for i in range(rounds * len(DTYPES)):
            path = os.path.join(folder, "%d.npy" % i)
            x = array_of(r, g, DTYPES[i % len(DTYPES)])
            numpy.save(path, x)
            for line, judge in cases(r, path, x):
                lines.append(line)
                judges.append((line, judge, x))
        script = os.path.join(folder, "lines")
        with open(script, "w") as f:
            f.write("".join(line + "\n" for line in lines))
        said = subprocess.run(
            [fxdb, "-nx", "-batch", "--json", "--keep-going", MODEL, "-x",
             script],
            stdout=subprocess.PIPE, check=False).stdout.decode()
        answers = [json.loads(line) for line in said.splitlines()]
        answers = [a for a in answers if a["command"] not in ("source", "load")]
        if len(answers) != len(judges):
            sys.exit("%d answers to %d lines" % (len(answers), len(judges)))
        for answer, (line, judge, x) in zip(answers, judges):
            problem = judge(answer) if answer["ok"] else answer["error"]["message"]
            if problem:
                wrong += 1
                print("%s: %s: %s %s" % (problem, line, x.dtype, x.shape))
    print("%d lines, %d wrong" % (len(judges), wrong))
    sys.exit(wrong > 0)


main()
