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
exit 0
