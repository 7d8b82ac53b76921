#!/usr/bin/env bash
# verify_opaque.sh - a layer that only the process knows that traced the model
# is run there for the copies of the graph that verification runs; one that was
# edited is not, nor one that has buffers, which would be written.
. "$(dirname "$0")/home.sh"

can_trace && has_values || exit 77

cat >net.py <<'END'
import torch
from torch.nn.utils import parametrize


class Twice(torch.nn.Module):
    def forward(self, w):
        return 2 * w


class Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(()))

    def forward(self, w):
        self.count += 1
        return w * self.count


class Net(torch.nn.Module):
    def __init__(self, how):
        super().__init__()
        torch.manual_seed(0)
        self.fc = torch.nn.Linear(4, 4)
        parametrize.register_parametrization(self.fc, "weight", how)

    def forward(self, x):
        x = self.fc(x)
        return torch.relu(x) + x.relu()


def twice():
    return Net(Twice())


def counted():
    return Net(Counted())
END
twice=(--python "$python" -ex 'trace net.py:twice() -i x=f32[2,4]')

fxdb "${twice[@]}" -ex 'pass run normalize' -ex run
says 'verified on 3 inputs: bit for bit'
says 'Finished.'
fxdb "${twice[@]}" -ex 'set value fc.bias = ones(4)' -ex 'pass run normalize'
says 'not verified: what a ParametrizedLinear does is not known'
fxdb --python "$python" -ex 'trace net.py:counted() -i x=f32[2,4]' \
	-ex 'pass run normalize'
says 'not verified: what a ParametrizedLinear does is not known'

# What Python alone runs has no f64, whatever was verified before it.
cat >hooked.py <<'END'
import torch
from torch import nn


class Plain(nn.Module):
    def forward(self, x):
        return torch.relu(x) + torch.relu(x)


class Hooked(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.act = nn.ReLU()
        self.act.register_forward_hook(lambda module, given, made: made * 2)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))
END
fxdb --python "$python" -ex 'trace hooked.py:Plain() -i x=f32[2,4]' \
	-ex 'pass run cse' \
	-ex 'trace hooked.py:Hooked() -i x=f32[1,3,8,8]' -ex run \
	-ex 'pass run fuse-conv-bn'
says 'verified on 3 inputs: bit for bit'
says 'not verified: only Python runs it, which has no f64 parameters'
