"""Inputs from .npz, .safetensors, .csv, what torch.save wrote, and pictures: each
is what numpy, torch or PIL reads of the file, to the bit; what is no such file
gives an error of one line that names it."""
import json
import os
import subprocess
import sys
import tempfile

import numpy
import torch
from PIL import Image

GRAPH = """
import torch


class Two(torch.nn.Module):
    def forward(self, x, mask):
        return torch.where(mask > 0, x, x * 2)
"""
# Inputs of which only the shape is given.
WORDS = """
import torch


class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.few = torch.nn.Embedding(7, 4)
        self.many = torch.nn.Embedding(50, 4)

    def forward(self, ids, moved, kept, share):
        flat = ids.view(-1, ids.size(-1))
        known = (ids > 0).unsqueeze(-1)
        h = self.few(flat) + self.many(ids) + self.many(moved + 48)
        h = torch.where(known & kept.unsqueeze(-1), h, h * share)
        return h
"""
FXDB, PYTHON = sys.argv[1:]


def picture(path, size):
    """What torchvision's Resize, CenterCrop and ToTensor make of it."""
    image = Image.open(path).convert("RGB")
    if size:
        short = min(image.size)
        width, height = (int(size * side / short) for side in image.size)
        left, top = (int(round((side - size) / 2)) for side in (width, height))
        image = image.resize((width, height), Image.BILINEAR).crop(
            (left, top, left + size, top + size))
    array = numpy.asarray(image, dtype=numpy.float32) / 255
    return array.transpose(2, 0, 1)[None]


def torchvisions(path, size):
    import zoo
    zoo.declare_operators()
    from torchvision import transforms
    steps = [transforms.Resize(size), transforms.CenterCrop(size)] \
        if size else []
    return transforms.Compose(steps + [transforms.ToTensor()])(
        Image.open(path).convert("RGB"))[None].numpy()


class Evil:
    def __reduce__(self):
        return os.mkdir, ("ran",)


def write_files():
    g = numpy.random.default_rng(3)
    x, mask = g.standard_normal((3, 4), "f4"), g.integers(0, 2, (3, 4))
    numpy.savez("all.npz", x=x, mask=mask, fc=x)
    numpy.savez("some.npz", mask=mask + 2)
    tensors = {"x": torch.tensor(x), "mask": torch.tensor(mask),
               "more": {"h": torch.full((2, 3), 0.5, dtype=torch.bfloat16)},
               "list": [torch.tensor(x).t(), torch.arange(3)], "epoch": 3}
    torch.save(tensors, "all.pt")
    torch.save(torch.tensor(x), "one.pth")
    torch.save({"x": Evil()}, "evil.pt")
    numpy.savez("evil.npz", x=numpy.array([Evil(), 1], dtype=object))
    numpy.savetxt("x.csv", x, delimiter=",", fmt="%.9g")
    with open("mixed.csv", "w") as f:
        f.write("1,2\n3\n")
    with open("words.csv", "w") as f:
        f.write("a,b\n3,4\n")
    pixels = g.integers(0, 256, (37, 53, 4), "u1")
    Image.fromarray(pixels).save("cat.png")  # with transparency
    Image.fromarray(pixels[:, :, 0]).rotate(90, expand=True).save("tall.png")
    with open("cat.png", "rb") as f:
        whole = f.read()
    with open("cut.png", "wb") as f:
        f.write(whole[:200])
    with open("none.png", "w") as f:
        f.write("no picture")
    for path, size in ("cat.png", 0), ("cat.png", 16), ("tall.png", 16), \
            ("tall.png", 80):
        numpy.save("%s.%d.npy" % (path, size), picture(path, size))
        try:
            theirs = torchvisions(path, size)
        except ImportError:
            continue
        if not numpy.array_equal(theirs, picture(path, size)):
            sys.exit("torchvision reads %s otherwise" % path)
    numpy.save("h.npy", tensors["more"]["h"].float().numpy())
    numpy.save("x.npy", x)
    numpy.save("xt.npy", x.T.copy())
    numpy.save("mask.npy", mask)


def same(got, wanted):
    return "assert allclose(%s, file(\"%s\"), 0, 0)" % (got, wanted)


RIGHT = [
    "input all.npz", "run", same("x", "x.npy"), same("mask", "mask.npy"),
    "input some.npz", "run", same("x", "x.npy"),
    "assert allclose(mask, file(\"mask.npy\") + 2, 0, 0)",
    "input all.pt", "run", same("mask", "mask.npy"),
    "input x = all.pt", "input mask = all.npz", "run", same("x", "x.npy"),
    "input x = f32[3,4]", "input x = one.pth", "run", same("x", "x.npy"),
    "dump value x one.safetensors", "input x = f32[3,4]",
    "input x = x.csv", "run", same("x", "x.npy"),
    "input x = f32[3,4]", "input x = one.safetensors", "run",
    same("x", "x.npy"),
    "dump value {op=placeholder} both.npz", "input x = f32[3,4]",
    "input mask = i64[3,4]", "input both.npz", "run", same("x", "x.npy"),
    "dump value {op=placeholder} both.safetensors", "input both.safetensors",
    "run", same("x", "x.npy"), same("mask", "mask.npy"),
    "dump value x only.npz", same("file(\"only.npz\")", "x.npy"),
    same("file(\"all.pt\", \"more.h\").float()", "h.npy"),
    same("file(\"all.pt\", \"list.0\")", "xt.npy"),
    "assert file(\"all.pt\", \"more.h\").dtype = torch.bfloat16",
    same("image(\"cat.png\")", "cat.png.0.npy"),
    same("image(\"cat.png\", size=16)", "cat.png.16.npy"),
    same("image(\"tall.png\", 16)", "tall.png.16.npy"),
    same("image(\"tall.png\", size=80)", "tall.png.80.npy"),
    "kill", "input x = f32[1,3,16,16]", "input mask = i64[16]",
    "input x = cat.png", "run", same("x", "cat.png.16.npy"),
]
# What is typed, and what the error says.
WRONG = [
    ("input x = evil.npz", "Python objects"),
    ("input evil.npz", "Python objects"),
    ("input x = evil.pt", "evil.pt"),
    ("input evil.pt", "evil.pt"),
    ("input x = none.pt", "none.pt"),
    ("input x = mixed.csv", "mixed.csv:2: the row has 1 field"),
    ("input x = words.csv", "words.csv:1: \"a\" is no number"),
    ("input x = none.png", "no picture"),
    ("input x = cut.png", "cut.png"),
    ("input x = gone.png", "No such file"),
    ("input x = image(\"cat.png\", size=0)", "a size from 1"),
    ("input x = image(\"cat.png\", 1, 2)", "image"),
    ("input x = image(3)", "a path in quotes"),
    ("input x = file(\"all.pt\", \"nothing\")", "all.pt has no tensor"),
    ("input x = file(\"all.pt\", 3)", "in quotes"),
    ("input x.csv", "no file of several"),
    ("input gone.npz", "gone.npz"),
    ("input h.npy", "no file of several"),
]
SHAPES = [
    "input ids = i64[2,200]", "input moved = i64[2,200]",
    "input share = i32[4]", "run",
    "assert ids.min() = 0", "assert ids.max() = 6",
    "assert moved.min() = 0", "assert moved.max() = 1",
    "assert (share * share - share).abs().max() = 0",
    "assert kept.any() and not kept.all()",
    "assert ids.flatten()[0:20].unique().numel() > 2",
    "seed 3", "run", "set backend python", "run", "assert ids.max() = 6",
]


def shapes():
    """Integers of which only the shape is given are rows of the embedding that
    looks them up, else 0 or 1; truths are both."""
    with open("words.py", "w") as f:
        f.write(WORDS)
    with open("lines", "w") as f:
        f.write("".join(line + "\n" for line in SHAPES))
    said = subprocess.run(
        [FXDB, "-nx", "-batch", "--json", "--keep-going", "--python", PYTHON,
         "-ex", "trace words.py:Words -i ids=i64[2,200] -i moved=i64[2,200]"
         " -i kept=b8[2,200] -i share=i32[4]", "-x", "lines"],
        stdout=subprocess.PIPE, check=False).stdout.decode()
    answers = [json.loads(line) for line in said.splitlines()]
    if len(answers) != len(SHAPES) + 1:
        return [said]
    return [(line, answer) for line, answer in zip(["trace"] + SHAPES, answers)
            if not answer["ok"]]


def main():
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_files()
        with open("two.py", "w") as f:
            f.write(GRAPH)
        with open("lines", "w") as f:
            f.write("".join(line + "\n" for line in
                            RIGHT + [line for line, _ in WRONG]))
        said = subprocess.run(
            [FXDB, "-nx", "-batch", "--json", "--keep-going", "--python",
             PYTHON, "-ex", "trace two.py:Two", "-x", "lines"],
            stdout=subprocess.PIPE, check=False).stdout.decode()
        answers = [json.loads(line) for line in said.splitlines()][1:]
        if len(answers) != len(RIGHT) + len(WRONG):
            sys.exit("%d answers: %s" % (len(answers), said))
        for line, answer in zip(RIGHT, answers):
            if not answer["ok"]:
                failures.append((line, answer))
        for (line, wanted), answer in zip(WRONG, answers[len(RIGHT):]):
            message = "" if answer["ok"] else answer["error"]["message"]
            if wanted not in message or "\n" in message:
                failures.append((line, answer))
        if os.path.exists("ran"):
            failures.append("a pickle was run")
        failures += shapes()
    for failure in failures:
        print(*failure)
    print("%d right ones, %d wrong ones" % (len(RIGHT), len(WRONG)))
    return 1 if failures else 0


sys.exit(main())
