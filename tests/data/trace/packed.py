"""A recurrent layer on sequences of several lengths, packed within the model and
given so."""
import torch
from torch import nn
from torch.nn.utils import rnn


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.gru = nn.GRU(4, 5, batch_first=True)

    def forward(self, x, lengths):
        packed = rnn.pack_padded_sequence(x, lengths, batch_first=True,
                                          enforce_sorted=False)
        result, state = self.gru(packed)
        return rnn.pad_packed_sequence(result, batch_first=True)[0], state


def gru():
    return nn.GRU(4, 5)


def packed():
    return rnn.pack_sequence([torch.ones(3, 4), torch.ones(2, 4)])
