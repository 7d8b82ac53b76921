"""torchvision's models with one thing wrong in the middle of each.

reduce is to find it.  Each is a function of a name; PLANTED lists them.
"""
import torch
from torch import nn

import seeded  # for its folder of parity tests

seeded.zoo.declare_operators()
import torchvision  # noqa: E402


class After(nn.Module):
    """What a layer gives goes through a function."""

    def __init__(self, layer, function):
        super().__init__()
        self.layer = layer
        self.function = function

    def forward(self, x):
        return self.function(self.layer(x))


def negative_variance(layer):
    layer.running_var.fill_(-1)
    return layer


def transposed_view(layer):
    return After(layer, lambda x: x.transpose(1, 2).relu().view(-1))


def through_a_view(x):
    """Zeros are written through a view; no value leads from it to x / x."""
    x = x.abs() + 1
    flat = x.view(-1)
    flat.mul_(0)
    return x / x


def halves(x):
    a, b = x.chunk(2, 1)
    return torch.matmul(a, b.flatten(1))


def other_epsilon(layer):
    layer.eps = 0.1
    return layer


def other_weight(layer):
    layer.weight.data = layer.weight.data.flip(2)
    return layer


class Cast(nn.Module):
    def forward(self, x):
        return x.double()


def after(function):
    return lambda layer: After(layer, function)


def put(layer):
    return lambda old: layer


# name: (model, path of a layer, what becomes of it, what fails)
PLANTED = {
    "variance": ("resnet18", "layer2.0.bn2", negative_variance, "nonfinite"),
    "reshape": ("resnet18", "avgpool", after(lambda x: x.reshape(x.shape[0], 500)), "error"),
    "strides": ("resnet50", "layer3.2.relu", transposed_view, "error"),
    "softmax": ("resnet152", "layer3.20.bn1",
                after(lambda x: x.masked_fill(x == x, -float("inf")).softmax(1)), "nonfinite"),
    "cat": ("densenet121", "features.transition2.conv",
            after(lambda x: torch.cat([x, x[:, :, :-1]], 1)), "error"),
    "log": ("mobilenet_v3_small", "features.6.block.1.0", after(lambda x: torch.log(x)), "nonfinite"),
    "zeros": ("efficientnet_b0", "features.4.0.block.0.1", after(lambda x: (x * 0) / (x - x)), "nonfinite"),
    "overflow": ("efficientnet_b5", "features.5.2.block.0.1",
                 after(lambda x: (x.abs() * 1e4 + 100).exp() - (x.abs() * 2e4 + 100).exp()), "nonfinite"),
    "index": ("googlenet", "inception4c.branch2", after(lambda x: x[:, 100000]), "error"),
    "gather": ("inception_v3", "Mixed_6b.branch_pool",
               after(lambda x: torch.gather(x, 1, x.long().abs() + 5000)), "error"),
    "matmul": ("shufflenet_v2_x0_5", "stage3.2.branch2", after(lambda x: x @ x[:, :, :-1]), "error"),
    "dtype": ("mnasnet0_5", "layers.9.0.layers.0", lambda layer: nn.Sequential(Cast(), layer), "error"),
    "view": ("regnet_y_400mf", "trunk_output.block3.block3-1.f.a", after(through_a_view), "nonfinite"),
    "stack": ("densenet201", "features.denseblock3.denselayer9.conv1",
              after(lambda x: torch.stack([x, x.sum(1), x])), "error"),
    "chunk": ("mobilenet_v2", "features.9.conv.0", after(halves), "error"),
    "infinite": ("squeezenet1_1", "features.7.expand1x1", after(lambda x: 1 / (x.relu() * 0)), "nonfinite"),
    "gelu": ("resnet18", "layer3.0.relu", put(nn.GELU()), "value"),
    "epsilon": ("resnet50", "layer2.3.bn2", other_epsilon, "value"),
    "weight": ("densenet121", "features.denseblock2.denselayer5.conv2", other_weight, "value"),
    "flip": ("efficientnet_b0", "features.3.1.block.1.1", after(lambda x: x.flip(3)), "value"),
    "half": ("mobilenet_v3_large", "features.9.block.0.1", after(lambda x: x.half().float()), "value"),
}


def plain(name):
    torch.manual_seed(1)
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    model = getattr(torchvision.models, name)(**options)
    return model.eval()


def build(name):
    model, path, change, _ = PLANTED[name]
    model = plain(model)
    parent, _, child = path.rpartition(".")
    owner = model.get_submodule(parent)
    setattr(owner, child, change(getattr(owner, child)))
    return model.eval()
