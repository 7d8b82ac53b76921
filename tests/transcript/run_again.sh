#!/usr/bin/env bash
# run_again.sh - a second run gives what the first gave, whatever lists of
# numbers its operators take: torch.tensor takes anything, x[[0, 2]] tensors.
# Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77
cat >again.py <<'END'
def forward(self, x):
    tensor = torch.tensor([1, 2, 3])
    empty = torch.tensor([], dtype = torch.float32)
    nested = torch.tensor([[1, 2], [3, 4]])
    rows = x[[0, 2]]
    both = x[(slice(None, None, None), [0, 1])]
    view = x.view([9])
    repeated = x.repeat(2, 1)
    return (tensor, empty, nested, rows, both, view, repeated)
END
fxdb -batch again.py -i x=f32[3,3] -ex run -ex run \
	-ex 'input x = ones(3, 3)' -ex run \
	-ex 'assert output[0].sum() == 6 and output[1].shape == (0,)' \
	-ex 'assert output[2].sum() == 10 and output[3].shape == (2, 3)' \
	-ex 'assert output[4].shape == (3, 2) and output[5].sum() == 9' \
	-ex 'assert output[6].shape == (6, 3) and output[6].sum() == 18' ||
	fail 'a second run'
[ "$(grep -c Finished said)" = 3 ] || fail 'three runs'
exit 0
