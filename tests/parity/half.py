"""compare --dtype f16 where libtorch has no kernels of f16: what is computed in
f32 and rounded, beside a torch that has these kernels.

usage: half.py FXDB	compare with what was recorded
       half.py --record	with a torch 2.x, anew
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy
import torch
import torch.fx
import torch.nn.functional as F
from torch import nn

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "..", "data", "half.npz")
# Whose kernel of f16 rounds more than once: what is emulated lies nearer to f64.
ROUGH = {"conv_transpose2"}


class Net(nn.Module):
    """Operators side by side: none is given what another one rounded."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(4, 6, 3, padding=1)
        self.conv2 = nn.Conv2d(4, 6, 3, padding=1, stride=2)
        self.conv2_groups = nn.Conv2d(4, 8, 3, groups=4, bias=False)
        self.conv3 = nn.Conv3d(2, 3, 2)
        self.conv_transpose2 = nn.ConvTranspose2d(4, 3, 3, stride=2)
        self.linear = nn.Linear(8, 5)
        self.bn1 = nn.BatchNorm1d(4)
        self.bn2 = nn.BatchNorm2d(4)
        self.ln = nn.LayerNorm(8)
        self.gn = nn.GroupNorm(2, 4)
        self.gelu = nn.GELU()
        self.gelu_tanh = nn.GELU(approximate="tanh")
        self.silu = nn.SiLU()
        self.relu = nn.ReLU(inplace=True)
        self.prelu = nn.PReLU(4)
        self.softmax = nn.Softmax(-1)
        self.log_softmax = nn.LogSoftmax(1)
        self.max_pool = nn.MaxPool2d(2)
        self.avg_pool = nn.AvgPool2d(2)
        self.adaptive = nn.AdaptiveAvgPool2d(3)
        self.embedding = nn.Embedding(7, 4)

    def forward(self, a, b, c, d):
        """a: 2,4,8; b: 2,4,8,8; c: 1,2,4,4,4; d: 2,4,8, above zero"""
        return (
            self.conv1(a), self.conv2(b), self.conv2_groups(b), self.conv3(c),
            self.conv_transpose2(b), self.linear(a), self.bn1(a), self.bn2(b),
            self.ln(a), self.gn(b), self.gelu(a), self.gelu_tanh(a),
            self.silu(a), self.relu(a + d), self.prelu(b), self.softmax(a),
            self.log_softmax(b), self.max_pool(b), self.avg_pool(b),
            self.adaptive(b), self.embedding.weight * 2,
            F.relu(a), F.relu6(a), F.hardtanh(b), F.hardswish(a),
            F.hardsigmoid(a), F.leaky_relu(a), F.elu(a), F.softplus(a),
            F.logsigmoid(b), F.interpolate(b, scale_factor=2.0),
            F.interpolate(b, size=(5, 11), mode="bilinear"),
            F.pad(b, (1, 1, 2, 0), mode="reflect"), F.glu(a), F.mish(b),
            F.normalize(d), torch.matmul(a, a.transpose(1, 2)),
            torch.bmm(d, a.transpose(1, 2)), torch.sigmoid(a), torch.tanh(a),
            torch.exp(a), torch.log(d), torch.sqrt(d), torch.rsqrt(d),
            torch.sin(a), torch.erf(b), torch.pow(d, 1.5), torch.square(a),
            torch.sum(b), torch.sum(b, dim=1), torch.mean(b, dim=(2, 3)),
            torch.var(b, dim=1), torch.std(a, dim=2), torch.cumsum(a, dim=1),
            torch.prod(d, dim=2), torch.amax(a, dim=1), torch.clamp(a, -1, 1),
            torch.lerp(a, d, 0.25), torch.addcmul(a, a, d),
            torch.logsumexp(a, 1), torch.einsum("bij,bkj->bik", a, d),
            torch.baddbmm(torch.bmm(a, a.transpose(1, 2)), d,
                          a.transpose(1, 2)),
            a + d, a - d, a * d, a / d, -a, torch.abs(a), torch.round(a),
            torch.where(a > 0, a, d), torch.maximum(a, d), torch.sort(a)[0],
            torch.topk(d, 2)[0], torch.cat([a, d], 1))


def numbers():
    return numpy.random.RandomState(5)


def model():
    """The same numbers in any torch, which f16 has."""
    draw = numbers()
    net = Net().eval()
    for name, tensor in sorted(net.state_dict().items()):
        if tensor.is_floating_point():
            value = draw.randn(*tensor.shape).astype("float16")
            if name.endswith("running_var"):
                value = abs(value) + numpy.float16(0.5)
            tensor.copy_(torch.from_numpy(value))
    return net


def inputs():
    draw = numbers()
    ret = {name: draw.randn(*shape).astype("float16") for name, shape in (
        ("a", (2, 4, 8)), ("b", (2, 4, 8, 8)), ("c", (1, 2, 4, 4, 4)),
        ("d", (2, 4, 8)))}
    ret["d"] = abs(ret["d"]) + numpy.float16(0.5)
    return ret


class Recorder(torch.fx.Interpreter):
    """The values of nodes as arrays."""

    def __init__(self, module):
        super().__init__(module)
        self.arrays = {}

    def run_node(self, node):
        result = super().run_node(node)
        if isinstance(result, torch.Tensor):
            self.arrays[node.name] = result.detach().clone().numpy()
        return result


def arrays_of(module, dtype):
    recorder = Recorder(torch.fx.symbolic_trace(module.to(dtype)))
    recorder.run(*[torch.from_numpy(array).to(dtype)
                   for array in inputs().values()])
    return recorder.arrays


def record():
    arrays = arrays_of(model(), torch.float16)
    numpy.savez_compressed(RECORDED, **arrays)
    print("%d arrays by torch %s" % (len(arrays), torch.__version__))


def compare(fxdb, folder, ways):
    """What compare says in each of WAYS: the answer, and its rows by node."""
    lines = ["trace %s:model()" % os.path.abspath(__file__)]
    for name, array in inputs().items():
        path = os.path.join(folder, name + ".npy")
        numpy.save(path, array.astype("float32"))
        lines.append("input %s = file(\"%s\")" % (name, path))
    lines += ["compare . %s --rtol 0 -m 0" % words for words in ways]
    done = subprocess.run(
        [fxdb, "-nx", "-q", "-batch", "--keep-going", "--json", "--python",
         sys.executable] + [word for line in lines for word in ("-ex", line)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        universal_newlines=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()
               if '"gaps"' in line]
    if len(answers) != len(ways):
        sys.exit("compare ended early: " + done.stdout + done.stderr)
    return [(answer, {row["node"]: row for row in answer["gaps"]})
            for answer in answers]


def main():
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        exact = os.path.join(folder, "exact.npz")
        numpy.savez(exact, **{
            name: array.astype("float16") if array.dtype == "float64" else array
            for name, array in arrays_of(model(), torch.float64).items()})
        theirs, ours, other = compare(
            sys.argv[1], folder, [RECORDED + " --dtype f16",
                                  exact + " --dtype f16", "--dtype bf16"])
    answer, rows = theirs
    calls = sum(row["calls"] for row in answer.get("emulated", []))
    for node, row in rows.items():
        if row["mismatch"] or row["ulp"] > 1 and node not in ROUGH:
            wrong.append("beside torch's own: %s" % row)
    # Later ones have kernels.
    if torch.__version__.startswith("1.13"):
        wrong += ["beside f64: %s" % ours[1][node]
                  for node in ROUGH & set(ours[1]) if ours[1][node]["ulp"] > 1]
        if calls < 40:
            wrong.append("%d calls were emulated" % calls)
    if len(other[1]) < 80:
        wrong.append("bf16 ended early, after %d" % len(other[1]))
    print("%d nodes beside torch's own f16, %d calls in f32" %
          (answer["compared"], calls))
    for text in wrong:
        print(text)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(record() if sys.argv[1] == "--record" else main())
