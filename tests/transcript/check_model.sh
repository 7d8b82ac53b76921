#!/usr/bin/env bash
# check_model.sh - the example of checks in a CI job holds for the model it is
# for, and for broken ones ends with the exit status and the line that it says.
. "$(dirname "$0")/home.sh"
checks=$source/scripts/demo/check_model.fxdb
has_values || exit 77

# STATUS, what is said, then the program's arguments.
gives()
{
	local status=$1 text=$2
	shift 2
	fxdb "$@"
	local got=$?
	[ "$got" -eq "$status" ] || fail "status $got, not $status: $*"
	says "$text"
}

# The line of the file that TEXT stands in.
line_of() { grep -nF -- "$1" "$checks" | head -n 1 | cut -d: -f1; }

gives 0 'All checks passed.' "$mlp" -x "$checks"
grep -q '^bounded add 10$' check_model.log || fail 'not logged'
# The line that its head says.
(cd "$source" && sed -n 's/^#\tfxdb/"$FXDB"/p' "$checks") >line
[ "$(wc -l <line)" -eq 1 ] || fail 'the head shows no line'
sed -i "s| doc/| $source/doc/|; s| scripts/| $source/scripts/|" line
gives 0 'All checks passed.' -ex "shell $(cat line)"
# What was logged runs again.
gives 0 'All checks passed.' "$mlp" -x check_model.log

# Models that are broken, each in its own way.
broken()
{
	local text=$1 edit=$2
	gives 1 "$checks:$(line_of "$text"): error:" \
		"$mlp" -ex "$edit" -x "$checks"
}
broken 'expect "fc1*act*drop*fc2"' 'replace drop = torch.relu(act)'
broken 'count{users=0' 'insert after act : dead = torch.relu(act)'
broken 'Sigmoid' 'set module act = nn.Sigmoid()'
gives 1 'called at' "$mlp" -ex start -ex 'set value fc2.bias = $v * math.inf' -x "$checks"
broken 'allclose(add, $before' 'set module act = nn.GELU()'
gives 1 'assertion failed' "$mlp" -ex 'erase output' -ex 'lint' -x "$checks"

# A wrong command is 2, a model that is not there 3; --keep-going shows all
# errors and keeps the worst.
sed 's/^lint$/lnit/' "$checks" >wrong.fxdb
gives 2 "wrong.fxdb:$(grep -n "^lnit" wrong.fxdb | cut -d: -f1): error: unknown command" "$mlp" -x wrong.fxdb
gives 3 error nosuch.fxg -x "$checks"
gives 1 'All checks passed.' --keep-going "$mlp" \
	-ex 'set module act = nn.Sigmoid()' -x "$checks"
gives 2 'All checks passed.' --keep-going "$mlp" -x wrong.fxdb
exit 0
