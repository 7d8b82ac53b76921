"""Models that raise, while they are built, traced or looked at."""
import torch
from torch import nn


class InConstructor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, "four")


class InForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(torch.relu(x))


class Inner(nn.Module):
    def forward(self, x):
        y = x + 1
        raise ValueError("the model is\nnot ready")


class Attribute(nn.Module):
    @property
    def scale(self):
        raise RuntimeError("no scale yet")

    def forward(self, x):
        return x * self.scale


class Missing(nn.Module):
    def forward(self, x):
        return self.fc1(x)


class Odd:
    """Answers no question without raising."""

    def __getattribute__(self, name):
        raise RuntimeError("hands off " + name)

    def __repr__(self):
        raise RuntimeError("no text")


class OddAttribute(nn.Module):
    def __init__(self):
        super().__init__()
        self.__dict__["odd"] = Odd()  # past Module.__setattr__

    def forward(self, x):
        return x + 1


class OddArgument(nn.Module):
    def forward(self, x):
        return x.add(Odd())


class OddError(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class RaisesOdd(nn.Module):
    def forward(self, x):
        raise OddError()


class Deep(nn.Module):
    def forward(self, x):
        return self.forward(x + 1)


class NestedList(nn.Module):
    def forward(self, x):
        inner = [x]
        for _ in range(5000):
            inner = [inner]
        return x.m(inner)


class SelfList(nn.Module):
    def forward(self, x):
        loop = [x]
        loop.append(loop)
        return x.m(loop)


class Misspelt(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ReLU()

    def forward(self, x):
        return self.layer(x)


class Unregistered(nn.Module):
    """What importing torchvision beside another torch ends with."""

    def forward(self, x):
        raise RuntimeError("operator torchvision::nms does not exist")


class Importing(nn.Module):
    """What importing a part of transformers beside such a torchvision does."""

    def forward(self, x):
        try:
            raise RuntimeError("operator torchvision::nms does not exist")
        except RuntimeError as error:
            raise ModuleNotFoundError("Could not import 'Bert'") from error
