#!/usr/bin/env bash
# why_apart.sh - an operation that cannot be called again on other values, as it
# raises, ends its process or depends on too much, does not keep why from
# telling what it found.  Skipped without libtorch, and Python that traces.
. "$(dirname "$0")/home.sh"

has_values || exit 77

cat >wide.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[1]"):
        y = x.expand(13000, 11000)
        s = y.sum()
        z = s + 1
        return z
END
fxdb wide.py -ex 'input x = torch.tensor([float("nan")])' -ex run \
	-ex 'why nan' || fail 'too many elements'
says 'x[0] = nan: an input'
says 'The way from the output ends before that:'
says '  s = nan: it cannot be asked further: %s depends on more than 134217728 elements'

can_trace || exit 0
# A tied weight is one cause under two names.
cat >tied.py <<'END'
import torch


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Linear(4, 4, bias=False)
        self.b = torch.nn.Linear(4, 4, bias=False)
        self.b.weight = self.a.weight
        with torch.no_grad():
            self.a.weight[2, 3] = float("inf")

    def forward(self, x):
        return torch.softmax(self.b(torch.tanh(self.a(x))), 0)
END
fxdb --python "$python" -ex 'trace tied.py:Tied() -i x=f32[2,4]' -ex run -ex 'why inf'
says '.weight[2,3] = inf: a parameter or buffer'
grep -q 'apart from that' said && fail 'tied weights are one'

cat >own.py <<'END'
import os
import torch


class Raises(torch.nn.Module):
    def forward(self, x):
        if not torch.isnan(x).any():
            raise ValueError("only NaN here")
        return x * 2


class Ends(torch.nn.Module):
    def forward(self, x):
        if not torch.isnan(x).any():
            os._exit(9)
        return x * 2


class Net(torch.nn.Module):
    def __init__(self, own):
        super().__init__()
        self.fc = torch.nn.Linear(4, 4)
        self.own = own

    def forward(self, x):
        return self.own(torch.log(self.fc(x))) + 1
END
fxdb --python "$python" -ex 'trace own.py:Net(Raises()) -i x=f32[2,4] --leaf own.Raises' \
	-ex run -ex 'why nan' || fail 'it raises'
says 'from %own[0,2] from %log[0,2]'
says 'logarithm of a negative number'
fxdb --python "$python" -ex 'trace own.py:Net(Ends()) -i x=f32[2,4] --leaf own.Ends' \
	-ex run -ex 'why nan' -ex 'assert isnan(log).any()' || fail 'it ends its process'
says '%log[0,2] is NaN'
says 'The way from the output ends before that:'
says 'own[0,2] = nan: it cannot be asked further: the process that traced the model died'
exit 0
