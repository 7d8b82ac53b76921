#!/usr/bin/env bash
# watch.sh - watches stop after the nodes whose results they look for, onwards
# and back in time, and say what was seen.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

log=(-ex 'replace act = torch.log(fc1)')
nan='8 NaN of 16, produced here (all inputs finite)'

# Onwards, node by node; and back to the last, and the first.
fxdb "$mlp" "${log[@]}" -ex 'watch nonfinite' -ex run -ex 'assert .-1 == act'
says 'Watch 1: nonfinite, all nodes'
says "Watch 1: nonfinite, after @2 act: $nan"
says '  first at [0,1]'
fxdb "$mlp" "${log[@]}" -ex 'watch nan' -ex run -ex c
says 'Watch 1: nan, after @3 drop: 8 NaN of 16, propagated from %act'
fxdb "$mlp" "${log[@]}" -ex 'watch nan' -ex 'goto end' -ex 'goto add' -ex rc \
	-ex rc -ex rc -ex rc
says 'Watch 1: nan, before @4 fc2: 8 NaN of 8, propagated from %drop'
says "Watch 1: nan, before @2 act: $nan"
says 'At the beginning'

# Values that are there already are looked at as one goes on.
fxdb "$mlp" "${log[@]}" -ex run -ex 'goto @0' -ex 'watch nan' -ex c \
	-ex 'with output json -- info record'
says "Watch 1: nan, after @2 act: $nan"

# What nobody meant: not a mask; what is left out; a condition.
mask=(-ex 'replace act = torch.masked_fill(fc1, fc1 > 0, -math.inf)')
fxdb "$mlp" "${mask[@]}" -ex 'replace drop = torch.exp(act)' \
	-ex 'watch nonfinite' -ex run
says 'Finished.'
fxdb "$mlp" "${log[@]}" -ex 'watch nonfinite except {name~"act"}' -ex run
says 'Watch 1: nonfinite where {not (name~"act")}'
says 'Watch 1: nonfinite, after @3 drop'
fxdb "$mlp" "${log[@]}" -ex 'watch nonfinite where {op=output}' -ex run
says 'after @6 output'
fxdb "$mlp" "${log[@]}" -ex 'watch nan if ..name == "add"' -ex run
says 'after @4 fc2'
says '  if ..name == "add"'

# Range, shape, dtype, expressions.
fxdb "$mlp" -ex 'watch range fc1 -1 1' -ex run
says 'Watch 1: range -1 1, after @1 fc1: 5 of 16 outside of -1 to 1, first'
fxdb "$mlp" -ex 'watch shape [*,8]' -ex run
says 'Watch 1: shape [*,8], after @1 fc1: f32[2, 8]'
fxdb "$mlp" -ex 'watch shape not [2,8] where {fc1:fc2}' -ex run
says 'after @4 fc2: f32[2, 4]'
fxdb "$mlp" -ex 'insert after act : d = act.double()' -ex 'watch dtype f64' \
	-ex run
says 'Watch 1: dtype f64, after @3 d: f64[2, 8]'
fxdb "$mlp" -ex 'watch expr $v.min() = 0' -ex run
says 'Watch 1: expr $v.min() = 0, after @2 act'
fxdb "$mlp" -ex 'watch expr min(.) = 0' -ex run -ex 'assert min(.-1) = 0'
says 'Watch 1: expr min(.) = 0, after @2 act'
fxdb "$mlp" -ex 'watch expr $v.foo > 1' -ex run -ex c
says 'error in the expression of watch 1, which stops for that once'
says 'Finished.'

# Bytes: what is written in place, until going back takes it back.
relu=(-ex 'insert after act : z = torch.relu_(fc1)')
fxdb "$mlp" "${relu[@]}" -ex 'watch fc1' -ex run -ex c -ex rc \
	-ex 'assert fc1.min() < 0'
says 'Watch 1: %fc1, after @3 z: 8 of 16 elements changed, first [0,1]: -0.319334 -> 0'
says 'Watch 1: %fc1, before @3 z'
fxdb "$mlp" -ex 'insert before act : w = self.fc2.bias' \
	-ex 'insert after w : zero = w.zero_()' -ex 'watch fc2.bias' -ex run
says 'Watch 1: fc2.bias, after @3 zero: 4 of 4 elements changed'

# Edits: a name that changes, a node that goes and comes back.
fxdb "$mlp" "${relu[@]}" -ex 'watch fc1' -ex 'rename fc1 first' -ex 'info b' \
	-ex run
says 'watch first'
says 'Watch 1: first, after @3 z'
fxdb "$mlp" -ex 'watch range drop -1 0' -ex 'erase drop --to act' -ex run \
	-ex undo -ex run
says 'Watch 1 is pending: drop is no longer in the graph'
says 'Finished.'
says 'Watch 1: range -1 0, after @3 drop'

# Lines that run at the stop; what runs on ends them, and not without end.
commands=(-ex 'watch range fc1 -1 1')
cat >lines.fxdb <<'END'
watch range fc1 -1 1
commands
silent
set value fc1 = fc1 * 0
continue
echo not this
end
run
END
fxdb "$mlp" -x lines.fxdb -ex 'assert absmax(fc1) == 0' || fail 'lines'
says 'Finished.'
grep -q 'not this\|Watch 1: range -1 1, after' said && fail 'silent, and on'
printf '%s\n' 'watch range fc1 -1 1' commands silent run end run >again.fxdb
fxdb "$mlp" -x again.fxdb && fail 'without end'
says 'error: the commands of breakpoint 1 led to a stop 102 times'
says '  hint: delete 1'
printf '%s\n' 'break act' commands 'quit 5' end run >leave.fxdb
fxdb "$mlp" -x leave.fxdb -ex 'echo still here'
[ $? = 5 ] || fail 'quit has its status'
printf '%s\n' 'break act' commands 'print nosuch' end run >wrong.fxdb
fxdb "$mlp" -x wrong.fxdb && fail 'an error in the lines'
says 'in the commands of breakpoint 1'

# What stands on the node behind it is hit as well, onwards and back: its lines
# run, it is counted, and a temporary one goes.
cat >both.fxdb <<'END'
watch expr 1 where {act:drop}
break fc2 if $v.max() > 1 or 1
tbreak drop
commands 2
echo two\n
end
run
continue
info breakpoints
goto end
reverse-continue
END
fxdb "$mlp" -x both.fxdb -ex 'assert ..name == "fc2"' || fail 'both'
says '  also Breakpoint 3'
says '  also Breakpoint 2'
says '  4 B  fc2'
[ "$(grep -c '^two$' said)" = 2 ] || fail 'the lines of both run'
grep -q ' 3  on, once' said && fail 'the temporary one stayed'
printf '%s\n' 'break {act:drop}' 'watch expr 1 where act' 'goto end' rc rc rc \
	'info breakpoints' >both.fxdb
fxdb "$mlp" -x both.fxdb
says '  also Breakpoint 1'

# dprintf goes on.
fxdb "$mlp" -ex 'dprintf {fc1:drop},"%-6s|%5.1f|%d %s\n",name,$v.max(),3,shape' \
	-ex run
says 'fc1   |  1.0|3 torch.Size([2, 8])'
says 'drop  |'
says 'Finished.'
fxdb "$mlp" -ex 'dprintf fc1,"%d\n",name' -ex run
says 'error in dprintf 1: printf: %d wants a number'

# Written to a file and read back; as many hits as enabled for.
fxdb "$mlp" "${log[@]}" -ex 'watch nan' \
	-ex 'enable once 1' -ex 'ignore 1 1' -ex 'break drop if 1' \
	-ex 'save breakpoints all.fxdb' -ex delete -ex 'source all.fxdb' \
	-ex 'info breakpoints' -ex run -ex c -ex c
says 'watch nan'
says 'on, ignores 1, for 1'
says 'Watch 3: nan, after @3 drop'
says 'Finished.'

# What is gone by then is pending in the file, a dprintf too; stops of a graph
# within, and of another open graph, are set there again.
fxdb "$mlp" -ex 'dprintf drop,"%s\n",name' -ex 'watch fc1.weight' -ex 'watch z -p' \
	-ex 'erase drop --to act' -ex 'break act' \
	-ex 'save breakpoints all.fxdb' -ex delete -ex 'source all.fxdb' \
	-ex 'undo' -ex 'insert before act : z = fc1.neg_()' -ex run -ex c -ex c ||
	fail 'erased'
says 'Watch 7: z, pending'
says 'Watch 7 is at @2 z'
grep -qx drop said || fail 'dprintf'
turns=$source/tests/transcript/samples/turns.py
fxdb "$mlp" -ex "load $turns as turns" -ex 'input x = ones(2)' -ex 'graph /turn' \
	-ex 'break {name~"double"} if i == 3' -ex 'watch range y -1 8' \
	-ex 'graph mlp' -ex 'break act' -ex 'save breakpoints all.fxdb' \
	-ex delete -ex 'source all.fxdb' -ex run -ex 'assert ..name == "act"' \
	-ex 'graph turns' -ex run -ex 'assert $turn == 4' -ex c \
	-ex 'assert $turn == 5' || fail 'other graphs'
says 'Breakpoint 4: i == 3'

# A node that cannot run; passes and rewrites.
fxdb "$mlp" -ex 'replace act = torch.reshape(fc1, (3, 3)) -f' \
	-ex 'catch error' -ex run
says 'Catchpoint 1: error'
fxdb "$mlp" -ex 'catch pass d*' -ex 'insert after act : dead = act + 1' \
	-ex 'pass run dce' -ex y
says 'Catchpoint 1: pass dce'

# Lines decide about candidates by their letters there, as a person does.
printf '%s\n' 'insert after act : d1 = act + 1' 'insert after d1 : d2 = d1 + 1' \
	'catch pass dce' commands silent y a end 'pass run dce' \
	'assert count{} = 7' 'info breakpoints' 'tcatch rewrite' commands 'q' end \
	'rewrite torch.relu(x) => torch.neg(x)' 'assert count{name=act} = 1' \
	'rewrite torch.relu(x) => torch.neg(x) --same' >letters.fxdb
fxdb "$mlp" -x letters.fxdb
says '1  on     catch pass dce'
says 'rewrite changed output'

# A stop behind the last node of a nested graph says where it is.
fxdb "$source/tests/transcript/samples/turns.py" -ex 'input x = ones(2)' \
	-ex 'graph /turn' -ex 'watch expr $turn == 2 where {op=output}' -ex run \
	-ex 'assert $turn == 2' -ex step -ex 'assert $turn == 3' || fail 'the end'
says '=> at the end of turn, turn 2'

# Graphs that nodes run are entered when asked for, and gone back over.
cat >loop.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2]"):
        zeros = torch.zeros((), dtype = torch.int64)
        more = self.more
        turn = self.turn
        loop = torch.ops.higher_order.while_loop(more, turn, (zeros, x), ())
        return loop
    class more(torch.nn.Module):
        def forward(self, i, y):
            lt = i < 9
            return lt
    class turn(torch.nn.Module):
        def forward(self, i, y):
            next_i = i + 1
            double = y * 2
            return (next_i, double)
END
fxdb loop.py -ex 'input x = ones(2)' -ex 'watch range -100 100' -ex run
says 'Watch 1: range -100 100, after @4 loop: 2 of 3 outside of -100 to 100'
fxdb loop.py -ex 'input x = ones(2)' -ex 'watch range -100 100 --inside' -ex run \
	-ex 'assert $turn == 7' -ex c -ex rc -ex rc -ex 'assert $turn == 7' || fail 'turn'
says 'after @3 double: 2 of 2 outside of -100 to 100, first 128 at [0]'
says 'before @3 double'
# A nested graph as a value is none that an expression is about.
fxdb "$turns" -ex 'input x = ones(2)' \
	-ex 'watch expr $v.max() > 100 where {op=get_attr}' -ex run
says 'Finished.'
grep -q 'error in' said && fail 'a graph as a value'
# What a nested graph is given is passed as it is entered, but for stops on it.
turns=(-ex "load $turns" -ex 'input x = ones(2)')
fxdb "${turns[@]}" -ex 'break turn.i if $turn == 3' -ex 'watch range turn.y -1 8' \
	-ex 'dprintf turn.y,"y %g\n",$v.max()' -ex run -ex 'assert $turn == 3' \
	-ex 'assert ..name == "i"' -ex c -ex 'assert $turn == 5' -ex c -ex step \
	-ex 'assert ..name == "double"' -ex rc -ex 'assert ..name == "y"' -ex rc \
	-ex 'assert $turn == 5' -ex rc -ex 'assert $turn == 3' -ex rc \
	-ex 'assert $turn == 0' || fail 'what opens a nested graph'
says 'Watch 2: range -1 8, after @1 y: 2 of 2 outside of -1 to 8, first 16 at [0]'
says 'Watch 2: range -1 8, before @1 y: 2 of 2 outside of -1 to 8, first 16 at [0]'
[ "$(grep -c '^y [0-9]' said)" = 6 ] || fail 'dprintf of what opens a nested graph'
# Going back, what was not kept is computed again to be looked at.
printf '%s\n' 'class GraphModule(torch.nn.Module):' \
	'    def forward(self, x: "f32[64,64]"):' \
	'        clone = torch.clone(x)' '        mul_ = torch.relu_(clone)' \
	'        y = clone + 100' '        add_ = torch.sigmoid_(clone)' \
	'        out = y * clone' '        return out' >it.py
fxdb it.py -ex 'set record limit 1K' -ex 'input x = randn(64,64)' -ex run \
	-ex 'watch clone' -ex 'watch range y 0 1' -ex rc -ex 'assert ..name == "add_"' \
	-ex rc -ex 'assert ..name == "y"' -ex rc -ex 'assert ..name == "mul_"' -ex rc \
	-ex 'assert ..name == "x"' || fail 'back over what was not kept'
says 'Watch 2: range 0 1, before @3 y: 4096 of 4096 outside of 0 to 1'
exit 0
