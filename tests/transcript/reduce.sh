#!/usr/bin/env bash
# reduce.sh - what fails becomes small and fails alike: in place through a view,
# by strides, in lists, tuples and nested graphs, beside another graph, by ending
# the process, on the process that traced the graph, after saving; Ctrl-C leaves all as
# it was.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

# What is reduced, from a graph as Python.
graph()
{
	{ echo "def forward(self, x: \"$2\"):"; sed 's/^/    /'; } >"$1.py"
}

graph view 'f32[2,3]' <<'END'
a = torch.abs(x)
b = torch.add(a, 1)
flat = b.view(-1)
k = torch.exp(a)
zero = flat.mul_(0)
l = torch.mul(k, 2)
div = torch.div(b, b)
m = div + l
return m
END
fxdb view.py -ex reduce -ex 'assert count{op=output} = 1' -ex run \
	-ex 'assert not allfinite(div)' -ex quit || fail 'view'
says '%div makes NaN'
says '5 of 10 nodes fail alike'

# What a copy of a tensor does not have: strides.
graph strides 'f32[4,3]' <<'END'
a = torch.relu(x)
b = torch.add(a, 1)
t = torch.transpose(b, 0, 1)
c = torch.relu(t)
d = torch.neg(c)
v = d.view(-1)
w = torch.exp(v)
return w
END
fxdb strides.py -ex reduce -ex 'assert count{name=transpose} = 0' -ex list -ex quit
says '%v fails: view size is not compatible'
says '4 of 9 nodes fail alike'
fxdb strides.py -ex 'reduce --tries 4' -ex quit
says 'stopped by --tries: this is the smallest so far'
fxdb strides.py -ex 'reduce --tries 1' && fail 'nothing was tried'
says 'stopped by --tries before a part failed alike'

graph lists 'f32[2,3]' <<'END'
a = torch.relu(x)
b = a + 1
c = a + 2
d = torch.sum(x, 1)
e = torch.neg(a)
cat = torch.cat([b, c, d, e, a], 1)
f = torch.relu(cat)
return f
END
fxdb lists.py -ex reduce -ex 'info inputs' -ex quit
says '4 of 9 nodes fail alike'

graph tuple 'f32[2,3,4]' <<'END'
a = torch.relu(x)
m = torch.max(a, 1)
t = torch.split(a, 1, 1)
g = torch.cat(t, 1)
n = a.size(1)
s = torch.reshape(m[0], (n, 7))
return s
END
fxdb tuple.py -ex reduce -ex 'dump python' -ex quit
says "shape '[3, 7]' is invalid"
says 'torch.reshape(getitem, (3, 7))'

graph drawn 'f32[4,4]' <<'END'
a = torch.relu(x)
r = torch.rand_like(a)
s = r - 0.5
l = torch.log(s)
m = l + 1
return m
END
fxdb drawn.py -ex reduce -ex run -ex 'assert not allfinite(l)' -ex quit ||
	fail 'drawn'
says '3 of 7 nodes fail alike'

# An infinity that becomes NaN further on, and a node that is asked for.
graph infinite 'f32[2]' <<'END'
a = torch.relu(x)
b = a * 0
c = 1 / b
d = torch.abs(c)
e = d - d
f = e + 1
g = torch.relu(x)
return g
END
fxdb infinite.py -ex 'reduce' && fail 'no failure of the output'
says 'infinite does not fail'
fxdb infinite.py -ex 'reduce f' -ex 'graph infinite' -ex 'reduce d' \
	-ex 'graph infinite' -ex 'reduce b' && fail '%b is finite'
says '%e makes NaN'
says 'its input %d holds infinities: reduce d finds where from'
says '%c makes an infinity'
says '%b is finite'

cat >loop.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2]"):
        gt = x[0] > -100
        yes = self.yes
        no = self.no
        cond = torch.ops.higher_order.cond(gt, yes, no, (x,))
        return cond
    class yes(torch.nn.Module):
        def forward(self, y):
            a = y.abs()
            neg = -a
            b = torch.log(neg)
            c = b + 1
            return c
    class no(torch.nn.Module):
        def forward(self, y):
            exp = y.exp()
            return exp
END
fxdb loop.py -ex reduce -ex list -ex quit || fail 'nested'
says '%cond makes NaN (in it, %b does)'
says 'b = torch.log(neg)'

# Beside another graph: what is right is kept too.
edit='set value layer2.0.bn1.weight = $v * 1.01'
fxdb "$source/doc/examples/resnet18.fxg" -ex 'weights random' \
	-ex 'input x = f32[1,3,64,64]' -ex 'graph copy resnet18 as base' \
	-ex 'graph resnet18' -ex "$edit" -ex 'reduce --against base -o it' \
	-ex run -ex 'assert allclose(layer2_0_bn1, kept.expected_value, 0.1)' \
	-ex 'assert allclose(layer2_0_bn1, kept.expected_value, 1e-6)' &&
	fail 'against'
says '%layer2_0_bn1 gives another value'
says '3 of 71 nodes fail alike'
says 'allclose(layer2_0_bn1, kept.expected_value, 1e-6)'

# Files: the graph has its inputs; the original and its undo are as before.
fxdb "$source/doc/examples/resnet18.fxg" -ex 'weights random' \
	-ex 'input x = f32[1,3,64,64]' \
	-ex 'set value layer2.0.bn2.running_var = $v * 0 - 1' \
	-ex 'reduce -o bn' -ex 'graph resnet18' -ex 'assert count{op=call_module} = 60' \
	-ex 'undo' -ex run -ex 'assert allfinite(fc)' -ex quit || fail 'files'
for file in module.py weights.py run.py __init__.py resnet18_reduced.fxg; do
	[ -s bn/$file ] || fail "no $file"
done
fxdb bn/resnet18_reduced.fxg -ex run -ex 'assert not allfinite(layer2_0_bn2)' \
	-ex 'graph copy resnet18_reduced as again' -ex run \
	-ex 'assert not allfinite(layer2_0_bn2)' -ex 'dump script' -ex quit ||
	fail 'loaded'
says 'input layer2_0_conv2 = kept.layer2_0_conv2_value'
fxdb bn -ex 'shapes' -ex quit || fail 'the folder'
fxdb --readonly bn/resnet18_reduced.fxg -ex 'reduce' -ex 'reduce -o other' &&
	fail 'written when read-only'
says 'read-only session'
[ ! -e other ] || fail 'other is there'

# An operator that ends the process, where this libtorch has this one.
cat >crash.py <<'END'
def forward(self, x: "f32[4,4]", n: "i64[1]"):
    a = torch.relu(x)
    b = torch.neg(a)
    m = torch.add(n, 1000000000)
    s = torch.segment_reduce(b, 'max', lengths = m, axis = 0, unsafe = True)
    c = torch.exp(s)
    return c
END
fxdb crash.py -ex run
if [ $? -gt 128 ]; then
	fxdb crash.py -ex 'reduce --isolate -o crash' -ex lint -ex quit ||
		fail 'a crash'
	says '%s ends the process: signal 11'
	says '4 of 8 nodes fail alike'
	fxdb strides.py -ex 'reduce --isolate' -ex quit || fail 'apart'
	says '%v fails: view size is not compatible'
	says '4 of 9 nodes fail alike'
	if "$python" -c 'import torch' 2>/dev/null; then
		"$python" crash/run.py >said 2>&1
		[ $? = 139 ] || fail 'crash/run.py'
	fi
fi

# Ctrl-C, of a loop without end.
cat >endless.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2]"):
        more = self.more
        turn = self.turn
        loop = torch.ops.higher_order.while_loop(more, turn, (x,), ())
        y = loop[0]
        return y
    class more(torch.nn.Module):
        def forward(self, y):
            lt = y[0] < 9
            return lt
    class turn(torch.nn.Module):
        def forward(self, y):
            same = y * 1
            return (same,)
END
python3 - "$fxdb" <<'EOF' >said || fail 'Ctrl-C'
import signal, subprocess, sys, time
command = [sys.argv[1], "-nx", "-batch", "endless.py", "-ex", "echo begun",
           "-ex", "reduce"]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                      preexec_fn=lambda: signal.signal(
                          signal.SIGINT, signal.SIG_DFL)) as process:
    for line in process.stdout:
        if "begun" in line:
            break
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=60)[0]
print(text)
sys.exit("interrupted" not in text)
EOF

# On the process that traced it, with a layer that only Python runs.
can_trace || exit 0
cat >own.py <<'END'
import torch
from torch import nn

class Odd(nn.Module):
    def forward(self, x):
        if x.sum() > 1e9:
            return x
        return torch.log(x - 1e3)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.odd = Odd()
        self.b = nn.Linear(4, 4)
    def forward(self, x):
        return self.b(torch.relu(self.odd(torch.relu(self.a(x)))))
END
fxdb --python "$python" -ex 'trace own.py:Net --leaf Odd -i x=f32[2,4]' \
	-ex 'set backend python' -ex 'reduce -o own' -ex lint -ex quit ||
	fail 'python'
says '%odd makes NaN'
says '3 of 7 nodes fail alike'
says 'nothing is written for Python'
