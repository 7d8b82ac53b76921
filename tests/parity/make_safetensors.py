#!/usr/bin/env python3
"""Write samples/numpy.safetensors with numpy and the format's description alone.

usage: make_safetensors.py FILE
"""
import json
import struct
import sys

import numpy

KINDS = {"float64": "F64", "float32": "F32", "float16": "F16", "int64": "I64", "int32": "I32", "int16": "I16",
         "int8": "I8", "uint8": "U8", "bool": "BOOL"}


def main(path):
    header, data = {"__metadata__": {"made_by": "numpy"}}, b""
    for name, kind in KINDS.items():
        array = numpy.arange(6).reshape(2, 3).astype(name)
        part = array.astype(array.dtype.newbyteorder("<")).tobytes()
        header["layer." + name] = {"dtype": kind, "shape": [2, 3], "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    scalar = struct.pack("<f", 2.5)
    header["scalar"] = {"dtype": "F32", "shape": [], "data_offsets": [len(data), len(data) + 4]}
    data += scalar
    header["empty"] = {"dtype": "F32", "shape": [0, 4], "data_offsets": [len(data), len(data)]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


main(sys.argv[1])
