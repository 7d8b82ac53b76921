#!/usr/bin/env bash
# live.sh - what a person sees of values that libtorch computes: what the
# transcripts, which have shapes only, cannot show.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

# shows FACT TEXT COMMAND...: what the commands say on mlp has TEXT (a basic
# regular expression); !TEXT: has not.
shows() {
	local fact=$1 text=$2 said command
	local options=()
	shift 2
	for command; do
		options+=(-ex "$command")
	done
	said=$("$fxdb" -nx --python "$python" -batch --keep-going "$mlp" "${options[@]}" 2>&1)
	if [ "${text#!}" = "$text" ]; then
		printf '%s\n' "$said" | grep -q -e "$text" && return
	else
		printf '%s\n' "$said" | grep -q -e "${text#!}" || return
	fi
	echo "FAIL: $fact: not \"$text\" in"
	printf '%s\n' "$said" | sed 's/^/  /'
	failures=$((failures + 1))
}

shows 'a value set to a number leaves no trace' 'torch.Size(\[2, 8\])' \
	start n 'set value fc1 = 3' n 'unset value fc1' 'n 2' 'p act.shape'
shows 'an input of another precision is told how to fit' \
	'hint: input x = (...).to(torch.float32)' \
	'input x = zeros(2, 4).double()' run
shows 'an input of another shape is not' '!hint: input x' \
	'input x = zeros(2, 5)' run
shows 'shapes only looks: what was there runs' \
	'^x runs as f32\[2,4\]: shapes only looks' 'shapes x=f32[N,4]' run
shows 'also what was given' '^Finished. output f32\[3,4\]' \
	'input x = randn(3,4)' 'shapes x=f32[5,4]' 'shapes x=f32[N,4]' run
shows 'an input without numbers is told one of its rank' \
	'hint: input x = f32\[2,4\], or' 'input x = f32[N,4]' run
shows 'a value that is a shape is no operand, which is said' \
	'error: operator.mul takes numbers, and an operand has none: it is a shape, f32\[2,4\]$' \
	'set backend meta' run 'p add' 'set backend torch' run 'input x = $ * 2'
shows 'with what to do' 'hint: the meta backend made it; "run" and "print"' \
	'set backend meta' run 'p add' 'set backend torch' run 'p add + $'
shows 'nor is one that is not known' 'and an operand has none: unknown (float)' \
	'set backend meta' run 'p add.sum().item()' 'set backend torch' run \
	'p add + $'
shows 'a shape as an input is refused when it runs' \
	'the input x was given without numbers: \$$' \
	'set backend meta' run 'p x' 'set backend torch' 'input x = $' run
shows 'a number in a tensor' '= True$' run 'p act[0,0] in act'
shows 'a number not in a tensor' '= False$' run 'p -1 in act'
shows 'memory that does not suffice is refused' \
	'error: memory does not suffice: 36.4 TB are needed at once' \
	'set expression limit 0' start 'p randn(100000, 100000, 1000)'
shows 'what is large is asked about' \
	'error: torch.zeros would make 3.7 GB' \
	start 'p torch.zeros(10**9)'
shows 'and the setting is named' 'hint: set expression limit' \
	start 'p torch.zeros(10**9)'
shows 'so is what values make large' \
	'error: .*one_hot would make 7.5 GB' \
	start 'p one_hot(torch.tensor(10**9))'
shows 'a count of values' 'error: .*bincount would make 7.5 GB' \
	start 'p torch.bincount(torch.tensor([10**9]))'
shows 'elements that are repeated' \
	'error: .*repeat_interleave would make 14.9 GB' \
	start 'p torch.repeat_interleave(torch.tensor([1,2]), torch.tensor([10**9,10**9]))'
shows 'each as often' 'error: .*repeat_interleave would make 7.5 GB' \
	start 'p torch.tensor([1.,2.]).repeat_interleave(torch.tensor(10**9))'
shows 'repeats alone too' 'error: .*repeat_interleave would make 14.9 GB' \
	start 'p torch.repeat_interleave(torch.tensor([10**9,10**9]))'
shows 'and every place that holds something' \
	'error: torch.nonzero would make 7.5 GB' \
	start 'p torch.nonzero(torch.ones(1).bool().expand(10**9))'
shows 'small arguments whose pairs are many' \
	'error: torch.combinations would make 74.5 GB' \
	start 'p torch.combinations(torch.arange(100000))'
shows 'or whose choices are' 'error: torch.combinations would make 94.5 GB' \
	start 'p torch.combinations(torch.arange(200), r=5)'
shows 'all of several' 'error: .*cartesian_prod would make 13.4 GB' \
	start 'p torch.cartesian_prod(torch.arange(30000), torch.arange(30000))'
shows 'two blocks' 'error: .*block_diag would make 9.3 GB' \
	start 'p torch.block_diag(torch.ones(50000, 1), torch.ones(1, 50000))'
shows 'a copy of what was expanded' 'error: contiguous would make 11.2 GB' \
	start 'p torch.ones(1).expand(3 * 10**9).contiguous()'
shows 'no copy is made of what is large and contiguous' '= f32\[300000000\]' \
	'set expression limit 1G' start 'set $a = torch.zeros(200000000)' \
	'set expression limit 512M' 'p $a.contiguous().shape' \
	'p torch.zeros(1).expand(300000000)'
shows 'where they are small nothing is refused' '= i64\[2,3\]' \
	start 'p one_hot(torch.tensor([0,2]))'
shows 'a small storage may be long to look at' \
	'error: sum would look at 3.6 TB' \
	start 'p torch.zeros(1).expand(10**12).sum()'
shows 'of a large view a sample is looked at' 'elements sampled' \
	start 'p torch.zeros(1).expand(10**9)'
shows 'a condition on what has run counts' 'Breakpoint 1: absmax(%act) > 0$' \
	'b fc2 if absmax(%act) > 0' run
shows 'a condition that raises is a stop that says why' \
	'error in the condition of breakpoint 1: only a tensor of one element' \
	'b fc2 if act' run
shows 'a stop behind the first that exceeds a bound' '^=>   1 B  fc1 ' \
	'input x = zeros(2, 4) + 200' 'b {} if absmax(.-1) > 100' run
shows 'and the node that exceeds it is named' \
	'^Breakpoint 1: absmax(.-1) > 100, .-1 is %x$' \
	'input x = zeros(2, 4) + 200' 'b {} if absmax(.-1) > 100' run
shows 'no stop where none does' '^Finished' \
	'input x = zeros(2, 4)' 'b {} if absmax(.-1) > 100' run
shows 'a dropped value is announced' \
	'record limit 128: [0-9]* values* not kept (summaries of [0-9]* are)' \
	'set record limit 128' run
shows 'a dropped value leaves its summary' \
	'^value  *min .*(not kept: print computes it again)' \
	'set record limit 128' run 'node fc1'
shows 'a tuple has a line for each of its tensors' \
	'^%t\[1\]  *i64\[2,2\]  min 0@' \
	'insert after x : t = torch.topk(x, 2)' run 'node t'
shows 'a result that is a tuple has a line for each of its tensors' \
	'^%output\[1\]\[0\]  *f32\[2,2\]  min .*@' \
	'insert after add : t = torch.topk(add, 2)' \
	'set %output.args[0] = (add, t)' run
shows 'a dropped tuple leaves a line for each of its tensors' \
	'^%t\[0\]  *f32\[2,2\]  min .*@.*max ' \
	'insert after x : t = torch.topk(x, 2)' 'set record limit 128' run \
	'node t'
shows 'a dropped tuple says that it is not kept' \
	'^value  *2 tensors (not kept: print computes it again)' \
	'insert after x : t = torch.topk(x, 2)' 'set record limit 128' run \
	'node t'
shows 'a dropped tuple is in state S' '^  *1  S  *t ' \
	'insert after x : t = torch.topk(x, 2)' 'set record limit 128' run nodes
shows 'a dropped value is computed again, and it says so' \
	'%fc1 was not kept (record limit 128); recomputing' \
	'set record limit 128' run 'p fc1'

shows 'a method that is not called' 'hint: mean is a method: .mean() calls it' \
	start 'p x.mean'
shows 'what was printed stays though it is overwritten' 'torch.Size(\[1\])' \
	'insert after fc1 : w = torch.relu_(fc1)' start n 'p fc1' n \
	'p (absmax($1 - fc1) > 0) and zeros(1).shape'

shows 'a set value that does not fit can be taken back' \
	'hint: unset value drop takes it back' \
	start 'n 3' 'set value drop = zeros(3)' c

shows 'a set value beyond memory is refused' 'error: the result takes 3' \
	start n 'set value fc1 = fc1[0, 0].expand(1000000, 1000000)'

# So are results that are as large as values say, as no shape tells it.
cat >large.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, i: "i64[2]", x: "i64[2]"):
        one = torch.nn.functional.one_hot(i)
        told = torch.nn.functional.one_hot(x, 5)
        count = torch.bincount(i)
        least = torch.bincount(x, x, minlength = 10000000000000)
        repeat = torch.repeat_interleave(x, i)
        method = x.repeat_interleave(repeats = i)
        twice = torch.repeat_interleave(i, 2)
        return (one, count, repeat, method, twice)
END
for node in one count least repeat method; do
	mlp=large.py shows "a result beyond memory is refused: $node" \
		"^Stopped at @. $node: the result takes .* TB, and .* available" \
		'input i = tensor([10**13, 3])' 'input x = tensor([1, 2])' \
		"run --to $node"
done
for node in told twice; do
	mlp=large.py shows "not where values say nothing of it: $node" \
		'= i64\[' 'input i = tensor([10**13, 3])' \
		'input x = tensor([1, 2])' "run --to $node" "p $node"
done
mlp=large.py shows 'what it was before says nothing' \
	"^Stopped at @. one: the result takes .* TB, and .* available" \
	'input i = tensor([3, 3])' 'input x = tensor([1, 2])' 'run --to one' \
	'input i = tensor([10**13, 3])' 'run --to one'
# Far more than what is given, by its shape and not.
cat >many.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[3000000]"):
        pairs = torch.combinations(x)
        wide = x.expand(10000000, 3000000)
        copy = wide.contiguous()
        flat = torch.diagflat(x)
        near = torch.nn.functional.pdist(x.unsqueeze(1))
        return (pairs, copy, flat, near)
END
for node in pairs copy flat near; do
	mlp=many.py shows "many of a few beyond memory are refused: $node" \
		"^Stopped at @. $node: the result takes .* TB, and .* available" \
		"run --to $node"
done
shows 'the least length of a count may be large' \
	'error: torch.bincount would make 74.5 GB' \
	start 'p torch.bincount(torch.tensor([1]), minlength=10**10)'
shows 'what is counted is not what it weighs' \
	'error: torch.bincount would make 7.5 GB' \
	start 'p torch.bincount(torch.tensor([10**9]), torch.tensor([1.]))'

shows 'a script makes the same values again' '= True' \
	'seed 3' 'input x = randn(2, 4)' 'rename act relu' 'seed 4' \
	'set module drop = nn.Identity()' 'set value fc2.bias = fc2.bias + 1' \
	run 'set $before = add' 'dump script -o s.fxdb' close 'seed 9' \
	'source s.fxdb' run 'p allclose($before, add, 0, 0)'

shows 'an input that cannot be read again is read again at the next run' \
	'!without numbers' start n 'dump value x gone.npy' 'set backend meta' \
	'input x = file("gone.npy")' run '!rm gone.npy' 'set backend torch' \
	run run
shows 'parameters beyond memory are refused before they are made' \
	'error: the parameters take' \
	'set module fc1 = nn.Linear(4, 400000000000) -f' 'weights random'
# What run --to needs is found without a walk for each of 20,000 writes.
{
	printf 'import torch\nclass M(torch.nn.Module):\n'
	printf '    def forward(self, x, y):\n        a0 = torch.neg(x)\n'
	for ((i = 0; i < 20000; i++)); do
		printf '        a%d = a%d.add_(1)\n' $((i + 1)) "$i"
	done
	printf '        out = torch.relu(y)\n        return out\n'
} >chain.py
"$fxdb" -nx -batch chain.py -ex 'input x = f32[2]' \
	-ex 'input y = ones(2)' -ex 'run --to out' -ex 'p out' >said &&
	grep -q 'min 1@' said ||
	{ echo 'FAIL: run --to past many writes'; failures=$((failures + 1)); }
if can_trace; then
	shows 'what a traced model had has its values after undo' \
		'!has no values' "trace $source/tests/transcript/samples/one_model.py:Net" \
		'set module fc = nn.Identity()' 'input x = f32[2,4]' \
		run undo run 'p fc.weight'
	shows 'a script has all the words of a trace' \
		"^trace $source/tests/transcript/samples/one_model.py:Net as r18 --leaf nn.Linear --train\$" \
		"trace $source/tests/transcript/samples/one_model.py:Net --leaf nn.Linear --train as r18" \
		'dump script'
fi
shows 'expressions have values before anything ran' '^.1 = 3.0$' \
	'print torch.ones(3).sum().item()'
shows 'a parameter is set before anything ran' '^1 parameter changed' \
	'set value fc1.weight = $v * 0'

[ "$failures" = 0 ] && exit 0
echo "$failures failures"
exit 1
