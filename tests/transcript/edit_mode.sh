#!/usr/bin/env bash
# edit_mode.sh - a module that an edit makes is in the mode of the graph, and
# --train calls the model's own train().  Skipped without libtorch or the
# capture extension.
. "$(dirname "$0")/home.sh"

has_values && can_trace || exit 77
cat >mode.py <<'END'
from torch import nn


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.bn = nn.BatchNorm1d(4)
        self.d = nn.ReLU()
        self.eval()

    def train(self, mode=True):
        super().train(mode)
        self.bn.eval()
        return self

    def forward(self, x):
        return self.d(self.bn(self.fc(x)))
END

# holds FLAG CONDITION...: after a trace with FLAG, two edits and a run.
holds()
{
	local flag=$1 condition
	local options=()
	shift
	for condition; do
		options+=(-ex "assert $condition")
	done
	fxdb --python "$python" -ex "trace mode.py:Frozen $flag -i x=f32[64,4]" \
		-ex 'set module d = nn.Dropout(0.9)' \
		-ex 'insert after d : e = nn.Dropout(0.4)(d) --splice' \
		-ex run "${options[@]}" || fail "trace $flag"
}

holds '' 'not self.d.training' 'allclose(d, bn)' 'allclose(e, d)'
holds --train 'self.training' 'self.fc.training' 'not self.bn.training' \
	'self.d.training' 'self.e.training' '(d == 0).sum() > 150' \
	'not allclose(d, bn)' 'not allclose(e, d)'
