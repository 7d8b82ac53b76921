"""Write a graph file in which every text that somebody else chooses has a
newline, a line like one of fxdb's own, and an escape sequence.

usage: forged.py FILE
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "parity"))
from export_fxg import digest  # noqa: E402

BAD = "x\nforged line\x1b[2Jgone\ttab"
RECORDS = [
    {"fxg": 1, "minor": 0, "name": BAD, "class": BAD, "dialect": "1.13",
     "origin": BAD, "nodes": 4, BAD: BAD},
    {"module": "", "class": BAD, "leaf": False, "training": False},
    {"module": "l", "class": BAD, "leaf": True, "training": False,
     "config": repr({BAD: BAD})},
    {"tensor": "l.w", "kind": "parameter", "dtype": "float32", "shape": [2]},
    {"source": 0, "frames": [{"file": BAD, "line": 1, "function": BAD,
                              "text": BAD}]},
    {"scope": 0, "path": "l", "class": BAD},
    {"node": "a", "op": "placeholder", "target": "a", "args": "()",
     "type": BAD},
    {"node": "b", "op": "call_function", "target": "torch.add",
     "args": "(%%a, %r, opaque(%r))" % (BAD, BAD), "source": 0, "scope": 0, "notes": {BAD: BAD}},
    {"node": "c", "op": "call_module", "target": "l", "args": "(%b,)"},
    {"node": "output", "op": "output", "target": "output", "args": "(%c,)"},
]
LINES = b"".join(json.dumps(record).encode() + b"\n" for record in RECORDS)
with open(sys.argv[1], "wb") as file:
    file.write(LINES + json.dumps(
        {"end": len(RECORDS), "hash": digest(LINES)}).encode() + b"\n")
