#!/usr/bin/env python3
"""Running never writes the graph: what is saved after runs, copies and edits
has the weights that the model was built with, bit for bit.

usage: graph_bytes.py FXDB
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import torch

DATA = os.path.join(os.environ["FXDB_SRCDIR"], "tests", "data", "trace")
sys.path.insert(0, DATA)
import graph_bytes  # noqa: E402
import graph_leaf  # noqa: E402

FXDB = sys.argv[1]
SEED = 5
DTYPES = {"float32": torch.float32, "int64": torch.int64,
          "float64": torch.float64, "bool": torch.bool}


def fxdb(folder, commands):
    """(exit status, what is said) of COMMANDS, in FOLDER."""
    words = [FXDB, "-nx", "-q", "-batch", "--python", sys.executable,
             "-ex", "seed %d" % SEED]
    for command in commands:
        words += ["-ex", command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout + done.stderr


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
    with tempfile.TemporaryDirectory() as folder:
        status, said = fxdb(folder, ["set backend " + backend, "trace " + spec]
                            + between + ["save s.fxg", "load s.fxg"]
                            + list(then))
        if status:
            return said
        return same_weights(os.path.join(folder, "s.fxg"), built(make))


def writing(backend):
    spec = DATA + "/graph_bytes.py:Writing() --train -i x=f32[4,3]"
    return saved(graph_bytes.Writing, spec,
                 ["rename norm statistics", "run", "run", "goto @0",
                  "continue"], backend)


def copied(backend):
    """Running a copy changes nothing of the original, and the other way."""
    with tempfile.TemporaryDirectory() as folder:
        status, said = fxdb(folder, [
            "set backend " + backend,
            "trace %s/graph_bytes.py:Writing() --train -i x=f32[4,3] as M"
            % DATA,
            "run", "assert self.count.sum() == 3", "graph copy M as other",
            "run", "run", "assert self.count.sum() == 3", "graph M",
            "assert self.count.sum() == 3", "run",
            "assert self.count.sum() == 3", "goto @0",
            "assert self.count.sum() == 0"])
    return said if status else None


def tied():
    """A tied parameter that is set stays tied."""
    with tempfile.TemporaryDirectory() as folder:
        status, said = fxdb(folder, [
            "trace %s/graph_bytes.py:Tied() -i i=torch.tensor([1,2])" % DATA, "run",
            "set value self.e.weight = $v * 0 + 2",
            "assert self.h.weight.sum() == 24", "run",
            "assert %output.sum() == 2 * 4 * 12", "save s.fxg", "load s.fxg",
            "run", "assert %output.sum() == 2 * 4 * 12", "graph 1", "undo",
            "assert self.h.weight.sum() != 24"])
    if status:
        return said
    return None if "h.weight" in said else "nothing is said of h.weight"


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
    with tempfile.TemporaryDirectory() as folder:
        status, said = fxdb(folder, [
            "trace %s/graph_leaf.py:Model() --leaf graph_leaf.Leaf" % DATA,
            "save s.fxg", "info params"])
        if status:
            return said
        wrong = [line for line in said.split("\n")
                 if line.startswith("leaf.") and not line.endswith("yes")]
        if wrong:
            return "\n".join(wrong)
        return same_weights(os.path.join(folder, "s.fxg"),
                            built(graph_leaf.Model))


def hashed():
    """The graph's hash is the same before and after its weights came."""
    with tempfile.TemporaryDirectory() as folder:
        status, said = fxdb(folder, [
            "trace %s/graph_bytes.py:Writing() -i x=f32[4,3]" % DATA,
            "info graph", "run", "info graph", "save s.fxg", "load s.fxg",
            "info graph"])
    hashes = {line.split()[1] for line in said.split("\n")
              if line.startswith("hash ")}
    return None if status == 0 and len(hashes) == 1 else said


CASES = [("L1", lambda: writing("auto")), ("L2", lambda: copied("auto")),
         ("L1, python", lambda: writing("python")),
         ("L1, a leaf", lambda: leaf("python")),
         ("L5", attached), ("L7", tied), ("L22", hashed)]


def main():
    wrong = 0
    for name, case in CASES:
        text = case()
        print("%s: %s" % (name, "ok" if text is None else text))
        wrong += text is not None
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
