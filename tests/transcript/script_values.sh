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

# Elements: those and no others, of a parameter [8,4] and of a result [2,8].
elements() {
	"$fxdb" -nx -batch "$mlp" -ex run -ex 'set $w = clone(fc1.weight)' \
		-ex "set value fc1.weight[$1] = 7" \
		-ex "assert min(fc1.weight[$1]) = 7" \
		-ex "assert (fc1.weight != \$w).sum() = $2" \
		-ex "set value fc1.weight[$1] = \$v * 2" \
		-ex "assert min(fc1.weight[$1]) = 14" -ex 'undo 2' \
		-ex 'assert equal(fc1.weight, $w)' >said 2>&1 || fail "[$1]"
}
elements 3 4
elements -1,0 1
elements ':,2' 8
elements 1:3 8
elements '1:7:2, -1' 3
elements '2:, :2' 12
elements ':' 32
cat >elements.fxdb <<'END'
input x = ones(2, 4)
run
set value fc1[0, -1] = 1e9
set value fc2.weight[1, 2:4] = torch.tensor([3.0, -4.0])
run
END
"$fxdb" -nx -batch "$mlp" -x elements.fxdb -ex 'dump script -o again.fxdb' \
	-ex 'dump value add one.npy' >said 2>&1 || fail 'elements'
"$fxdb" -nx -batch -x again.fxdb -ex run -ex 'assert fc1[0, 7] = 1e9' \
	-ex 'assert fc2.weight[1, 3] = -4' \
	-ex 'assert allclose(add, file("one.npy"))' >said 2>&1 ||
	fail 'a script of elements'
# As many as are read, and more.
for index in 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0; do
	! "$fxdb" -nx -batch "$mlp" -ex "set value fc1.weight[$index] = 1" \
		>said 2>&1 || fail "[$index]"
	grep -q '^error: ' said || fail "[$index]"
done
! "$fxdb" -nx -batch "$mlp" -ex 'set value act[0] = 1' >said 2>&1 || fail 'none'
grep -q '%act has no value yet, of which \[0\] could be another' said || fail 'no value'
exit 0
