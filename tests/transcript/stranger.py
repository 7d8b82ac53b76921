"""Graphs of a stranger: one file of generated code for each operator of
libtorch's registry that may do more than compute, in the folder given, and a
list of their names on standard output.  Every text that they are given is a
path in that folder.

What may do more is found without fxdb's table: operators that take a text
called like a file, and those outside the names that only compute.
"""
import os
import re
import sys

import torch

FOLDER = sys.argv[1]
COMPUTE = ("aten", "prims", "nvprims", "quantized", "quantized_decomposed",
           "rngprims", "torchvision")
HARMLESS = ("prim::device", "prim::dtype", "prim::layout", "prim::NumToTensor")
FILES = ("file", "filename", "path", "name", "url", "f")


def value(kind, number):
    kind = str(kind)
    if kind.startswith("Optional"):
        return "None"
    if "Tensor" in kind:
        return "[x]" if "List" in kind else "x"
    if kind == "str":
        return repr(os.path.join(FOLDER, "written-%d" % number))
    if "List" in kind:
        return "[1]"
    return {"int": "4", "number": "4", "bool": "True", "float": "1.0",
            "t": "x"}.get(kind, "x")


def is_suspect(schema):
    space = schema.name.partition("::")[0]
    return space not in COMPUTE and schema.name not in HARMLESS or any(
        str(argument.type) == "str" and argument.name in FILES
        for argument in schema.arguments) or \
        re.search(r"aten::(_print|warn|_nested_view_from.*|.*tensor_unsafe)$",
                  schema.name)


def write(number, target, arguments):
    path = os.path.join(FOLDER, "g%d.py" % number)
    with open(path, "w") as file:
        file.write("def forward(self, x):\n    a = %s(%s)\n    return a\n" %
                   (target, ", ".join(arguments)))
    print(number, target)


number = 0
for schema in torch._C._jit_get_all_schemas():
    if not is_suspect(schema) or not re.match(r"\w+::\w+$", schema.name):
        continue
    number += 1
    write(number, "torch.ops.%s.%s" % (
        schema.name.replace("::", "."), schema.overload_name or "default"),
        [value(argument.type, number) for argument in schema.arguments
         if not argument.kwarg_only])
for target, arguments in (
        ("torch.save", "x, '%s/written'"), ("torch.load", "'%s/g1.py'"),
        ("torch.from_file", "'%s/written', True, 4"),
        ("torch.serialization.save", "x, '%s/written'"),
        ("torch.nn.functional.from_file", "'%s/written', True, 4"),
        ("torch._C._VariableFunctions.from_file", "'%s/written', True, 4"),
        ("os.system", "'touch %s/written'"),
        ("builtins.eval", "'open(\"%s/written\", \"w\")'"),
        ("torch.hub.load", "'%s', 'm'")):
    number += 1
    write(number, target, [arguments % FOLDER])
