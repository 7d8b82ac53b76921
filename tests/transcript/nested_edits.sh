#!/usr/bin/env bash
# nested_edits.sh - graphs within a graph are edited while the model runs, from
# inside and from outside; the file, the script and a session that died have the
# edits.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

turns=$source/tests/transcript/samples/turns.py
run() { fxdb "$turns" -ex 'input x = ones(2)' "$@"; }
say() { grep -qE -- "$1" said || fail "not said: $1"; }

# x * 512, then twice the branch yes: -512, 512.
run -ex run -ex 'assert output.max() == 512' -ex 'graph /yes' \
	-ex 'insert after neg : less = neg - 1 --splice' -ex 'graph /' \
	-ex 'assert output.max() == 512' && fail 'a value of before the edit'
says 'now before @10'
run -ex run -ex 'graph /yes' -ex 'insert after neg : less = neg - 1 --splice' \
	-ex continue -ex 'assert cond.max() == -513' \
	-ex 'assert output.max() == 512' -ex undo -ex continue \
	-ex 'assert cond.max() == -512' -ex redo -ex continue \
	-ex 'assert cond.max() == -513' -ex 'goto t0' -ex continue \
	-ex 'assert cond.max() == -512' || fail 'from outside'
say '^yes is run by %cond and %again'

# Inside: what stands above the edit keeps its value, at the first call.
run -ex 'break yes.neg' -ex run -ex 'step' -ex 'delete 1' \
	-ex 'insert after neg : less = neg - 1 --splice' -ex 'nodes neg' \
	-ex 'assert neg.max() == -512' -ex finish -ex 'assert cond.max() == -513' \
	-ex continue -ex 'assert output.max() == 512' || fail 'from inside'
say '^ +1 +V +neg'
run -ex 'break yes.neg' -ex run -ex step -ex 'rename neg minus' \
	-ex 'assert minus.max() == -512' -ex finish || fail 'renamed inside'
# The second call, and a later turn: what the first gave is other now.
run -ex 'break yes.neg' -ex run -ex continue \
	-ex 'insert after neg : less = neg - 1 --splice' -ex when -ex 'delete 1' \
	-ex continue -ex 'assert output.max() == 512' || fail 'at the second call'
says 'execution left the nested graph: now before @10'
run -ex 'break turn.double if $turn == 4' -ex run \
	-ex 'replace double = y * 1' -ex 'delete 1' -ex continue \
	-ex 'assert y.max() == 1' || fail 'in a later turn'
says 'execution left the nested graph: now before @4'
run -ex 'break turn.double if $turn == 4' -ex run -ex up -ex 'graph /turn' \
	-ex 'print double' && fail 'no value yet'
run -ex 'break turn.double if $turn == 4' -ex run -ex 'graph /turn' \
	-ex 'assert next_i == 4' -ex 'graph /yes' -ex 'print neg' &&
	fail 'does not stand there'

# A breakpoint follows, an edit that only moves or names runs nothing again.
run -ex 'break yes.neg' -ex 'graph /yes' -ex 'rename neg minus' \
	-ex 'info breakpoints' -ex run -ex 'erase minus --to y' \
	-ex 'info breakpoints' -ex undo -ex continue -ex 'info breakpoints' ||
	fail 'breakpoints'
say '^ +1 +on +yes.minus'
say 'Breakpoint 1.*pending|pending'

# The branch that does not run is verified too, and a pass is stepped in it.
run -ex 'graph /no' -ex 'insert after exp : a = y + 1' \
	-ex 'insert after a : b = y + 1' -ex 'insert after b : c = exp + (a - b)' \
	-ex 'rauw exp c only output' \
	-ex 'pass run cse' -ex undo -ex 'rewrite --same exp(x) => torch.relu(x)' &&
	fail 'a rewrite that changes the branch'
say '^verified on 3 inputs'
says 'refused: rewrite changed output'
printf '%s\n' 'graph /no' 'insert after exp : a = y + 1' 'pass run dce -s' \
	'graph /' nodes y 'graph /no' nodes 'dump script' >stepped.fxdb
run -x stepped.fxdb || fail 'stepped'
say '^graph /no$'
say '^pass run dce'
grep -q ' a ' said && ! grep -q 'erase %a' said && fail 'not erased'

# An edit that is tried, refused or aborted leaves all as it was.
run -ex 'info graph' -ex 'graph /turn' -ex 'insert after double : m = double + 1 --splice -n' \
	-ex begin -ex 'insert after double : m = double + 1 --splice' \
	-ex 'graph /more' -ex 'replace lt = i < 2' -ex abort -ex 'graph /' \
	-ex 'info graph' -ex run -ex 'assert output.max() == 512' || fail 'aborted'
[ "$(grep -c "$(grep -m1 '^hash' said)" said)" = 2 ] || fail 'another hash'
fxdb --readonly "$turns" -ex 'graph /yes' -ex 'rename neg minus' && fail 'readonly'
says 'read-only session'
run -ex 'graph /more' -ex 'insert input z=f32[2]' && fail 'one more input'

# Kept: in the file, in a copy, by the script, and when the session dies.
run -ex 'graph /turn' -ex 'replace double = y * 3' -ex 'graph /' -ex begin \
	-ex 'graph /yes' -ex 'insert after neg : s = nn.Linear(2, 2)(neg) --splice' \
	-ex 'graph /' -ex 'insert after again : t = again * 2 --splice' -ex commit \
	-ex run -ex 'dump value output want.npy' -ex 'dump script -o all.fxdb' \
	-ex 'save kept.fxg' -ex 'graph copy turns as other' -ex 'diff turns other' \
	-ex 'input x = ones(2)' -ex run \
	-ex 'assert allclose(output, file("want.npy"), 1e-6, 1e-6)' || fail 'copied'
for again in "-x all.fxdb" "kept.fxg"; do
	# shellcheck disable=SC2086
	fxdb $again -ex 'input x = ones(2)' -ex run \
		-ex 'assert allclose(output, file("want.npy"), 1e-6, 1e-6)' ||
		fail "$again"
done
# A module is a line of its own in a script, so the second one is the steady one.
fxdb -x all.fxdb -ex 'dump script -o twice.fxdb' || fail 'the script again'
fxdb -x twice.fxdb -ex 'dump script -o thrice.fxdb' || fail 'the second script'
cmp twice.fxdb thrice.fxdb || fail 'another script'

"$fxdb" -nx -batch --json "$turns" -ex graph >said 2>&1
says '"nested":[{"current":'
says '"path":"/yes","nodes":3,"callers":"cond, again"}'

# What is said of the whole is told apart from the graph where one is; / leaves
# it also where execution stands within.
run -ex run -ex 'graph /yes' -ex 'set verify on' \
	-ex 'insert after neg : less = neg * 2 --splice' -ex 'verify t0' &&
	fail 'they differ'
say 'they differ: max rel [0-9.e+-]* at %[a-z0-9_]* of turns'
run -ex 'break yes.neg' -ex run -ex 'graph /' -ex 'nodes {x, cond}' || fail /
say '^ +[0-9]+ +· +cond '

# reduce takes the graph that fails out of its call; bisect names the edit inside.
fxdb "$mlp" -ex 'weights random' -ex 'outline {fc1,act,drop} as first' \
	-ex 'graph /first' -ex 'replace act = torch.sqrt(fc1)' -ex run \
	-ex 'reduce' -ex nodes || fail reduce
says '%first makes NaN (in it, %act does)'
says 'mlp_reduced: 3 nodes'
fxdb "$mlp" -ex 'weights random' -ex 'outline {fc1,act,drop} as first' \
	-ex 'graph /first' -ex 'insert after act : more = act * 1 --splice' \
	-ex 'replace drop = more * 2' -ex 'rename more same' -ex bisect
says 't3: replace drop = more * 2'

# Breakpoints inside are saved by their path, which what reads them has not entered.
fxdb "$mlp" -ex 'outline {fc1,act,drop} as first' -ex 'break first.act' \
	-ex 'graph /first' -ex 'break drop' -ex 'save breakpoints b.fxdb' \
	-ex 'delete 1 2' -ex 'graph /' -ex 'source b.fxdb' -ex run \
	-ex continue || fail 'breakpoints saved'
[ "$(cat b.fxdb)" = $'break %first.act -p\nbreak %first.drop -p' ] || fail b.fxdb
says 'Breakpoint 4'

# A pass of Python made there, and a wrong one refused.
can_trace || exit 0
cat >passes.py <<'END'
import torch
def put(gm, function):
    for n in gm.graph.nodes:
        if n.op == "call_module" and n.name == "act":
            with gm.graph.inserting_after(n):
                new = gm.graph.call_function(function, (n.args[0],))
            n.replace_all_uses_with(new)
            gm.graph.erase_node(n)
    return gm
def right(gm):
    return put(gm, torch.relu)
def wrong(gm):
    return put(gm, torch.tanh)
END
inside() { fxdb --python "$python" "$mlp" -ex 'weights random' \
	-ex 'outline {fc1,act,drop} as first' "$@"; }
inside -ex 'break first.drop' -ex run -ex 'pass run python:passes.py:right' \
	-ex 'nodes relu' -ex 'dump script' -ex continue -ex undo \
	-ex 'nodes act' || fail 'a pass of Python inside'
says 'verified on 3 inputs in f64: bit for bit'
say '^pass run python:passes.py:right'
inside -ex 'graph /first' -ex 'pass run python:passes.py:wrong' &&
	fail 'a wrong pass of Python inside'
says 'python:passes.py:wrong changed output'
