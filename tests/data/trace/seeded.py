"""Models whose weights are the same in every process."""
import os
import sys

import torch

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)),
                             "../../parity"))
import zoo  # noqa: E402

zoo.declare_operators()


def model(name):
    """A model of torchvision with statistics that matter."""
    zoo.declare_operators()
    torch.manual_seed(7)
    return zoo.vary(zoo.build(name))


def hugging_face(index):
    """A row of hugging.py as a model; torch 2.x."""
    import hugging
    return hugging.build(hugging.MODELS[index])


def given(index, name):
    """What that row gives its model as NAME."""
    import hugging
    return hugging.MODELS[index][3][name]


def list_of_images():
    return [torch.rand(3, 128, 160)]
