#!/usr/bin/env bash
# nonfinite.sh - after a run with NaN or infinities in its result, the first
# node that has some is named: as it was then, whatever wrote into it since.
# Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

fxdb "$mlp" -ex run
grep -q 'non-finite' said && fail 'all is finite'

# A parameter that is finite, but wrong for what is computed with it.
bad=(-ex 'replace act = torch.log(fc1)')
fxdb "$mlp" "${bad[@]}" -ex run
says 'first non-finite: @2 act: 8 NaN of 16, produced here (all inputs finite)'
says '  first at [0,1]'
fxdb "$mlp" "${bad[@]}" -ex run -ex 'goto add' -ex 'with output json -- c'
says '"nonfinite":"act","origin":"produced","nan":8,"inf":0,"elements":16,"first":"[0,1]","from":null'

# The cause lies above: an input, a parameter.
fxdb "$mlp" -ex 'input x = torch.zeros(2, 4) / 0' -ex run
says 'first non-finite: @0 x: 8 NaN of 8, as the input was given'
fxdb "$mlp" -ex 'set value fc2.bias = $v / 0' -ex run
says 'first non-finite: @4 fc2: 8 inf of 8, propagated from fc2.bias'
fxdb "$mlp" -ex "run --to fc1" -ex 'set value act = fc1 * 0 / 0' -ex run
says 'first non-finite: @2 act: 16 NaN of 16, as it was set'

# What wrote over it does not hide it, and does not seem to have been there
# before.
fxdb "$mlp" "${bad[@]}" -ex 'insert after drop : keep = drop * 1' \
	-ex 'insert after keep : over = act.zero_()' \
	-ex 'replace add = x.sum() + keep.sum()' -ex run -ex 'print absmax(act)'
says 'first non-finite: @2 act: 8 NaN of 16, produced here (all inputs finite)'
says '$1 = 0.0'
fxdb "$mlp" -ex 'insert after fc1 : twice = torch.log_(fc1)' -ex run
says 'first non-finite: @2 twice: 8 NaN of 16, produced here'
fxdb "$mlp" -ex 'insert after fc1 : twice = torch.log_(fc1)' \
	-ex 'replace act = fc1 + 1' -ex 'insert before add : a = act - 2' -ex run
says 'first non-finite: @2 twice: 8 NaN of 16, produced here'

# Infinities of a mask are meant until they make NaN.
mask=(-ex 'replace act = torch.masked_fill(fc1, fc1 > 0, -math.inf)')
fxdb "$mlp" "${mask[@]}" -ex 'replace drop = torch.exp(act)' -ex run
grep -q 'non-finite' said && fail 'the mask is meant'
fxdb "$mlp" "${mask[@]}" -ex 'replace drop = act * 0' -ex run
says 'first non-finite: @5 drop: 8 NaN of 16, produced here, of infinities in %act'
fxdb "$mlp" "${mask[@]}" -ex 'replace fc2 = act.sum()' -ex run
grep -q 'non-finite' said && fail 'the mask is all there is'

# Values that were dropped have their summaries.
fxdb "$mlp" -ex 'set record limit 1' "${bad[@]}" -ex run
says 'first non-finite: @2 act: 8 NaN of 16, produced here'
exit 0
