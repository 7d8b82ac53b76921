#!/usr/bin/env bash
# overwritten.sh - print and node say who wrote into a value in place, and going
# back shows what it was.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

fxdb "$mlp" -ex 'replace act = torch.relu_(fc1)' -ex 'goto act' \
	-ex 'set $before = fc1 + 0' -ex 'print fc1' -ex 'print %act.target'
grep -q 'in place' said && fail 'nothing was written yet'

fxdb "$mlp" -ex 'replace act = torch.relu_(fc1)' -ex run -ex 'print act' \
	-ex 'print x' -ex 'print fc2' -ex 'node act' -ex 'nodes'
grep -q 'in place; goto' said && fail 'these were not written into'

for line in 'print fc1' 'p/v %fc1' 'node fc1'; do
	fxdb "$mlp" -ex 'replace act = torch.relu_(fc1)' -ex run -ex "$line"
	says '%act wrote into it in place; goto act goes back to what it was'
done
fxdb "$mlp" -ex 'replace act = torch.relu_(fc1)' -ex 'goto act' \
	-ex 'set $before = fc1 + 0' -ex run -ex 'goto act' \
	-ex 'assert allclose(fc1, $before)' -ex 'print fc1' || fail 'back'
grep -q 'in place; goto' said && fail 'it is as it was'

# Of two the first: back at the second it is what the first made of it.
twice=(-ex 'replace act = torch.relu_(fc1)'
	-ex 'insert after act : twice = torch.neg_(fc1)')
fxdb "$mlp" "${twice[@]}" -ex run -ex 'print fc1'
says '%act wrote into it in place; goto act goes back to what it was'

# What is set is what the node gives, and is written into again.
fxdb "$mlp" "${twice[@]}" -ex 'run --to twice' -ex 'set value fc1 = fc1' \
	-ex 'set value twice = twice * 1'
says 'that is what %fc1 gives; %act, which wrote into it in place, does so again'
grep -q 'that is what %twice' said && fail 'nobody wrote into that'

# A copy of the graph has the bytes, not the shapes that are given in place.
fxdb "$mlp" -ex 'graph copy mlp as c' \
	-ex 'insert before fc1 : w = self.fc1.weight' \
	-ex 'insert after w : turned = %w.t_()' -ex 'run --to turned' \
	-ex 'print self.fc1.weight.shape' -ex 'graph mlp' -ex run \
	-ex 'print self.fc1.weight.shape' || fail 'the copy turned the weight'
says 'Size([4, 8])'
says 'Size([8, 4])'
exit 0
