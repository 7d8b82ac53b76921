#!/usr/bin/env bash
# example.sh - trace --example: a recorded run, its values at once, what it
# decided, and the hint that leads to it.  Skipped without libtorch or the
# capture extension.
. "$(dirname "$0")/home.sh"

has_values && can_trace || exit 77
cp "$source/tests/data/trace/sizes.py" "$source/tests/data/trace/graphs.py" .
in_one_session --python "$python"
f() { kept "$@"; }

# A model that decides by data is refused, and told how to go on.
f -ex 'trace sizes.py:decided' && fail 'a decision was traced'
says 'one real run can be recorded: trace sizes.py:decided --example -i x='
f -ex 'trace sizes.py:decided -i x=f32[3,4]' && fail 'a decision was traced'
line=$(sed -n 's/.*it is traced: //p' said)
[ "$line" = 'trace sizes.py:decided -i x=f32[3,4] --example' ] ||
	fail "hint: $line"
f -ex "$line" -ex 'assert allclose(output, x - 1) or allclose(output, x + 1)' ||
	fail 'the hint, typed'

# What stands for any number of inputs is empty where it is not given.
printf 'def takes(x, *args, **kwargs):\n    return x * 2\n' >rest.py
f -ex 'trace rest.py:takes' -ex 'input x = f32[2,3]' -ex run \
	-ex 'assert allclose(output, x * 2)' \
	-ex 'assert _args == () and _kwargs == {}' || fail 'inputs left out'

# Values are there, and equal to the function's; nothing is left to run.
f -ex 'trace sizes.py:a_range --example -i x=f32[3,4]' \
	-ex 'assert output.shape == (3, 4)' -ex 'assert allclose(output, x + 3)' \
	-ex 'info trace' -ex 'reverse-step' -ex 'print x' || fail 'a_range'
says 'one real run recorded in'
says '; 1 specialisation (info trace)'
says 'for i in range(x.shape[0]):'
says 'of other sizes (x [4, 4]) the model makes another graph'

# The lines of a node are the model's, none of what called it.
f -ex 'trace sizes.py:a_range --example -i x=f32[3,4]' -ex 'goto @1' \
	-ex bt || fail 'bt'
says 'sizes.py:'
grep -q '_inputs.py' said && fail 'a line of fxdb itself'

# A size is a node, so that other inputs may come.
f -ex 'trace sizes.py:unpacked --example -i x=f32[3,4]' \
	-ex 'input x = f32[2,5]' -ex run \
	-ex 'assert output.shape == (5, 2)' || fail 'unpacked'
says 'checked on other values and sizes'

# A second run of other sizes makes sizes of numbers.
f -ex 'trace sizes.py:int_of_size --example -i x=f32[3,4] --vary x=f32[5,9]' \
	-ex 'info trace' -ex 'input x = f32[7,2]' -ex run \
	-ex 'assert output[0].shape == (15,) and output[1].shape == (2, 7)' ||
	fail 'int_of_size'
says 'checked on other values and sizes; sizes x[0] = N, x[1] = S'
grep -q specialisation said && fail 'a size is a specialisation'
f -ex 'trace sizes.py:comparison --example -i x=f32[3,4] --vary x=f32[4,4]' ||
	fail 'comparison'
says 'the graph is right for the sizes of -i only: the recordings part at neg:'
says 'x if x.shape[0] > 3 else -x", and of the other sizes its end'
f -ex 'trace sizes.py:an_int --example -i x=f32[3,4] --vary x=f32[5,4]' ||
	fail 'an_int'
says 'only: no expression of the sizes gives 4, 7, '
f -ex 'trace sizes.py:a_key --example -i x=f32[3,4] --vary x=f32[9,4]' ||
	fail 'a size that the model refuses'
says 'only: with x [9, 4] the model stops at sizes.py:72 "return x * WORDS'
says '": KeyError: 9'
f -ex 'trace sizes.py:item --example -i x=f32[3,4] --vary x=f32[3,4]' &&
	fail 'equal sizes'
says '--vary gives the sizes that -i gives'
f -ex 'trace sizes.py:item --example -i x=f32[3,4] --vary y=f32[3,4]' &&
	fail '--vary of no input'
says 'the model has no input "y"'
f -ex 'trace sizes.py:item -i x=f32[3,4] --vary x=f32[4,4]' &&
	fail '--vary without --example'
says '--vary is of a run that is recorded: --example'

# A script has what the recording needs.
f -ex 'trace sizes.py:unpacked --example -i x=f32[3,4] --vary x=f32[5,9]' \
	-ex 'dump script -o again.fxdb' || fail 'dump script'
f -x again.fxdb -ex run -ex 'assert output.shape == (4, 3)' ||
	fail 'the script, run'

f -ex 'trace sizes.py:item --example -i x=randn(3,4)' || fail 'item'
says 'on other values of the same shapes the graph gives something else'
f -ex 'trace sizes.py:item --example --no-check -i x=randn(3,4)' ||
	fail 'item without a check'
grep -q 'other values' said && fail 'it was checked'

# The same inputs for the recording and for the session, whatever they are.
f -ex 'trace sizes.py:item --example -i x=randn(3,4)' \
	-ex 'assert allclose(output, x * x.sum())' || fail 'other inputs'

# A new input is told what the graph has decided: what shapes tell at once.
f -ex 'trace sizes.py:a_range --example -i x=f32[3,4]' \
	-ex 'input x = f32[3,9]' -ex 'echo OTHER' -ex 'rename x ids' -ex 'input ids = f32[5,4]' -ex 'info trace' \
	-ex undo -ex 'info trace' ||
	fail 'another input'
sed -n '1,/OTHER/p' said | grep -q 'no longer' && fail 'a size that nobody asks'
says 'no longer holds: '
says 'was recorded with (3,), and %ids.shape[0] is 5 now'
says '1 decision of the run recorded does not hold for this input'
grep -q '(3,) *no longer holds: %ids.shape\[0\] is 5' said ||
	fail 'info trace, renamed'

# What values decide is known when it runs, where the model asked: before what
# is written in place later, and on each backend.
cat >decides.py <<'END'
import torch


def written(x):
    y = torch.zeros(1)
    y[0] = x.abs().sum()
    h = x * 2 if bool(y > 5) else x
    y.zero_()
    if x.max() > 0:
        h = h + y.item()
    return h
END
for backend in auto python; do
	f -ex 'trace decides.py:written --example -i x=ones(2,4)' \
		-ex 'info trace' -ex 'echo OTHER' -ex "set backend $backend" \
		-ex 'input x = full((2,4), 0.1)' -ex 'info trace' -ex 'echo RUN' \
		-ex run -ex 'info trace' -ex 'reverse-step' -ex 'info trace' ||
		fail "values that decide, $backend"
	sed -n '1,/OTHER/p' said >first
	[ "$(grep -c ' holds$' first)" = 3 ] || fail 'not all hold at first'
	sed -n '/OTHER/,/RUN/p' said >second
	[ "$(grep -c 'not known yet$' second)" = 3 ] || fail 'known before a run'
	says '3 decisions by values: the run says whether they hold'
	sed -n '/RUN/,$p' said >third
	grep -q 'decides.py:7 "h = x \* 2 if bool(y > 5) else x" was recorded with bool(%gt) = True, which is False now' third ||
		fail 'a decision that came out otherwise'
	[ "$(grep -c 'was recorded with' third)" = 1 ] || fail 'said of others'
	[ "$(grep -c ' holds$' third)" = 4 ] || fail 'those that hold'
	[ "$(grep -c 'True *no longer holds: bool(%gt) is False' third)" = 2 ] ||
		fail 'the one that does not'
done
f -ex 'trace decides.py:written --example -i x=ones(2,4)' \
	-ex 'input x = full((2,4), 0.1)' -ex 'with backend meta -- run' \
	-ex 'info trace' || fail 'shapes alone'
grep -q 'was recorded with' said && fail 'shapes told a value'

# A copy, and what was saved and loaded, know what was decided, by the names of
# now; what a file says there is evaluated only where a recording writes it so.
kept_decisions()
{
	grep -q 'decides.py:7  *h = x \* 2 if bool(y > 5) else x  *True' said ||
		fail "$1: no list"
	sed -n '/OTHER/,/RUN/p' said | grep -q 'no longer holds: .*decides.py:11 .* and %ids.shape\[0\] > 1 is False now' ||
		fail "$1: a size that decides"
	sed -n '/RUN/,$p' said >third
	grep -q 'True *no longer holds: bool(%gt) is False' third ||
		fail "$1: a value that decides"
	grep -q 'decides.py:7 .* was recorded with bool(%gt) = True, which is False now' third ||
		fail "$1: nothing said while it ran"
	[ "$(grep -c ' holds$' third)" = 2 ] || fail "$1: those that hold"
}
sed -i 's/^    return h$/    return h + x.shape[0] if x.shape[0] > 1 else h/' decides.py
other='input ids = full((1,4), 0.1)'
f -ex 'trace decides.py:written --example -i x=ones(2,4)' -ex 'rename x ids' \
	-ex 'save decides.fxg' -ex 'graph copy written as two' \
	-ex 'info trace' -ex 'echo OTHER' -ex "$other" -ex 'echo RUN' -ex run \
	-ex 'info trace' || fail 'a copy'
kept_decisions 'a copy'
f -ex 'load decides.fxg' -ex 'info trace' -ex 'save again.fxg' \
	-ex 'load again.fxg' -ex 'echo OTHER' -ex "$other" -ex 'echo RUN' \
	-ex run -ex 'info trace' || fail 'a file'
kept_decisions 'a file'
grep -q 'not known yet' said || fail 'a file knows values'
# The digests of version 1 are not compared.
sed -e 's/"fxg":2/"fxg":1/' -e "s/bool(%gt)/len(file('x'))/" \
	-e 's/%ids.shape\[0\] > 1/torch.ones(9).sum() > 1/' decides.fxg >forged.fxg
f -ex 'load forged.fxg' -ex "$other" -ex run -ex 'info trace' || fail 'a forged file'
says 'on this input 2 decisions (info trace) may be another'
grep -q 'decides.py:\(7\|11\) .* \(holds\|now\)' said && fail 'it was evaluated'

# Objects: the tensors in them are inputs, the rest is fixed and listed.
cp "$source/tests/data/trace/held.py" .
f -ex 'trace held.py:Takes() --example -i batch=batch() -i y=f32[2] --vary batch=batch(7)' \
	-ex 'info trace' -ex 'dump script -o objects.fxdb' \
	-ex 'input batch_1 = randn(5,4)' -ex 'input batch_2 = randn(5,1)' \
	-ex 'input batch_3 = randn(5,1)' -ex 'input y = randn(2)' -ex run \
	-ex 'assert allclose(output, (batch_1 @ fc.weight.t() + fc.bias) * 2 + batch_2 + batch_3 + y.mean())' ||
	fail 'a dataclass'
says 'checked on other values and sizes; sizes batch_1[0] = K, batch_2[0] = K'
says 'the input batch  is fixed  Batch, but for 3 tensors'
f -x objects.fxdb -ex run -ex 'assert allclose(batch_2, 0.5)' \
	-ex 'assert batch_1.sum() == 12' || fail 'the script of objects'
f -ex 'trace held.py:Remembers() --example -i x=f32[3,4] -i past=memory()' \
	-ex 'save remembers.fxg' \
	-ex "assert output[0].shape == (3, 6)" \
	-ex "assert allclose(output[1]['layers'][0][:,:2], past_1)" ||
	fail 'a cache'
f -ex 'load remembers.fxg' -ex 'input x = f32[3,4]' \
	-ex 'input past_1 = example.past_1' -ex run \
	-ex 'assert past_1.sum() == 15' || fail 'its tensors, saved'
f -ex 'trace held.py:Remembers() --example -i x=f32[3,4] -i past=Memory()' \
	-ex 'assert output[0].shape == (3, 4)' || fail 'an empty cache'
says 'checked on other values and sizes; 1 specialisation'
f -ex 'trace held.py:Any() --example -i x=f32[3] -i *rest=(randn(3),randn(3)) -i a=f32[3] -i scale=2.0' \
	-ex 'assert allclose(output, (x + rest_1 + 2 * rest_2) * a * 2)' ||
	fail 'any number of inputs'
f -ex 'trace held.py:Any() --example -i x=f32[3] -i **named={"b":randn(3)}' \
	-ex 'assert allclose(output, x * named_1)' || fail 'any names'
f -ex 'trace held.py:Any() --example -i x=f32[3] -i *rest=3' && fail 'a number'
says '*rest stands for any number of inputs, and 3 is no tuple'
f -ex 'trace held.py:picks --example -i x=f32[3,4] -i pair=pair() -i flag=True' \
	-ex 'assert allclose(output, x + pair_1)' || fail 'a pair'
f -ex 'trace held.py:picks --example -i x=f32[3,4] -i pair=pair' &&
	fail 'a function for a pair'
says 'TypeError: cannot unpack non-iterable function object'

# A model on meta: structure, shapes and sizes, no values.
cp "$source/tests/data/trace/on_meta.py" .
f -ex 'trace on_meta.py:Net() --example -i ids=i64[2,3]' -ex nodes \
	-ex 'info trace' -ex 'input ids = i64[2,2]' -ex 'trace on_meta.py:Net() --example -i ids=i64[2,3] --vary ids=i64[5,4]' \
	-ex 'save on_meta.fxg' -ex 'load on_meta.fxg' -ex nodes || fail 'on meta'
says 'running on meta: shapes only; '
says 'sizes ids[0] = N, ids[1] = S'
says '%ids.shape[1] > 2 is False now'
[ "$(grep -c 'M  *embedding  *call_module  *embedding  *f32\[2,3,65536\]' said)" = 1 ] ||
	fail 'no shapes on meta'
[ "$(grep -c 'relu  *call_function  *torch.relu  *f32\[2,3,8\]' said)" = 2 ] ||
	fail 'shapes on meta, saved'
grep -q 'checked' said && fail 'values were checked on meta'
f -ex 'trace on_meta.py:Asks() --example -i ids=i64[2,3]' &&
	fail 'a value on meta'
says 'on_meta.py:22 in forward: return h if h.sum() > 0 else -h'

# What the model prints is said once, though it is checked.
printf 'def loud(x):\n    print("once")\n    return x * 2\n' >loud.py
f -ex 'trace loud.py:loud --example -i x=f32[3,4]' || fail 'loud'
[ "$(grep -c once said)" = 1 ] || fail 'the check printed too'

# Wrong inputs.
f -ex 'trace sizes.py:item --example' && fail 'no input'
says 'a run needs the input x'
f -ex 'trace sizes.py:item --example -i y=f32[3]' && fail 'input y'
says 'the model has no input "y"'
f -ex 'trace sizes.py:item --example -i x' && fail 'input without ='
says '-i takes NAME=SPEC'
f -ex 'trace sizes.py:item --example -i f32[3]' && fail 'input without a name'
says 'hint: -i x=f32[3]'
f -ex 'trace sizes.py:item --example --concrete x=1' && fail '--concrete'
says '--concrete fixes an input of a trace'
f -ex 'trace sizes.py:item --example -i x=randn(' && fail 'input of no sense'
says 'the input x = randn('
f -ex 'trace sizes.py:a_key --example -i x=f32[9,4]' && fail 'a model that raises'
says 'KeyError: 9'
grep -q hint said && fail 'a hint about tracing'

# What is a graph already opens as it stands: names, shapes and values.
for made in module graph ours; do
	f -ex "trace graphs.py:$made()" -ex 'nodes' \
		-ex 'input x = ones(2, 4)' -ex run \
		-ex 'assert allclose(output, relu(projection) + 1)' ||
		fail "graphs.py:$made"
	says 'opened as it stands in'
	grep -q 'projection .*fc  *f32\[2,4\]' said || fail 'no shape before a run'
done
f -ex 'trace graphs.py:drops()' -ex 'input input = ones(2, 50)' -ex run \
	-ex 'assert output.sum() == 100' || fail 'a graph in eval mode'
f -ex 'trace graphs.py:drops() --train' -ex 'input input = ones(2, 50)' \
	-ex run -ex 'assert output.sum() != 100' || fail 'a graph in train mode'
says 'train mode)'
f -ex 'trace graphs.py:graph() --leaf Net' && fail 'a graph was traced'
says 'a graph is opened as it stands'
f -ex 'trace graphs.py:module() --leaf Net' || fail 'a GraphModule with --leaf'
says 'traced in'

# torch.export makes the graph, in a torch that has it.
f -ex 'trace sizes.py:unpacked --export --example -i x=f32[3,4]' &&
	fail '--export with --example'
says '--example is of another way'
if "$python" -c 'import torch.export' 2>/dev/null; then
	f -ex 'trace sizes.py:unpacked --export -i x=f32[N,4]' \
		-ex 'dump script -o FILE' -ex 'input x = f32[2,4]' -ex run \
		-ex 'assert output[0].shape == (4, 2)' || fail '--export'
	says 'sizes x[0] = s'
	grep -q -- '--export -i x=f32\[N,4\]' FILE || fail 'the script of it'
else
	f -ex 'trace sizes.py:unpacked --export -i x=f32[N,4]' &&
		fail 'exported without torch.export'
	says 'torch.export is of torch 2'
fi

# A model that computes gradients in its forward is told what to do, which works.
cp "$source/tests/data/trace/learns.py" .
for of in Net Whole; do
	f -ex "trace learns.py:$of --example -i x=f32[4,3]" && fail 'it learns'
	says 'error: gradients are computed here, and a recording has none'
	says 'in forward: loss.backward()'
done
f -ex 'trace learns.py:Net().fc --example -i input=f32[4,3]' || fail 'a part'
f -ex 'trace learns.py:Whole --leaf Net --example -i x=f32[4,3]' -ex run \
	-ex 'set $was = output' -ex run -ex 'assert allclose(output, $was, 0, 0)' ||
	fail 'a submodule that learns'

# Where the same calls give other values, the first node that does is named.
cp "$source/tests/data/trace/differs.py" .
f -ex 'trace differs.py:behind --example -i x=f32[3,4]'
says 'the values part at sin, differs.py:9 "return torch.sin(z) * y": off by '

# Inputs that the model's own file gives: a trace holds them, as a recording does,
# and a script has them.
cp "$source/tests/data/trace/gives.py" .
for how in '' ' --partial' ' --example'; do
	f -ex "trace gives.py:Net$how -i x=given(3)+1" -ex run \
		-ex 'assert x.shape == (3, 4) and x[2, 3] = 12' -ex 'dump script -o s' ||
		fail "given$how"
	f -x s -ex run -ex 'assert x[2, 3] = 12' || fail "the script$how"
done
f -ex 'trace gives.py:Net -i x=noise()' -ex start -ex 'set $was = x' \
	-ex 'trace gives.py:Net' -ex 'input x = randn(2,4)' -ex start -ex 'assert allclose(x, $was, 0, 0)' || fail 'seed'
f -ex 'trace gives.py:function -i x=given()' -ex run \
	-ex 'assert output[1, 3] = 8' || fail 'a function'
f -ex 'trace gives.py:Pair -i pair=pair() -i scale=3' -ex run \
	-ex 'assert output[0, 0] = 5' \
	-ex 'rewrite a + b => torch.add(a, b)' || fail 'a pair'
says 'verified on 3 inputs'
f -ex 'trace gives.py:Net -i x=raises()' && fail 'it raises'
says 'error: the input x = raises(): ValueError: no input'
f -ex 'trace gives.py:Net -i x=Config()' && fail 'no tensor'
says 'the input x = Config() is a Config, which only a run takes'
f -ex 'trace gives.py:Net' -ex 'input x = given()' && fail 'it is too late'
says 'hint: what the model'"'"'s file has is given when it is traced: trace gives.py:Net -i NAME=given()'
exit 0
