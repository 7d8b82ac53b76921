#!/usr/bin/env bash
# set_value_draws.sh - a node whose value is set draws all the same, in nested
# graphs and for compare and why too: what others draw stays.  Skipped without
# libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

cat >nest.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[4]"):
        first = torch.randn_like(x)
        sub = self.sub(x)
        drop = torch.nn.functional.dropout(x, 0.5, True)
        sub_1 = self.sub(drop)
        last = torch.rand_like(x)
        add = sub + sub_1
        add_1 = add + last
        return add_1
    class sub(torch.nn.Module):
        def forward(self, y):
            noise = torch.randn_like(y)
            mask = torch.nn.functional.dropout(y, 0.5, True)
            more = torch.rand_like(y)
            add = noise + mask
            add_1 = add + more
            return add_1
END

run()
{
	fxdb nest.py -ex 'input x = ones(4)' -ex run "$@"
}
run -ex 'dump value {not op=output} plain.npz' || fail plain

# A call of a nested graph, as one node.
run -ex 'set value sub = ones(4)' -ex run -ex 'assert sub.sum() == 4' \
	-ex 'assert torch.equal(drop, file("plain.npz", "drop"))' \
	-ex 'assert torch.equal(sub_1, file("plain.npz", "sub_1"))' \
	-ex 'assert torch.equal(last, file("plain.npz", "last"))' || fail 'a call'
run -ex 'set value sub = ones(4)' -ex continue -ex 'compare . plain.npz' &&
	fail 'not compared'
says '3 of 8 nodes parted'

# A node inside, in the run and where the graph runs as one node again.
inside=(-ex 'break sub.noise' -ex run -ex 'set value noise = ones(4)' -ex delete)
run "${inside[@]}" -ex next -ex next -ex 'print mask' -ex continue \
	-ex 'assert torch.equal(drop, file("plain.npz", "drop"))' \
	-ex 'assert torch.equal(last, file("plain.npz", "last"))' \
	-ex run -ex 'assert torch.equal(drop, file("plain.npz", "drop"))' \
	-ex 'assert torch.equal(last, file("plain.npz", "last"))' || fail inside
run "${inside[@]}" -ex continue -ex 'compare . plain.npz' && fail 'not compared'
says '4 of 8 nodes parted'

# Back over it, and without it again.
run -ex 'set value drop = ones(4)' -ex 'goto first' -ex continue \
	-ex 'assert torch.equal(last, file("plain.npz", "last"))' \
	-ex 'unset value drop' -ex continue \
	-ex 'assert torch.equal(add_1, file("plain.npz", "add_1"))' || fail back

# Beside the same graph without it, only what depends on it parts.
run -ex 'graph copy nest as base' -ex 'graph nest' -ex run \
	-ex 'set value sub = ones(4)' -ex continue -ex 'compare . base' &&
	fail 'the same'
says '4 of 9 nodes parted'
run -ex 'graph copy nest as base' -ex 'graph nest' -ex run \
	-ex 'set value sub = ones(4)' -ex continue \
	-ex 'why last --against base' -ex 'why add_1 --against base' || fail why
says 'what the reference has'
says ' from %sub['
exit 0
