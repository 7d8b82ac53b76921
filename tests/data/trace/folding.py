"""A model with what batch normalisations can and cannot be folded into."""
import torch
from torch import nn


class Mixed(nn.Module):
    def __init__(self):
        super().__init__()
        self.plain = nn.Conv2d(3, 8, 3, bias=False)
        self.norm = nn.BatchNorm2d(8, eps=1e-3)
        self.grouped = nn.ConvTranspose2d(8, 6, 3, groups=2, stride=2)
        self.not_affine = nn.BatchNorm2d(6, affine=False)
        self.shared = nn.Conv2d(6, 6, 1)
        self.first = nn.BatchNorm2d(6)
        self.second = nn.BatchNorm2d(6)
        self.used_twice = nn.Conv2d(6, 6, 1)
        self.after_twice = nn.BatchNorm2d(6)
        self.before_batch = nn.Conv2d(6, 6, 1)
        self.batch = nn.BatchNorm2d(6, track_running_stats=False)
        self.tied = nn.Conv2d(6, 6, 1)
        self.tied.weight = self.used_twice.weight
        self.after_tied = nn.BatchNorm2d(6)
        self.again = nn.BatchNorm2d(6)
        self.matrix = nn.Linear(6, 6, bias=False)
        self.vector = nn.BatchNorm1d(6)
        self.rows = nn.Linear(6, 6)
        self.not_last = nn.BatchNorm1d(2)
        self.line = nn.Conv1d(2, 4, 3, dilation=2)
        self.after_line = nn.BatchNorm1d(4)
        self.volume = nn.Conv3d(2, 4, 1, groups=2)
        self.after_volume = nn.BatchNorm3d(4)
        self.depthwise = nn.ConvTranspose3d(4, 8, 2, groups=4)
        self.last = nn.BatchNorm3d(8)

    def forward(self, x):
        x = self.not_affine(self.grouped(self.norm(self.plain(x))))
        x = self.first(self.shared(x)) + self.second(self.shared(x))
        y = self.used_twice(x)
        x = self.batch(self.before_batch(self.after_twice(y) + y))
        x = self.again(self.after_tied(self.tied(x)))
        x = self.vector(self.matrix(x.mean((2, 3))))
        x = self.not_last(self.rows(x.reshape(-1, 2, 6)))
        x = self.after_line(self.line(x))
        x = self.after_volume(self.volume(x.reshape(1, 2, 2, -1, 2)))
        return self.last(self.depthwise(x))


def vary(model):
    """Statistics that matter."""
    torch.manual_seed(3)
    for module in model.modules():
        if getattr(module, "running_var", None) is not None:
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2)
        if getattr(module, "eps", None) and module.weight is not None:
            module.weight.data.normal_()
            module.bias.data.normal_()
    return model.eval()


def mixed():
    torch.manual_seed(4)
    return vary(Mixed())
