#!/usr/bin/env python3
"""Running never writes the graph: what is saved after runs, copies and edits
has the weights that the model was built with, bit for bit.

usage: graph_bytes.py [all]
"""
import json
import os
import random
import struct
import sys
import tempfile

import torch

DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path[:0] = [DATA, os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "capture")]
import graph_bytes  # noqa: E402
import graph_leaf  # noqa: E402
from session import Session  # noqa: E402

SEED = 5
DTYPES = {"float32": torch.float32, "int64": torch.int64,
          "float64": torch.float64, "bool": torch.bool}


_sessions = []


def fxdb(commands):
    """(folder, whether all went well, what is said) of COMMANDS, in a session
    without graphs.  All are of one process, whose Python has begun; the folder
    is the same for all, and empty before.
    """
    if not _sessions:
        folder = tempfile.TemporaryDirectory()
        _sessions.extend((Session("-q", python=sys.executable,
                                  cwd=folder.name), folder))
    session, folder = _sessions
    for name in os.listdir(folder.name):
        os.remove(os.path.join(folder.name, name))
    said = ["set backend auto", "seed %d" % SEED]
    said = [session.run(command) for command in said + commands]
    while "no graph" not in session.run("close -f"):
        pass
    said = "".join(said)
    return folder.name, "error: " not in said and "Stopped" not in said, said


def read_safetensors(path):
    """The bytes of each entry by name."""
    with open(path, "rb") as file:
        data = file.read()
    length, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + length])
    return {name: data[8 + length + entry["data_offsets"][0]:
                       8 + length + entry["data_offsets"][1]]
            for name, entry in header.items() if name != "__metadata__"}


def weights(path):
    """The parameters and buffers of an .fxg file by path, as tensors."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    stored = read_safetensors(os.path.join(os.path.dirname(path),
                                           lines[0]["weights"]))
    found = {}
    for line in lines:
        if "tensor" not in line or "storage" not in line:
            continue
        dtype = DTYPES[line["dtype"]]
        data = bytearray(stored[line["storage"]])
        flat = torch.frombuffer(data, dtype=dtype) if data \
            else torch.empty(0, dtype=dtype)
        shape = line["shape"]
        strides = line.get("strides") or \
            list(torch.empty(shape, device="meta").stride())
        found[line["tensor"]] = flat.as_strided(
            shape, strides, line.get("offset", 0)).clone()
    return found


def built(make):
    """The state of what MAKE gives, as `trace` builds it."""
    torch.manual_seed(SEED)
    return {name: tensor.clone()
            for name, tensor in make().state_dict(keep_vars=True).items()}


def same_weights(path, want):
    found = weights(path)
    for name, tensor in want.items():
        if name not in found:
            return "%s is not in %s" % (name, path)
        if found[name].dtype != tensor.dtype or \
                not torch.equal(found[name], tensor.detach()):
            return "%s is not what it was" % name
    return None


def saved(make, spec, between, backend, then=("set backend auto", "run")):
    """Trace SPEC, run commands, save and load; what is wrong, or None."""
    folder, is_good, said = fxdb(
        ["set backend " + backend, "trace " + spec] + between +
        ["save s.fxg", "load s.fxg"] + list(then))
    if not is_good:
        return said
    return same_weights(os.path.join(folder, "s.fxg"), built(make))


def writing(backend):
    spec = DATA + "/graph_bytes.py:Writing() --train -i x=f32[4,3]"
    return saved(graph_bytes.Writing, spec,
                 ["rename norm statistics", "run", "run", "goto @0",
                  "continue"], backend)


def copied(backend):
    """Running a copy changes nothing of the original, and the other way."""
    _, is_good, said = fxdb([
        "set backend " + backend,
        "trace %s/graph_bytes.py:Writing() --train -i x=f32[4,3] as M" % DATA,
        "run", "assert self.count.sum() == 3", "graph copy M as other",
        "run", "run", "assert self.count.sum() == 3", "graph M",
        "assert self.count.sum() == 3", "run", "assert self.count.sum() == 3",
        "goto @0", "assert self.count.sum() == 0"])
    return None if is_good else said


def tied():
    """A tied parameter that is set stays tied."""
    _, is_good, said = fxdb([
        "trace %s/graph_bytes.py:Tied() -i i=torch.tensor([1,2]) as tied"
        % DATA, "run", "set value self.e.weight = $v * 0 + 2",
        "assert self.h.weight.sum() == 24", "run",
        "assert %output.sum() == 2 * 4 * 12", "save s.fxg", "load s.fxg",
        "run", "assert %output.sum() == 2 * 4 * 12", "graph tied", "undo",
        "assert self.h.weight.sum() != 24"])
    if not is_good:
        return said
    return None if "h.weight" in said else "nothing is said of h.weight"


def viewed(backend):
    """A buffer that is set is one memory with its views, in each run."""
    _, is_good, said = fxdb([
        "set backend " + backend,
        "trace %s/graph_bytes.py:Writing() --train -i x=f32[4,3]" % DATA,
        "run", "set value self.count = torch.full((3,), 7.)",
        "assert self.count.sum() == 21", "assert self.window.sum() == 14",
        "run", "assert self.window.sum() == 30", "assert %sub.sum() == 0",
        "set value self.window = torch.tensor([1., 2.])",
        "assert self.same.sum() == 10", "run",
        "assert self.count.sum() == 23", "goto @0",
        "assert self.count.sum() == 10", "undo", "undo", "run",
        "assert self.window.sum() == 2"])
    return None if is_good else said


def leaf(backend):
    """A module of the user's that writes parameters, buffers and attributes
    starts each run as it was built, and is saved so.
    """
    spec = DATA + "/graph_leaf.py:Model() --leaf graph_leaf.Leaf " \
        "-i x=f32[2,3]"
    once = ["set $once = %output"]
    same = ["assert (%output - $once).abs().sum() == 0",
            "assert self.leaf.weight.sum() == 6",
            "assert self.leaf.count.sum() == 3"]
    back = ["goto @0", "assert self.leaf.weight.sum() == 3",
            "assert self.leaf.count.sum() == 0"]
    return saved(graph_leaf.Model, spec, ["run"] + once + ["run"] + same + back
                 + ["continue"] + same + ["run"] + same, backend, ())


def attached():
    """What is registered has its values, whatever else names them."""
    folder, is_good, said = fxdb([
        "trace %s/graph_leaf.py:Model() --leaf graph_leaf.Leaf" % DATA,
        "save s.fxg", "info params"])
    if not is_good:
        return said
    wrong = [line for line in said.split("\n")
             if line.startswith("leaf.") and not line.endswith("yes")]
    if wrong:
        return "\n".join(wrong)
    return same_weights(os.path.join(folder, "s.fxg"),
                        built(graph_leaf.Model))


def hashed():
    """The graph's hash is the same before and after its weights came."""
    _, is_good, said = fxdb([
        "trace %s/graph_bytes.py:Writing() -i x=f32[4,3]" % DATA,
        "info graph", "run", "info graph", "save s.fxg", "load s.fxg",
        "info graph"])
    hashes = {line.split()[1] for line in said.split("\n")
              if line.startswith("hash ")}
    return None if is_good and len(hashes) == 1 else said


class Walk:
    """A random session over copies of one model, and what each graph's weights
    are by then.
    """

    def __init__(self, seed, backend):
        self.random = random.Random(seed)
        self.backend = backend
        self.commands = ["trace %s/graph_bytes.py:Writing() --train "
                         "-i x=f32[4,3] as g0" % DATA]
        self.graphs = {"g0": [built(graph_bytes.Writing)]}  # versions
        self.traced = {"g0"}  # which have a process
        self.saved = []
        self.count = 0
        self.now = "g0"

    def fresh(self):
        self.count += 1
        return "g%d" % self.count

    def started(self):
        self.commands.append("set backend " + (
            self.backend if self.now in self.traced else "auto"))

    def run(self):
        """A run doubles the counts and adds 1, which the others see."""
        count = self.graphs[self.now][-1]["count"] * 2 + 1
        self.started()
        self.commands += [
            "run", "assert self.count.sum() == %d" % count.sum(),
            "assert self.window.sum() == %d" % count[1:].sum(),
            "assert self.same.sum() == %d" % count.sum(),
            "assert %sub.abs().sum() == 0"]

    def run_to(self):
        self.started()
        self.commands.append("run --to %" + self.random.choice(
            ["first", "norm", "second"]))

    def goto(self):
        self.started()
        self.commands += ["run", "goto @%d" % self.random.randrange(22)]

    def copy(self):
        name = self.fresh()
        self.commands.append("graph copy %s as %s" % (self.now, name))
        self.graphs[name] = self.graphs[self.now][-1:]
        self.now = name

    def trace(self):
        name = self.fresh()
        self.commands.append(self.commands[0].replace("as g0", "as " + name))
        self.graphs[name] = self.graphs["g0"][:1]
        self.traced.add(name)
        self.now = name

    def switch(self):
        self.now = self.random.choice(sorted(self.graphs))
        self.commands.append("graph " + self.now)

    def set_value(self):
        names = self.random.choice([("first.weight", "second.weight"),
                                    ("second.weight", "first.weight"),
                                    ("norm.running_mean",),
                                    ("count", "same", "window"),
                                    ("window", "count", "same")])
        number = self.random.randrange(9)
        self.run()
        self.commands.append("set value self.%s = $v * 0 + %d" % (names[0],
                                                                 number))
        state = dict(self.graphs[self.now][-1])
        for name in names:
            state[name] = torch.full_like(state[name], number)
        if names[0] == "window":  # the rest of what it is a view of stays
            first = self.graphs[self.now][-1]["count"][:1]
            state["count"] = state["same"] = torch.cat(
                [first, state["window"]])
        self.graphs[self.now].append(state)

    def undo(self):
        if len(self.graphs[self.now]) > 1:
            self.graphs[self.now].pop()
            self.commands.append("undo")

    def save(self):
        path = "s%d.fxg" % len(self.saved)
        self.commands.append("save " + path)
        self.saved.append((path, self.graphs[self.now][-1]))

    def load(self):
        if self.saved:
            path, state = self.random.choice(self.saved)
            self.now = self.fresh()
            self.commands.append("load %s as %s" % (path, self.now))
            self.graphs[self.now] = [state]

    def close(self):
        if len(self.graphs) > 1 and self.now != "g0":
            self.commands.append("close")
            del self.graphs[self.now]
            self.switch()

    def problem(self):
        steps = [self.run, self.run_to, self.goto, self.copy, self.trace,
                 self.switch,
                 self.switch, self.set_value, self.undo, self.save, self.load,
                 self.close]
        for _ in range(20):
            self.random.choice(steps)()
        for name in sorted(self.graphs):
            self.now = name
            self.commands.append("graph " + name)
            self.save()
        folder, is_good, said = fxdb(self.commands)
        if not is_good:
            return "%s\n%s" % ("\n".join(self.commands), said)
        for path, state in self.saved:
            wrong = same_weights(os.path.join(folder, path), state)
            if wrong:
                return "%s\n%s: %s" % ("\n".join(self.commands), path, wrong)
        return None


def walks(backend, count):
    """No graph of a session ever changes another."""
    for seed in range(count):
        wrong = Walk(seed, backend).problem()
        if wrong:
            return "walk %d\n%s" % (seed, wrong)
    return None


def library(names):
    """Models of torchvision in training: edited, run, saved and loaded."""
    import torchvision
    for name in names:
        wrong = saved(getattr(torchvision.models, name),
                      "torchvision.models:%s() --train "
                      "-i x=f32[2,3,%d,%d]" % ((name,) + (size(name),) * 2),
                      ["rename @1 renamed", "run"], "auto", ())
        if wrong:
            return "%s: %s" % (name, wrong)
    return None


def size(name):
    return 299 if name == "inception_v3" else \
        224 if name.startswith(("vit", "alexnet", "vgg")) else 64


EVERYDAY = ["resnet18", "squeezenet1_1", "shufflenet_v2_x0_5"]


def every_model():
    import torchvision
    return [name for name in torchvision.models.list_models(
        module=torchvision.models)]


ALL = "all" in sys.argv[1:]
CASES = [("L1", lambda: writing("auto")), ("L2", lambda: copied("auto")),
         ("L1, python", lambda: writing("python")),
         ("L7, a view", lambda: viewed("auto")),
         ("L7, a view, python", lambda: viewed("python")),
         ("L1, a leaf", lambda: leaf("python")),
         ("L5", attached), ("L7", tied), ("L22", hashed),
         ("walks", lambda: walks("auto", 100 if ALL else 3)),
         ("walks, python", lambda: walks("python", 100 if ALL else 4)),
         ("torchvision",
          lambda: library(every_model() if ALL else EVERYDAY))]


def main():
    wrong = 0
    for name, case in CASES:
        text = case()
        print("%s: %s" % (name, "ok" if text is None else text))
        wrong += text is not None
    _sessions[0].end()
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
