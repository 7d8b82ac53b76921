#!/usr/bin/env bash
# why_assert.sh - behind an assertion that failed, of a person or of the model,
# why without a word is about what was asserted.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

cat >typed.fxdb <<END
load $mlp
run
assert fc1[0,1] > 0
why
replace act = torch.log(fc1)
run
assert x.shape[0] = 2 and allclose(x, drop)
why
assert 1
why
assert absmax(drop) < 0
replace drop = act
why
END
"$fxdb" -nx -batch --keep-going -ex 'source --keep-going typed.fxdb' >said 2>&1
says '%fc1[0,1] is -0.31933373: finite; explain has its numbers, --against GRAPH'
[ "$(grep -c '^%drop\[0,1\] is NaN from %act\[0,1\]' said)" = 1 ] || fail 'of the node'
[ "$(grep -c '^%output\[0,0\] is NaN' said)" = 1 ] || fail 'none failed'
[ "$(grep -c '^%act\[0,1\] is NaN' said)" = 1 ] || fail 'its node is erased'

cat >model.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2,4]", low: "f32[4]"):
        y = x * 2
        gt = y > low
        eq = torch.eq(x, x)
        both = torch.logical_and(gt, eq)
        all_1 = both.all()
        _assert = torch._assert(all_1, 'too low')
        return y
END
fxdb model.py -ex 'input x = torch.where(arange(8).reshape(2,4) == 6, -3, ones(2,4))' \
	-ex 'input low = zeros(4)' -ex run --keep-going -ex why -ex 'why gt[0,0]'
says '%all_1 is False from %both[1,2] from %gt[1,2]'
says '  = x > y, %low[2] = 0.0 or %y[1,2] = -6.0'
says '%gt[0,0] is True: '
exit 0
