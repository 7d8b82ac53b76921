"""A model with tensors of every kind that weights may come in."""
import torch
from torch import nn


class Kinds(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 2)
        self.tied = nn.Linear(3, 2, bias=False)
        self.tied.weight = self.first.weight
        with torch.no_grad():
            self.first.weight.copy_(torch.arange(6.).view(2, 3) / 4)
            self.first.bias.copy_(torch.tensor([-1.5, 2e30]))
        for name, tensor in {
                "turned": torch.arange(6.).view(2, 3).t(),
                "part": torch.arange(10, dtype=torch.int64)[2:9:3],
                "short": torch.tensor([0.5, -2.0], dtype=torch.float16),
                "brain": torch.tensor([1.0, 3.0], dtype=torch.bfloat16),
                "truth": torch.tensor([True, False, True]),
                "small": torch.tensor([255, 0, 7], dtype=torch.uint8),
                "one": torch.tensor(7.25, dtype=torch.float64),
                "none": torch.zeros(0, 3),
                "complex": torch.tensor([1 + 2j]),
                "nowhere": torch.zeros(2, device="meta")}.items():
            self.register_buffer(name, tensor)

    def forward(self, x):
        return self.tied(self.first(x)) + torch.tensor([3.0])
