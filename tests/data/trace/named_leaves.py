"""Modules that are kept whole and take what torch gives with names, for
tests/parity/named_leaves.py.
"""
import torch
from torch import nn

CALLS = {
    "max": lambda x: torch.max(x, 1), "min": lambda x: x.min(1),
    "sort": lambda x: torch.sort(x, 1), "topk": lambda x: x.topk(2, 1),
    "median": lambda x: torch.median(x, 1),
    "nanmedian": lambda x: torch.nanmedian(x, 1),
    "mode": lambda x: torch.mode(x, 1),
    "kthvalue": lambda x: torch.kthvalue(x, 2, 1),
    "cummax": lambda x: torch.cummax(x, 1),
    "cummin": lambda x: torch.cummin(x, 1),
    "aminmax": lambda x: torch.aminmax(x, dim=1),
    "svd": lambda x: torch.linalg.svd(x), "eigh": lambda x: torch.linalg.eigh(x),
    "qr": lambda x: torch.linalg.qr(x),
    "slogdet": lambda x: torch.linalg.slogdet(x),
    "old_slogdet": lambda x: torch.slogdet(x),
    "old_svd": lambda x: torch.svd(x),
    "lstsq": lambda x: torch.linalg.lstsq(x, x),
    "frexp": lambda x: torch.frexp(x),
    "lu_factor": lambda x: torch.linalg.lu_factor(x),
    "lu_factor_ex": lambda x: torch.linalg.lu_factor_ex(x),
    "lu": lambda x: torch.linalg.lu(x),
    "inv_ex": lambda x: torch.linalg.inv_ex(x),
    "cholesky_ex": lambda x: torch.linalg.cholesky_ex(x),
    "histogram": lambda x: torch.histogram(x, 4),
    "ldl_factor": lambda x: torch.linalg.ldl_factor(x),
    "geqrf": lambda x: torch.geqrf(x),
    # Plain tuples stay plain.
    "var_mean": lambda x: torch.var_mean(x, 1), "split": lambda x: x.split(2),
}


def fields(top):
    """The names that what torch gives has."""
    return [name for name in dir(type(top)) if name[0] != "_" and
            type(getattr(type(top), name)).__name__ == "member_descriptor"]


class Reads(nn.Module):
    """By name, by index, by unpacking, and by what it is."""

    def forward(self, top):
        first, *rest = top
        named = sum(getattr(top, name).abs().sum() * at
                    for at, name in enumerate(fields(top), 1))
        is_named = type(top).__module__ == "torch.return_types"
        return (first.abs().sum() + sum(part.sum() for part in rest) +
                top[0].abs().sum() - top[-1].sum() + named) * (1 + is_named)


class Many(nn.Module):
    """What is in a list or a dict too."""

    def forward(self, tops, names):
        return tops[0].values + names["low"].values


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.reads = Reads()
        self.many = Many()

    def forward(self, x):
        found = [self.reads(call(x)) for call in CALLS.values()]
        found.append(self.many([torch.max(x, 1), x], {"low": x.min(1)}))
        lower, upper = torch.linalg.lu(x).L, torch.linalg.lu(x).U
        found.append(lower + 2 * upper)
        found.append(torch.linalg.lu_factor_ex(x).info)
        return found
