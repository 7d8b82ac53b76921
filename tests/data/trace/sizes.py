"""Functions that read a size in ways of Python's own, one each; f32[3,4] goes
in.  A recording lists each, or makes a node of it."""
import math

import numpy
import torch

TABLE = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0]
WORDS = {2: 2.0, 3: 3.0, 4: 4.0, 5: 5.0}


def a_range(x):
    for i in range(x.shape[0]):
        x = x + i
    return x


def zeros_list(x):
    return x * len([0] * x.shape[0])


def list_times(x):
    return x * len(x.shape[0] * [0])


def list_index(x):
    return x + TABLE[x.shape[0]]


def list_slice(x):
    return x + sum(TABLE[:x.shape[0]])


def a_divmod(x):
    whole, rest = divmod(x.shape[1], 3)
    return x * whole + rest


def a_round(x):
    return x * round(x.shape[0] / 2)


def an_abs(x):
    return x * abs(2 - x.shape[0])


def a_sqrt(x):
    return x / math.sqrt(x.shape[1])


def a_floor(x):
    return x * math.floor(x.shape[1] / 3)


def a_log(x):
    return x * math.log(x.shape[0])


def a_ceil(x):
    return x * math.ceil(x.shape[0] / 2)


def a_format(x):
    return x + int(f"{x.shape[0]}")


def a_string(x):
    return x + len(str(x.shape[0]) * 2)


def a_key(x):
    return x * WORDS[x.shape[0]]


def a_set(x):
    return x * 2 if x.shape[0] in {2, 3} else x


def numpy_number(x):
    return x * float(numpy.sqrt(x.shape[0]))


def numpy_arange(x):
    return x.sum() + float(numpy.arange(x.shape[0]).sum())


def comparison(x):
    return x if x.shape[0] > 3 else -x


def truth(x):
    return x if x.shape[0] - 3 else -x


def an_int(x):
    return x * int(x.shape[0] * 1.5)


def a_float(x):
    return x * float(x.shape[0])


def maximum(x):
    return x * max(x.shape[0], 3)


def a_sum(x):
    return x * sum(x.shape)


def product(x):
    return x * math.prod(x.shape)


def a_len(x):
    return x * len(x)


def iteration(x):
    total = 0
    for row in x:
        total = total + row
    return total


def unpacked(x):
    rows, columns = x.shape
    return x.reshape(columns, rows)


def power(x):
    return x * x.shape[1] ** -0.5


def whole_view(x):
    return torch.zeros(x.shape).view(x.shape[0] * x.shape[1]) + x.numel()


def a_bit(x):
    return x * (x.shape[0] & 1)


def shifted(x):
    return x * (x.shape[0] << 1)


def enumerated(x):
    for i, size in enumerate(x.shape):
        x = x + i * size
    return x


def zipped(x):
    for i, row in zip(range(9), x.unbind()):
        x = x + i * row
    return x


def sorted_sizes(x):
    return x * sorted(x.shape)[0]


def int_of_size(x):
    rows, columns = int(x.shape[0]), int(x.shape[1])
    return torch.zeros(rows * columns + 1), x.reshape(columns, rows)


def rounded_up(x):
    return torch.zeros(-(-int(x.shape[0]) // 4), int(x.shape[1]) // 2)


def item(x):
    return x * x.sum().item()


def decided(x):
    return x + 1 if x.sum() > 0 else x - 1


def from_numpy(x):
    return x + torch.from_numpy(numpy.ones(x.shape, dtype="float32"))


def listed(x):
    return x + torch.tensor([1.0] * x.shape[1])
