import torch


class Loop(torch.nn.Module):
    def forward(self, x):
        while x.sum() > 1:
            x = x / 2
        return x
