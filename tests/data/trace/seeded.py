"""Models whose weights are the same in every process."""
import os
import sys

import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../parity"))
import zoo  # noqa: E402


def flat(name):
    """One that gives several tensors, as one vector."""
    zoo.declare_operators()
    torch.manual_seed(7)
    return zoo.vary(zoo.Flat(name)).eval()


def model(name, **options):
    """A model of torchvision with statistics that matter."""
    zoo.declare_operators()
    torch.manual_seed(7)
    return zoo.vary(zoo.build(name, **options))
