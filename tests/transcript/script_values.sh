#!/usr/bin/env bash
# script_values.sh - a script of a session that set values gives the same values
# in a fresh one.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

cat >session.fxdb <<'END'
seed 3
input x = randn(2, 4)
goto fc2
set value drop = %act * 2 + x.mean()
set value drop = $v - 1
set value fc2.weight = $v * absmax(%act)
rename add total
goto end
set value fc1.bias = fc1.bias + total.mean()
input x = randn(2, 4) * 5
seed 4
continue
set value act = $v * 0.5
input x = randn(2, 4) - 1
continue
END
"$fxdb" -nx -batch "$mlp" -x session.fxdb -ex 'dump script -o again.fxdb' \
	-ex 'dump value total one.npy' -ex 'dump value fc1.bias bias.npy' \
	>said 2>&1 || fail 'the session'
"$fxdb" -nx -batch -x again.fxdb -ex run \
	-ex 'assert allclose(total, file("one.npy"))' \
	-ex 'assert allclose(fc1.bias, file("bias.npy"))' >said 2>&1 || {
	cat again.fxdb
	fail 'its script gives other values'
}
exit 0
