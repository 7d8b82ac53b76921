#!/usr/bin/env python3
"""A model with an operator of a C++ library, which its file loads: traced and
recorded it is one node, which runs on every backend that there is, in Python
where libtorch has not that library.

usage: compiled_operator.py
"""
import ast
import os
import subprocess
import sys
import tempfile

import torch

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "capture")]
from session import Session  # noqa: E402

LIBRARY = """
#include <torch/library.h>
#include <ATen/ATen.h>
static at::Tensor twice_and(const at::Tensor &x, double y)
{
	return x * 2 + y;
}
TORCH_LIBRARY(fxdb_test, m)
{
	m.def("twice_and(Tensor x, float y) -> Tensor", &twice_and);
}
"""
MODEL = """
import os
import torch
torch.ops.load_library(os.path.join(os.path.dirname(
    os.path.abspath(__file__)), "twice.so"))
class Packet(torch.nn.Module):
    def forward(self, x):
        return torch.relu(torch.ops.fxdb_test.twice_and(x, 0.5))
class Overload(torch.nn.Module):
    def forward(self, x):
        return torch.relu(torch.ops.fxdb_test.twice_and.default(x, 0.5))
"""
X = "torch.arange(6.).sin()"


def build(folder):
    """Whether the library is there now; the compiler is the test's."""
    home = os.path.dirname(torch.__file__)
    include = os.path.join(home, "include")
    if not os.path.isdir(os.path.join(include, "ATen")):
        include = "/usr/include"
    source = os.path.join(folder, "twice.cpp")
    with open(source, "w") as file:
        file.write(LIBRARY)
    flags = ["-std=c++%d" % (17 if torch.__version__ < "2.1" else 20),
             "-D_GLIBCXX_USE_CXX11_ABI=%d" % torch._C._GLIBCXX_USE_CXX11_ABI]
    try:
        said = subprocess.run(
            os.environ.get("CXX", "g++").split() + flags + [
                "-shared", "-fPIC", "-O0", "-w", "-I" + include, source,
                "-L" + os.path.join(home, "lib"), "-lc10", "-ltorch_cpu",
                "-o", os.path.join(folder, "twice.so")],
            capture_output=True, text=True)
    except OSError as error:
        print(error)
        return False
    print(said.stderr[-500:], end="")
    return said.returncode == 0


def wrong(session, model, how, backend, want):
    """What is not as it should be, or nothing."""
    said = session.run("trace net.py:%s -i x=%s%s" % (model, X, how))
    session.run("set backend " + backend)
    said += session.run("run")
    graph = session.run("dump listing")
    result = session.run("print %output.tolist()")
    session.run("close -f")
    overload = ".default" if model == "Overload" else ""
    node = "call_function[target=torch.ops.fxdb_test.twice_and%s]" \
        "(args = (%%x, 0.5)" % overload
    good = "Finished" in said and node in graph and \
        graph.count("call_function") == 2 and \
        torch.allclose(torch.tensor(numbers(result)), want)
    return "" if good else said + graph + result + str(want)


def numbers(text):
    """Those between brackets in TEXT."""
    return ast.literal_eval(text[text.find("["):].strip() or "[]")


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        if not build(folder):
            print("no library of operators can be built")
            return 77
        with open(os.path.join(folder, "net.py"), "w") as file:
            file.write(MODEL)
        want = torch.relu(torch.arange(6.).sin() * 2 + 0.5)
        session = Session("-q", python=sys.executable, cwd=folder)
        for model in "Packet", "Overload":
            for how in "", " --example":
                for backend in "auto", "python":
                    text = wrong(session, model, how, backend, want)
                    failed += bool(text)
                    print(text, end="")
        session.end()
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
