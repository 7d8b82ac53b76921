#!/usr/bin/env bash
# bounds.sh - an operator that lays a tensor over memory as it is told cannot
# reach beyond its storage, on libtorch and in Python.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

# A graph that somebody sent: SIZES and STRIDES over x, which is f32[2, 4].
over()
{
	cat >g.py <<END
def forward(self, x):
    laid = torch.ops.aten.$1(x, $2, $3)
    total = torch.ops.aten.sum.default(laid)
    return total
END
	fxdb -ex 'load g.py' -ex 'input x = f32[2,4]' -ex run -ex 'print total'
}
for name in _reshape_alias _reshape_alias_copy; do
	for laid in '[1000000000] [1]' '[9] [1]' '[3] [4]' \
		'[2,2] [4611686018427387904,1]' \
		'[2,2,2] [9223372036854775807,9223372036854775807,9]' \
		'[4,4,4,4] [1,1,1,1]'; do
		over $name $laid
		says 'does not lie in its storage of 32 bytes'
	done
	for laid in '[8] [1]' '[3,4] [2,1]' '[2] [7]' '[0,9] [9,9]'; do
		over $name $laid || fail "$name $laid is all right"
	done
done

# Any sizes and strides: refused, or of the eight elements; what reads others
# a sanitizer tells.
awk 'BEGIN {
	srand(13)
	for (i = 0; i < 400; i++) {
		rank = 1 + int(rand() * 4); sizes = strides = ""; last = 0; none = 0
		for (d = 0; d < rank; d++) {
			size = int(rand() * 5)
			stride = rand() < 0.1 ? 2 ^ int(rand() * 52) : int(rand() * 4)
			none = none || !size
			last += (size - 1) * stride
			sizes = sizes (d ? "," : "") size
			strides = strides (d ? "," : "") sprintf("%d", stride)
		}
		printf "print torch.ops.aten.%s(x, [%s], [%s]).sum()\n",
			i % 2 ? "_reshape_alias" : "_reshape_alias_copy",
			sizes, strides > "commands"
		print none || last < 8 ? "fits" : "refused" > "expected"
	}
}'
"$fxdb" -nx -batch --keep-going -ex "load $mlp" -ex 'input x = f32[2,4]' \
	-ex run -x commands 2>&1 | sed -n 's/^\$[0-9].*/fits/p
	s/.*error: .*does not lie in its storage.*/refused/p' >said
diff expected said >different || { cp different said; fail 'random ones'; }

# What is refused leaves the session and its values alone.
fxdb "$mlp" -ex run -ex 'set $before = fc1 + 0' --keep-going \
	-ex 'print torch.ops.aten._reshape_alias(fc1, [4096], [1])' \
	-ex 'print torch.as_strided(fc1, (4096,), (1,))' \
	-ex 'assert allclose(fc1, $before)' -ex 'print fc1.shape'
says 'Size([2, 8])'
grep -q 'check failed\|assertion' said && fail 'a value changed'

can_trace || exit 0
cat >m.py <<'END'
import torch
def f(x):
    return torch.ops.aten._reshape_alias(x, [1000000000], [1]).sum()
END
fxdb --python "$python" -ex 'trace m.py:f -i x=f32[2,4]' \
	-ex 'set backend python' -ex run
says 'does not lie in its storage of 32 bytes'
exit 0
