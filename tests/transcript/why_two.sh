#!/usr/bin/env bash
# why_two.sh - of two faults in one graph the one that came first is named
# first, also where the output shows the other alone.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

early=(-ex 'replace act = torch.sqrt(0 - fc1 * fc1 - 1)'
	-ex 'replace drop = torch.where(act > 0, act, fc1)')

# One alone.
fxdb "$mlp" "${early[@]}" -ex run -ex 'why nan'
says ': square root of a negative number'
says '  The output does not show it.'
grep -q 'apart' said && fail 'there is one fault'

# Both, and each where it is.
fxdb "$mlp" "${early[@]}" -ex 'replace add = torch.log(0 - fc2 * fc2 - 1)' \
	-ex run -ex 'why nan'
says '%act[0,0] is NaN'
says 'square root of a negative number'
says 'And apart from that:'
says '%output[0,0] is NaN from %add[0,0]'
says 'logarithm of a negative number'
[ "$(grep -n 'square root' said | cut -d: -f1)" -lt \
	"$(grep -n logarithm said | cut -d: -f1)" ] || fail 'the earlier is first'

# What follows from the first is no second one.
fxdb "$mlp" -ex 'replace act = torch.sqrt(0 - fc1 * fc1 - 1)' -ex run \
	-ex 'why nan'
grep -q 'apart' said && fail 'one follows from the other'

# A parameter that is infinite is found, and a mask is not.
fxdb "$mlp" -ex 'replace act = torch.masked_fill(fc1, fc1 > 0, -math.inf)' \
	-ex 'replace drop = torch.exp(act)' -ex run -ex 'why inf'
says 'is infinite, but for constants'
exit 0
