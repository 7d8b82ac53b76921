#!/usr/bin/env bash
# why.sh - numeric faults that later nodes hide: why names the node, the element
# and what is to blame.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

# fault NAME WHAT SETUP BODY EXPECTED: the graph of BODY, its commands SETUP one
# a line, is run; what `why WHAT` says, in one line, has EXPECTED, a regular
# expression.  Inputs are x f32[4,4] and y f32[4,4], ones.
named=0
all=0
fault()
{
	all=$((all + 1))
	{
		echo 'class GraphModule(torch.nn.Module):'
		echo '    def forward(self, x: "f32[4,4]", y: "f32[4,4]"):'
		sed 's/^/        /' <<<"$4"
	} >it.py
	{
		echo 'input x = ones(4,4)'
		echo 'input y = ones(4,4)'
		echo "$3"
		[[ $2 == *--against* ]] || echo run
		echo "why $2"
	} >it.fxdb
	fxdb it.py -batch -x it.fxdb >said 2>&1
	if tr '\n' ' ' <said | grep -qE -- "$5"; then
		named=$((named + 1))
	else
		echo "fault $1 is not named: $5"
		tail -6 said
	fi
	[[ "$2 $3" == *--against* || $3 == 'set value'* ]] || nested "$3" "$4"
}
# nested SETUP BODY: what why says of each node of BODY, the last graph, is the
# same inside of a nested graph that all of them were put into, but for how far
# the way is shown.
same=0
nested()
{
	local names name asks
	names=$(sed -nE 's/^([a-z]+) = .*/\1/p' <<<"$2")
	asks=$(for name in $names; do printf 'printf "of %s\\n"\nwhy %s\n' "$name" "$name"; done)
	{
		printf '%s\n' 'input x = ones(4,4)' 'input y = ones(4,4)' "$1" run "$asks"
		echo 'printf "then\n"'
		echo 'outline {op=call_function or op=call_method} as sub'
		printf '%s\n' run 'graph /sub' 'printf "inside\n"' "$asks"
	} >it.fxdb
	"$fxdb" -nx it.py <it.fxdb >said 2>&1
	sed -E 's/ of it\>//g; s/%sub\./%/g; s/ from .* from / from /' said |
		awk '/^of /,0' >plain
	sed -n '/^inside/,$p' plain | tail -n +2 >inside
	sed '/^then/,$d' plain >outside
	# Of some the node itself cannot be asked, or does not run.
	grep -q 'error: ' outside && return
	if ! diff outside inside; then
		cat it.fxdb
		fail "another cause inside of a nested graph"
	fi
	same=$((same + 1))
}
# One element, number N of 16, of an input is V.
at() { echo "torch.where(arange(16).reshape(4,4) == $1, $2, ones(4,4))"; }

fault 'root of a negative number' nan "input x = $(at 6 -0.25)" \
	$'a = torch.sqrt(x)\nb = torch.relu(a)\nc = b.sum()\nreturn c' \
	'from %a\[1,2\].*%x\[1,2\] = -0.25: square root of a negative number'
fault 'logarithm of zero, clamped away' inf "input x = $(at 6 -3)" \
	$'r = torch.relu(x)\na = torch.log(r)\nb = torch.clamp(a, -10, 10)\nreturn b' \
	'%a\[1,2\] is -inf.*%r\[1,2\] = 0.0, from %x\[1,2\] = -3.0: logarithm of zero.*does not show'
fault 'a row that is masked throughout' nan "input y = torch.where(arange(16).reshape(4,4) // 4 == 2, zeros(4,4), ones(4,4))" \
	$'m = y == 0\nf = x.masked_fill(m, float("-inf"))\ns = torch.softmax(f, -1)\no = torch.matmul(s, x)\nw = torch.where(o > 0, o, 0.0)\nreturn w' \
	'%s\[2,0\] is NaN.*%f\[2,[0-3]\] is -inf.*softmax of a row without a finite element.*constant'
fault 'zero divided by zero' nan "input x = $(at 9 0)
input y = $(at 9 0)" \
	$'d = x / y\nm = torch.amax(d, 1)\nreturn m' \
	'%m\[2\] from %d\[2,1\].*%y\[2,1\] = 0.0: division by zero'
fault 'a constant zero below' nan '' \
	$'h = x * 1\nv = h[2]\nd = v.div_(0.0)\nz = h - h\nr = z.relu()\nreturn r' \
	'%z\[2,0\] .*%d\[0\].*x / y, other = 0.0: division by zero'
fault 'a constant that is too large' nan '' \
	$'a = x + 1e39\nb = a.clamp(max=2.0)\nreturn b' \
	'%a\[0,0\] is inf.*x \+ y, (b|other) = 1e\+?39: too large for its dtype'
fault 'too large here, not in f64' 'b --against f64' '' \
	$'a = x * 3e30\ns = a * 1e20\nb = s.sum()\nreturn b' \
	'%b is inf from %s\[0,0\].*%a\[0,0\] = 3e\+30.*too large for its dtype'
fault 'infinities that a NaN comes from' inf "input x = $(at 6 3)" \
	$'m = x * 40\na = torch.exp(m)\nh = a.half()\nd = h - h\nreturn d' \
	'is NaN from %d\[0,0\] from %h\[0,0\] is inf.*too large for its dtype'
fault 'a weight that is too large, cut out' nan "input y = $(at 9 3e38)
input x = 4 * ones(4,4)" \
	$'w = y[1:4]\nv = torch.nn.functional.linear(x, w)\nb = torch.softmax(v, 1)\nreturn b' \
	'%x\[0,1\] = 4.0 or %w\[1,1\] = 3e\+38, from %y\[2,1\] = 3e\+38: too large'
fault 'an empty count' nan '' \
	$'k = x > 2\nn = k.sum()\nt = (x * k).sum()\nm = t / n\nr = m.relu()\nreturn r' \
	'%m.*%n = 0: division by zero'
fault 'the mean of nothing' nan '' \
	$'e = x[4:]\nm = e.mean(0)\nr = torch.relu(m)\nreturn r' \
	'%m\[0\].*mean of no elements'
fault 'overflow in f16' inf "input x = $(at 5 300)" \
	$'h = x.half()\nq = h * h\nc = torch.clamp(q, max=1000.0)\nreturn c' \
	'%q\[1,1\] is inf.*%x\[1,1\] = 300.0: too large'
fault 'overflow of exp' nan "input x = $(at 3 200)" \
	$'e = torch.exp(x)\ns = e / e.sum(1, keepdim=True)\nl = torch.nan_to_num(s)\nreturn l' \
	'NaN.*%e\[0,3\].*%x\[0,3\] = 200.0: too large'
fault 'infinity minus infinity' nan "input x = $(at 7 200)" \
	$'e = torch.exp(x)\nz = e - e * 2\nw = torch.where(z != z, 0.0, z)\nreturn w' \
	'%z\[1,3\] is NaN.*infinity minus infinity'
fault 'beyond the arc' nan "input x = $(at 15 1.0001)" \
	$'a = torch.acos(x)\nt = a.t()\nr = t.reshape(16)\ns = r[8:]\nm = s.max()\nreturn m' \
	'from %a\[3,3\].*%x\[3,3\] = 1.000.*beyond -1'
fault 'a power of a negative number' nan "input x = $(at 2 -2)" \
	$'p = x ** 0.5\nc = torch.cat([p, y])\nf = c.flatten()\nreturn f' \
	'from %p\[0,2\].*%x\[0,2\] = -2.0: a power of a negative'
fault 'written in place, through a view' nan "input y = $(at 1 -1)" \
	$'h = x * 1\nv = h[2]\nl = torch.log(y[0])\nh[2] = l\nb = h.t()\ns = b.sum(0)\nreturn s' \
	'%setitem\[2,1\] from %l\[1\].*%y\[0,1\] = -1.0: logarithm of a negative'
fault 'seen through a view that was written later' nan "input x = $(at 6 -3)
input y = $(at 1 -1)" \
	$'h = x * 1\nv = h.view(16)\na = v.add_(torch.sqrt(y).view(16))\nz = h.relu_()\ns = h.sum(1)\nreturn s' \
	'%z\[0,1\] from .*%sqrt\[0,1\].*%y\[0,1\] = -1.0: square root'
fault 'overwritten where it was wrong' nan "input x = $(at 4 -1)" \
	$'a = torch.sqrt(x)\nb = a * 2\nc = b.zero_()\nreturn c' \
	'%a\[1,0\] is NaN.*%x\[1,0\] = -1.0: square root.*does not show'
fault 'two causes' nan "input x = $(at 3 -1)
input y = $(at 6 -1)" \
	$'p = torch.sqrt(x)\nq = torch.log(y)\nb = p + q\ns = b.sum()\nreturn s' \
	'%p\[0,3\].*%x\[0,3\] = -1.0.*wrong still.*%q\[1,2\].*%y\[1,2\] = -1.0'
fault 'of an item of a tuple' 'output[1][1]' "input x = $(at 13 -1)" \
	$'a = torch.sqrt(x)\nc = torch.chunk(a, 2)\nm = c[1].max(0)\nreturn (y, m[0])' \
	'%output\[1\]\[1\] is NaN.*%m\[0\]\[1\].*%c\[1\]\[1,1\] from %a\[3,1\].*%x\[3,1\] = -1.0'
fault 'of the only item of a tuple' 'output[0][3,1]' "input x = $(at 13 -1)" \
	$'a = torch.sqrt(x)\nreturn (a,)' \
	'%output\[3,1\] is NaN.*%x\[3,1\] = -1.0'
fault 'from an embedding' nan 'set value w = torch.where(arange(12).reshape(3,4) == 6, -4, ones(3,4))' \
	$'i = torch.tensor([0, 1, 1, 2])\nw = torch.ones(3, 4)\ng = torch.nn.functional.embedding(i, w)\nl = torch.sqrt(g)\nr = l.relu()\nreturn r' \
	'from %l\[1,2\].*%g\[1,2\] = -4.0, from %w\[1,2\] = -4.0: square root'
fault 'of bf16' inf "input x = $(at 5 3e38)" \
	$'h = x.bfloat16()\nq = h + h\nc = q.clamp(max=5.0)\nreturn c' \
	'%q\[1,1\] is inf.*%x\[1,1\] = 3e\+38: too large'
fault 'gradient of a root at zero' nan "input x = $(at 10 0)" \
	$'r = torch.sqrt(x)\ng = y / (2 * r)\nm = torch.where(x > 0, g, 0.0)\nz = g * x\nreturn (m, z)' \
	'%z\[2,2\].*%x\[2,2\] = 0.0|%g\[2,2\].*x\[2,2\] = 0.0'
fault 'gradient of a norm at zero' nan "input x = torch.where(arange(16).reshape(4,4) // 4 == 1, zeros(4,4), ones(4,4))" \
	$'n = torch.norm(x, dim=1, keepdim=True)\ng = x / n\nk = g.clamp(0, 1)\nreturn k' \
	'%g\[1,0\].*%n\[1,0\] = 0.0: division by zero'

# Wrong but finite: against the same graph before an edit.
against() { fault "$1" 'output --against base' "graph copy it as base
graph it
$2" "$3" "$4"; }
against 'a wrong axis' 'set %s.args[1] = 0
input x = randn(4,4)' $'a = torch.relu(x)\ns = a.sum(1)\nb = s * 2\nreturn b' \
	'%s\[[0-3]\].*how it is computed: .*sum\(%a, 0\); there it is .*sum\(%a, 1\)'
against 'an index off by one' 'replace v = a[2]
input x = randn(4,4)' $'a = torch.exp(x)\nv = a[1]\nb = v + 1\nc = b.clamp(max=9.0)\nreturn c' \
	'%v\[[0-3]\].*how it is computed'
against 'another operation' 'replace r = torch.abs(a)
input x = randn(4,4)' $'a = x * 2\nr = torch.relu(a)\nb = r.sum(0)\nreturn b' \
	'%r\[.*not 0.0.*abs.*there it is torch.relu'
against 'a node between' 'insert after a : n = a * 1.5 --splice
input x = randn(4,4)' $'a = x * 2\nr = torch.relu(a)\nb = r.sum(0)\nreturn b' \
	'%n\[.*how it is computed'
# in_model NAME FILE WHAT SETUP EXPECTED: in a model that is there.
in_model()
{
	all=$((all + 1))
	printf '%s\n' "load $2" "$4" run "why $3" >it.fxdb
	fxdb -x it.fxdb
	if tr '\n' ' ' <said | grep -qE -- "$5"; then
		named=$((named + 1))
	else
		echo "fault $1 is not named: $5"
		tail -6 said
	fi
}
resnet=$source/doc/examples/resnet18.fxg
transformer=$source/doc/examples/transformer.fxg
in_model 'a negative variance' "$resnet" nan 'weights random --seed 0
set value layer2.0.bn2.running_var = torch.where(arange(128) == 17, -0.25, $v)' \
	'%output\[0,0\] is NaN from .* from %layer2_0_bn2\[0,17,0,0\].*sqrt\(running_var \+ eps\).*layer2.0.bn2.running_var\[17\] = -0.25: square root of a negative'
in_model 'an infinite weight' "$mlp" inf 'set value fc2.weight = torch.where(arange(32).reshape(4,8) == 21, 1 / zeros(1), $v)' \
	'from %fc2\[[01],2\] from fc2.weight\[2,5\].*inf'
in_model 'a NaN in an input' "$transformer" nan 'input x = torch.where(arange(2*5*16).reshape(2,5,16) == 100, 0/zeros(1), ones(2,5,16))' \
	'from %x\[1,1,4\].*an input'
in_model 'one flipped bit' "$mlp" 'output --against base' 'graph copy mlp as base
graph mlp
input x = torch.randn(2,4)
set value fc1.weight = torch.where(arange(32).reshape(8,4) == 6, -$v, $v)' \
	'from fc1.weight\[1,2\] is .*fc1.weight\[1,2\] = .*there'
in_model 'a transposed weight' "$transformer" 'output --against base' 'graph copy transformer as base
graph transformer
set value feed_forward.up.weight = $v.flip(0)' \
	'from .*feed_forward.up.weight\[.*there'
# Too large for f16, whose kernels the backend may not have.
in_model 'an overflow in f16' "$mlp" 'output --against f16' 'input x = ones(2,4)
insert after drop : big = drop * 65000 --splice
replace fc2 = self.fc2(big / 65000)' \
	'%big\[.*not -?inf.*how it is computed: .*mul\(%drop, 65000\); there it is in f16'
in_model 'a wrong epsilon' "$resnet" 'output --against base' 'weights random --seed 0
graph copy resnet18 as base
graph resnet18
set module layer3.0.bn1 = nn.BatchNorm2d(256, eps=0.1)' \
	'layer3_0_bn1.*eps=0.1.*there it is BatchNorm2d\(.*eps=1e-05'

# The formula with its numbers, inside of a layer and where bytes were written
# over later too.
fxdb "$mlp" -ex run -ex 'explain add[0,1]' -ex 'explain act[1,2]' -ex 'explain fc1[0,0]' -ex 'explain x[0,0]'
says '  = %x[0,1] + %fc2[0,1]'
says '  = -0.2934289 + 0.27712'
says '  = max(input[1,2], 0)'
says 'the sum of x * weight + fc1.bias[0]'
says 'nothing computes it here'
fxdb "$resnet" -ex 'weights random --seed 0' -ex run -ex 'explain bn1[0,3,5,5]' -ex 'explain flatten[0,7]'
says '  = (input[0,3,5,5] - bn1.running_mean[3]) / sqrt(bn1.running_var[3] + 1e-05) * bn1.weight[3] + bn1.bias[3]'
says '  = %avgpool[0,7,0,0]'
# Wrong but finite inside of a nested graph, asked there and from outside.
printf '%s\n' "load $mlp" 'weights random' 'outline {fc1,act,drop} as first' \
	'graph copy mlp as base' 'graph mlp/first' 'replace act = torch.abs(fc1)' \
	'input x = torch.randn(2,4)' run 'why output --against base' \
	'graph /first' 'why drop[0,1] --against base' >it.fxdb
fxdb -x it.fxdb
says 'from %first.drop[0,2] from %first.act[0,2] is 0.18315747, not 0.0'
says '%drop[0,1] is 0.31933373, not 0.0 from %act[0,1] is 0.31933373, not 0.0'
# A file that lacks what was written over in place is no other than the run.
printf '%s\n' 'class GraphModule(torch.nn.Module):' \
	'    def forward(self, x: "f32[4,4]", y: "f32[4,4]"):' \
	'        add = x + y' '        relu_ = torch.relu_(add)' \
	'        out = relu_ * 2' '        return out' >it.py
printf '%s\n' 'input x = ones(4,4) * -1' 'input y = ones(4,4) * -1' run \
	'dump value {relu_, out} it.npz' 'why out[1,2] --against it.npz' \
	'set value relu_ = $v + 1' continue 'why out[1,2] --against it.npz' \
	>it.fxdb
fxdb it.py -x it.fxdb
says '%out[1,2] is 0.0: what the reference has'
says 'relu_[1,2] = 1.0, there 0.0: set by hand'
# Values that were set: what explains them, beside the other graph's, and those
# of a tuple or a dict in a file; an element is typed as it is shown.
printf '%s\n' 'class GraphModule(torch.nn.Module):' \
	'    def forward(self, x: "f32[2,4]"):' \
	'        relu = torch.relu(x)' \
	'        topk = torch.topk(relu, 2)' '        getitem = topk[0]' \
	"        return {'a': relu, 'b': getitem}" >it.py
printf '%s\n' 'load it.py as one' 'input x = ones(2,4)' run \
	'dump value {topk, output} it.npz' 'graph copy one as other' run \
	'set value relu = relu * 0 + 2' run 'explain relu[0,1]' \
	"explain output['a'][0,1]" "why output['b'][0,1] --against one" \
	'graph one' "why output['b'][1,0] --against other" \
	'graph other' 'why topk[0][0,1] --against it.npz' \
	"why output['c'][0,1]" 'compare . it.npz' >it.fxdb
fxdb --keep-going -x it.fxdb
says '  set by hand'
says "%output['a'][0,1] = 2.0"
says "%output['b'][0,1] is 2.0, not 1.0 from %getitem[0,1] from %topk[0][0,1] "
says 'torch.relu(%x); there it is set by hand'
says '%topk[0][0,1] is 2.0, not 1.0'
says "hint: why output['a'][0,0]"
says '2 of 2 nodes parted'
# Set within a graph that is nested: as the run has it, and no copy does.
fxdb "$mlp" -ex 'weights random' -ex 'outline {fc1,act,drop} as first' \
	-ex 'input x = torch.randn(2,4)' -ex 'graph copy mlp as base' -ex 'graph mlp' \
	-ex 'break first.drop' -ex run -ex 'set value act = act * 0 + 7' \
	-ex 'why act' -ex delete -ex run -ex 'why fc2 --against base' \
	-ex 'compare mlp base'
says '%act[0,0] is 7.0: finite'
says ': set by hand'
says 'first: %first'
fxdb "$mlp" -ex 'weights random' -ex 'outline {fc1,act,drop} as first' \
	-ex 'input x = torch.randn(2,4)' -ex 'break first.drop' -ex run \
	-ex 'set value act = act * 0 + nan' -ex 'why nan' -ex delete -ex run -ex 'graph /first' \
	-ex 'why nan'
says '  act[0,0] = nan: set by hand'
# A new input takes the value back that stood in for the old one.
fxdb "$mlp" -ex 'input x = ones(2,4)' -ex run -ex 'set value x = x * 0 + 5' \
	-ex 'input x = ones(2,4) * 3' -ex run -ex 'assert x.max() == 3' || fail 'a new input'
says 'x = ones(2,4) * 3; the value that was set is taken back'
echo "$named of $all faults are named"
[ "$same" -ge 16 ] || fail "$same are asked inside of a nested graph"
[ "$named" = "$all" ] || fail "$named of $all"
