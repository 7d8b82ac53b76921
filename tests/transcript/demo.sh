#!/usr/bin/env bash
# demo.sh - the demonstrations find the NaN and the weight where they were put,
# and fail when it is not mended; made-up weights are those of PyTorch's kind, and the same for
# the same seed.
. "$(dirname "$0")/home.sh"
demo=$source/scripts/demo/resnet.fxdb

fxdb -ex demo || fail 'demo does not list'
says 'demo NAME shows one of these sessions:'
says 'A NaN in resnet18'
says 'demo --open MODEL opens one of these models'
says transformer
fxdb -ex 'demo nosuch' && fail 'no such demo'
says 'demo lists what there is'
fxdb -ex 'demo ../run' && fail 'a demo elsewhere'
fxdb -ex 'demo --open nosuch' && fail 'no such model'
fxdb -ex 'demo resnet --pace soon' && fail 'no such pace'
says 'expected a time such as 1s'

has_values || exit 77

# Every command is shown as it stands, and none fails; remarks are paragraphs,
# broken anew where the terminal wants it.
shows_all()
{
	while IFS= read -r line; do
		says "(fxdb) $line"
	done < <(grep -v '^#' "$1" | grep .)
	tr -s '\n ' '  ' <said >words
	while IFS= read -r line; do
		line=$(tr -s ' ' <<<"${line#\# }")
		grep -qF -- "$line" words || fail "no remark: $line"
	done < <(grep '^# ' "$1")
}

# A value that is wrong but finite: the weight is named, and mended it is as it
# was; again in the same session.
wrong=$source/scripts/demo/wrong.fxdb
fxdb -ex 'demo wrong --pace 0' -ex 'demo wrong --pace 0' || fail "status $?"
shows_all "$wrong"
[ "$(grep -c 'norm1.weight\[5\] = -1.0, there 1.0' said)" -eq 2 ] ||
	fail 'the weight is not named'
[ "$(grep -c 'nan' said)" -eq 0 ] || fail 'a NaN'
[ "$(grep -c 'what the reference has' said)" -eq 2 ] || fail 'not mended'
grep -v '^undo' "$wrong" >unmended.fxdb
fxdb -x unmended.fxdb || fail "status $?"
grep -q 'what the reference has' said && fail 'as it should be without undo'

fxdb -ex 'demo resnet --pace 0' || fail "status $?"
shows_all "$demo"
fxdb -ex 'set width 40' -ex 'demo resnet --pace 0' || fail "status $?"
grep -qx 'All is well so far.  Now something is' said || fail 'a remark at 40'
grep -qx 'broken on purpose: one variance of a' said || fail 'its second row'
says '=>  24 ·  layer2_0_downsample_0'
says '=>  23 ·  layer2_0_bn2'
says 'running_var[17]'
says 'square root of a negative'
says 'sqrt(-1.0'
says 'nan 1000'

# It leaves nothing to ask about: its breakpoint is gone, and only that one, and
# its edits are no work that is lost; but those of the person are.
grep -qx 'delete' "$demo" && fail 'delete asks'
fxdb -ex 'demo --open mlp' -ex 'break add' -ex 'demo resnet --pace 0' \
	-ex 'info breakpoints' -ex 'info graph' || fail "status $?"
grep -q '^     1  on  .* add ' said || fail 'the breakpoint from before is gone'
grep -q '^     2  on' said && fail 'a breakpoint of the demonstration is left'
grep -q '^unsaved *no' said || fail 'it leaves edits that are not saved'
fxdb -ex 'demo resnet --pace 0' -ex 'rename fc last' -ex 'info graph'
grep -q '^unsaved *yes' said || fail 'a typed edit counts as saved'

# Its last check is one.
grep -v 'v < 0' "$demo" >unmended.fxdb
fxdb -x unmended.fxdb
[ $? -eq 1 ] || fail 'the check does not fail'
says "unmended.fxdb:$(grep -n '^assert' unmended.fxdb | cut -d: -f1): error"

# Made-up weights.
cat >script <<'END'
demo --open resnet18
weights random --seed 3
start
assert abs(conv1.weight.std() - (2 / 147) ** 0.5) < 0.01
assert allclose(bn1.running_var, ones(64))
assert absmax(bn1.running_mean) = 0
assert allclose(bn1.weight, ones(64))
assert absmax(fc.bias) = 0
set $before = conv1.weight + 0
undo
weights random --seed 3
start
assert allclose(conv1.weight, $before)
undo
weights random --seed 4
start
assert not allclose(conv1.weight, $before)
END
fxdb -x script || fail 'made-up weights'

# Without values it says at once what is missing.
fxdb -ex 'set backend meta' -ex 'demo resnet --pace 0' && fail 'no values'
says 'no values'
exit 0
