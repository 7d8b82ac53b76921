#!/usr/bin/env bash
# checkpoint.sh - a run that returned to a checkpoint goes on as it did before:
# values, random numbers, what is written in place, edits, inputs, values that
# were set, nested graphs and turns of loops.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77
turns=$source/tests/transcript/samples/turns.py
no() { ! grep -qF -- "$1" said || fail "said: $1"; }

# Values are the ones that were there: nothing runs.  Edits, inputs and values
# that were set since are away, and come back.
fxdb "$mlp" -ex 'break fc2' -ex run -ex 'set $fc1 = fc1' -ex continue \
	-ex 'set $out = output' -ex 'goto fc2' -ex 'checkpoint pre' \
	-ex 'insert after act : y = torch.neg(act) --splice' \
	-ex 'set value fc1 = fc1 * 0' -ex 'input x = ones(2,4)' -ex 'seed 7' \
	-ex run -ex 'checkpoint other' -ex continue -ex 'set $other = output' \
	-ex 'restart pre' \
	-ex 'assert equal(fc1, $fc1)' -ex 'assert count{} = 7' \
	-ex 'assert count{state=V} = 4' -ex continue \
	-ex 'assert equal(output, $out)' \
	-ex 'restart other' -ex 'assert count{} = 8' -ex 'assert absmax(fc1) = 0' \
	-ex continue -ex 'assert equal(output, $other)' \
	-ex 'restart 1' -ex run -ex continue -ex 'assert equal(output, $out)' \
	-ex 'info undo' || fail 'edits, inputs, set values'
says 'undo: 0, redo: 1'
no 'ran again'

# One that was not started, with an input and without.
fxdb "$mlp" -ex checkpoint -ex 'input x = ones(3,4)' -ex checkpoint -ex run \
	-ex 'restart 1' -ex 'info inputs' -ex run -ex 'restart 2' -ex run \
	-ex 'assert x.shape[0] == 3' || fail 'not started'
says 'Checkpoint 1: mlp is not started.'
says 'x was not given: using random values (seed 0)'

# What nodes draw and what they write in place.
fxdb "$mlp" -ex 'insert after fc1 : a = torch.nn.functional.dropout(fc1, 0.5, True) --splice' \
	-ex 'insert after act : b = torch.nn.functional.dropout(act, 0.5, True) --splice' \
	-ex run -ex 'set $out = output' -ex 'goto act' -ex checkpoint \
	-ex 'goto drop' -ex checkpoint -ex 'info checkpoints' \
	-ex 'seed 5' -ex run \
	-ex 'restart 1' -ex continue -ex 'assert equal(output, $out)' \
	-ex 'restart 2' -ex 'goto act' -ex continue \
	-ex 'assert equal(output, $out)' -ex run \
	-ex 'assert equal(output, $out)' || fail 'draws'
no 'ran again'
fxdb "$mlp" -ex 'insert after act : w = act.mul_(2)' \
	-ex 'insert after drop : v = drop.view(-1)' \
	-ex 'insert after v : z = v.add_(1)' \
	-ex 'insert after z : c = self.fc1.bias' \
	-ex 'insert after c : d = c.add_(1)' \
	-ex run -ex 'set $out = output' -ex 'set $c = c' \
	-ex start -ex 'goto w' -ex checkpoint -ex 'goto z' -ex checkpoint \
	-ex 'goto end' -ex checkpoint -ex 'info checkpoints' \
	-ex 'restart 1' -ex 'set $act = act' -ex continue \
	-ex 'assert equal(output, $out)' -ex 'restart 1' \
	-ex 'assert equal(act, $act)' \
	-ex 'restart 2' -ex continue -ex 'assert equal(output, $out)' \
	-ex 'restart 3' -ex 'assert equal(output, $out)' \
	-ex 'assert equal(c, $c)' || fail 'in place'
says 'nodes wrote in place: '

# Inside of graphs that nodes run.
fxdb "$turns" -ex 'input x = ones(2)' -ex 'break turn.double if $turn == 7' \
	-ex run -ex checkpoint -ex 'delete' -ex continue -ex 'set $out = output' \
	-ex 'info checkpoints' -ex 'restart 1' -ex 'assert $turn == 7' \
	-ex 'assert y.max() == 64' -ex 'step' -ex 'restart 1' \
	-ex 'assert $turn == 7' -ex 'finish' \
	-ex continue -ex 'assert equal(output, $out)' \
	-ex 'restart 1' -ex 'reverse-finish' -ex 'assert $turn == 0' \
	|| fail 'turns'
says 'turn 7, before @3 double in turn'

# Graphs of nodes that are skipped are not entered, unless something stops there.
fxdb "$turns" -ex 'input x = ones(2)' -ex start -ex 'goto loop' -ex 'skip loop' \
	-ex step -ex 'assert $turn == 0' -ex reverse-step -ex 'skip disable 1' \
	-ex 'goto loop' -ex step -ex 'assert $turn == 1' -ex reverse-finish \
	-ex 'skip enable' -ex 'break turn.double' -ex step \
	-ex 'assert $turn == 1' -ex 'info skip' || fail skip

# Beyond the record limit the values go, and are computed again.
fxdb "$mlp" -ex run -ex 'set $fc1 = fc1' -ex 'goto end' -ex checkpoint \
	-ex 'set record limit 100' -ex run -ex 'info checkpoints' \
	-ex 'restart 1' -ex 'assert equal(fc1, $fc1)' \
	|| fail 'record limit'
says 'record limit 100: the values of checkpoint 1 are not kept; restart 1 computes them again'
says 'runs again: beyond the record limit'

# Another backend, nothing recorded, read only, a node that cannot run.
fxdb "$mlp" -ex run -ex 'goto fc2' -ex checkpoint -ex 'set backend meta' \
	-ex run -ex 'restart 1' -ex 'set backend torch' -ex 'restart 1' \
	-ex 'assert count{state=V} = 4' || fail 'backend'
fxdb "$mlp" -ex 'set record values off' -ex 'start' -ex 'goto fc2' \
	-ex checkpoint -ex continue -ex 'restart 1' -ex when \
	|| fail 'record values off'
says 'record values is off: '
says 'Before @4 of 7'
fxdb "$mlp" --readonly -ex run -ex 'goto fc2' -ex checkpoint -ex run \
	-ex 'restart 1' -ex when || fail 'readonly'
says 'Before @4 of 7'

# In a script where its lines make what they stood on; else a comment says so.
# Ranges are deleted as stops are.
fxdb "$mlp" -ex 'input x = ones(2,4)' -ex 'goto act' -ex 'checkpoint pre' \
	-ex 'insert after act : y = torch.neg(act) --splice' \
	-ex 'set value fc1 = fc1 * 2' -ex 'goto fc2' -ex 'checkpoint mid' \
	-ex 'seed 3' -ex 'goto end' -ex checkpoint -ex 'print/v output' \
	-ex 'dump script -o then.fxdb' || fail script
tail -3 said | head -2 >wanted
fxdb -x then.fxdb -ex 'info checkpoints' -ex 'restart mid' -ex when -ex continue \
	-ex 'print/v output' -ex 'delete checkpoint 1-2' -ex 'info checkpoints' ||
	fail 'a script with checkpoints'
says 'Checkpoint 1 mid: before @5 fc2, t1'
says 'Checkpoint 2: at the end, t1'
says 'No checkpoints.'
while read -r line; do says "$line"; done <wanted
grep -q '^# checkpoint pre, of other' then.fxdb || fail 'a comment'

# A time that undo has forgotten: nothing has changed.
fxdb "$mlp" -ex run -ex 'goto fc2' -ex checkpoint -ex 'set undo limit 1' \
	-ex 'rename act a' -ex 'rename a b' -ex 'goto drop' -ex 'restart 1' \
	&& fail 'forgotten'
says 't0 was forgotten'
fxdb "$mlp" -ex run -ex 'goto fc2' -ex checkpoint -ex 'set undo limit 1' \
	-ex 'rename act a' -ex 'rename a b' -ex 'goto drop' --keep-going \
	-ex 'restart 1' -ex when
says 'Before @3 of 7'

# Two times of one graph, side by side.
fxdb "$mlp" -ex 'replace act = torch.neg(fc1)' -ex 'insert after fc2 : t = fc2 * 2 --splice' \
	-ex 'compare t1' && fail 'they differ'
says '1 node stands in one graph alone'
says 'first: %add'
fxdb "$mlp" -ex 'replace act = torch.neg(fc1)' -ex 'insert after fc2 : t = fc2 * 2 --splice' \
	-ex 'undo 2' -ex 'compare t0 t1' && fail 'they differ'
says 'first: %act'
says 'largest: '
fxdb "$mlp" -ex 'rename act other' -ex 'compare t0 t1' -ex 'compare t0 --dtype f64 --rtol 1e-3' \
	-ex when -ex 'diff t0 t1' && fail 'diff'
says '0 of 7 nodes parted.'
says 'Not started, 7 nodes; time t1, 1 edit'
# On the inputs of the session, though the copies of two times have other nodes.
fxdb "$mlp" -ex 'input x = 100 * torch.ones(2, 4)' -ex 'set %add.args[1] = x' \
	-ex 'compare t0' && fail 'they differ'
says 'max abs 1.2e+02 at'
fxdb "$mlp" -ex 'compare t0 t7' && fail 't7'
says 'there is no time "t7"'
fxdb "$mlp" -ex 'compare t0 t0' && fail 't0'
says 't0 and t0 are the same graph'

# A batch_norm that only looks at its running statistics writes nothing.
can_trace || exit 0
cat >norm.py <<'END'
import torch


def net():
    return torch.nn.Sequential(torch.nn.BatchNorm2d(3), torch.nn.ReLU())
END
fxdb --python "$python" -ex 'trace norm.py:net() -i input=f32[2,3,4,4]' -ex run \
	-ex 'goto %_1' -ex checkpoint -ex 'goto @0' -ex 'restart 1' ||
	fail 'in eval mode'
! grep -q 'wrote in place' said || fail 'nothing was written'
fxdb --python "$python" -ex 'trace norm.py:net() --train -i input=f32[2,3,4,4]' \
	-ex run -ex 'goto %_1' -ex checkpoint || fail 'in training'
says 'wrote in place'

# What a module of your own counts, where Python runs it.
cat >own.py <<'END'
import torch


class Own(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 0

    def forward(self, x):
        self.count += 1
        return x + self.count


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.own = Own()
        self.bn = torch.nn.BatchNorm1d(4)

    def forward(self, x):
        return self.own(self.bn(self.own(x)) + 1)
END
for backend in auto python; do
	fxdb --python "$python" -ex "set backend $backend" \
		-ex 'trace own.py:Net --train --leaf own.Own -i x=f32[2,4]' \
		-ex run -ex 'set $out = output' -ex 'goto add' -ex checkpoint \
		-ex run -ex 'restart 1' -ex 'assert $out.shape[0] == 2' \
		-ex continue -ex 'assert equal(output, $out)' \
		-ex 'restart 1' -ex 'reverse-step' -ex continue \
		-ex 'assert equal(output, $out)' || fail "in Python, $backend"
done
