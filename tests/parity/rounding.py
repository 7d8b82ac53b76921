"""Products of a buffer whose bytes are not the first of the weights, and of a
transposed input, which torch 2.x sends elsewhere for parameters: as eager.
Cells, whose kernels round the rows of a gate, which lie apart, otherwise.
"""
import os
import subprocess
import sys
import tempfile

import numpy
import torch

SOURCE = """
import torch
from torch import nn
import torch.nn.functional as F


class Kernels(nn.Module):
    def __init__(self):
        super().__init__()
        self.odd = nn.Parameter(torch.randn(3))
        self.cell = nn.GRUCell(4, 8)
        self.rows = nn.RNN(4, 8, batch_first=True)
        self.wide = nn.Linear(4, 24)
        self.gru = nn.GRUCell(8, 20)
        self.lstm = nn.LSTMCell(8, 20)
        self.rnn = nn.RNNCell(8, 20, nonlinearity="relu")
        self.register_buffer("h", torch.randn(2, 8))
        self.register_buffer("ahead", torch.randn(1))

    def forward(self, x):
        flat = x.reshape(5, 8)
        state = self.gru(flat)
        return (self.rows(x)[0], self.wide(x.transpose(0, 1)), state,
                self.gru(flat, state), self.lstm(flat, (state, state))[1],
                self.rnn(flat, state),
                F.linear(self.h, self.cell.weight_hh, self.cell.bias_hh),
                self.h @ self.h.t() + self.odd[0] + self.ahead)
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        sys.path.insert(0, folder)
        with open("kernels.py", "w") as out:
            out.write(SOURCE)
        lines = ["trace kernels.py:Kernels -i x=f32[5,2,4]",
                 "set backend torch", "run"]
        lines += ["dump value output[%d] %d.npy" % (i, i) for i in range(8)]
        words = [word for line in lines for word in ("-ex", line)]
        done = subprocess.run(
            [os.environ["FXDB"], "-nx", "-batch", "--python", sys.executable] +
            words, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        torch.manual_seed(0)
        import kernels
        module = kernels.Kernels().eval()
        x = torch.zeros(5, 2, 4).normal_(
            generator=torch.Generator().manual_seed(0))
        with torch.no_grad():
            results = module(x)
        wrong = [i for i, want in enumerate(results)
                 if numpy.load("%d.npy" % i).tobytes() !=
                 want.contiguous().numpy().tobytes()]
    sys.exit("results %s differ" % wrong if wrong else 0)


main()
