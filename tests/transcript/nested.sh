#!/usr/bin/env bash
# nested.sh - what a person sees of branches and loops: they are entered, stopped
# in at a turn, gone back over, saved and loaded.  Skipped without
# libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

cat >loop.py <<'END'
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2]"):
        zeros = torch.zeros((), dtype = torch.int64)
        more = self.more
        turn = self.turn
        loop = torch.ops.higher_order.while_loop(more, turn, (zeros, x), ())
        y = loop[1]
        gt = torch.gt(loop[0], 8)
        yes = self.yes
        no = self.no
        cond = torch.ops.higher_order.cond(gt, yes, no, (y,))
        return cond
    class more(torch.nn.Module):
        def forward(self, i, y):
            lt = i < 9
            return lt
    class turn(torch.nn.Module):
        def forward(self, i, y):
            next_i = i + 1
            double = y * 2
            return (next_i, double)
    class yes(torch.nn.Module):
        def forward(self, y):
            neg = -y
            return neg
    class no(torch.nn.Module):
        def forward(self, y):
            exp = y.exp()
            return exp
END

# What is said, of a script that may fail, without bars and figures.
run()
{
	fxdb loop.py -ex 'input x = ones(2)' "$@"
}
say() { grep -qE -- "$1" said || fail "not said: $1"; }

run -ex 'break turn.double if $turn == 7' -ex run -ex where -ex 'assert y.max() == 64' \
	-ex up -ex down -ex finish -ex continue \
	-ex 'assert gt' || fail 'turn 7'
say '^    turn 7'
say '#0 +graph +turn +turn 7 of %loop'
say '#1 +graph +loop +GraphModule'

# The surroundings of the stop are those of its frame, in a loop and around it.
run -ex 'break turn.double if $turn == 7' -ex run -ex 'context values code' \
	|| fail context
say '^before +%next_i +i64\[\] +7$'
say '^input +%y +f32\[2\] +min 64@'
say '^=>B +3  double = y \* 2'
run -ex 'break turn.double if $turn == 7' -ex 'set context on' -ex run -ex up \
	-ex 'context values code' || fail context
say '^input +%x +f32\[2\] +min 1@'
say '^=> +4  loop = torch.ops'

run -ex 'tbreak turn.double' -ex run -ex 'step 5' \
	-ex 'assert $turn == 2' -ex 'reverse-step 5' -ex 'assert $turn == 1' \
	-ex 'reverse-finish' -ex 'assert $turn == 0' || fail 'back'

run -ex 'break turn.double' -ex 'ignore 1 8' -ex run -ex 'assert $turn == 9' \
	-ex 'save it.fxg' -ex 'load it.fxg' -ex 'input x = ones(2)' -ex run \
	-ex 'assert output.max() == -512' || fail 'saved'

run -ex 'break yes.neg' -ex run -ex 'rename turn.double two' && fail 'edited'
says 'double is in a nested graph'

run -ex 'break turn.double' -ex run -ex list || fail 'listed'
say '=>B +3 +double = y \* 2'

run -ex 'break turn.double if $turn == 2' -ex run -ex 'nodes {op=call_function}' \
	-ex 'search next' -ex 'draw {}' -ex when \
	-ex 'set value double = y' || fail 'looked at'
say '^ +2  V .* next_i +call_function'
say 'match 1 of 1'
say '│ next_i │'
say '^Before @3 of 5'
say '^%double is set; goes on at @4'
grep -qE 'zeros|more' said && fail 'the graph around'

run -ex run -ex 'print sum(x)' && fail 'iterated'
says 'rows of a tensor'

run -ex 'set backend meta' -ex run -ex 'step' || fail 'shapes only'
says 'shapes only'

run -ex 'break turn.double' -ex run -ex 'goto end' -ex 'assert $turn == 1' \
	-ex 'assert double.max() == 2' -ex 'goto end' -ex 'goto @0' \
	-ex continue -ex 'assert $turn == 1' || fail 'the end of the body'
say '^=> +4 .* output'

run -ex 'set %gt.args[1] = 7' -ex 'break turn.double if $turn == 2' -ex run \
	-ex undo -ex 'assert gt' && fail 'gt has not run'
says 'execution left the nested graph: now before @4'
says '%gt has no value yet'
run -ex 'insert after zeros: q = zeros + 1' -ex 'break yes.neg' -ex run \
	-ex undo -ex redo -ex continue -ex 'assert y.max() == 512' \
	-ex 'goto t0' -ex 'delete 1' -ex continue \
	-ex 'assert output.max() == -512' || fail 'undone inside'
run -ex 'break yes.neg' -ex run -ex undo && fail 'nothing undone'
run -ex start -ex 'until turn.double' -ex 'until turn.next_i' \
	-ex 'assert $turn == 2' -ex 'until more.lt' -ex 'assert $turn == 3' \
	-ex 'until yes.neg' -ex 'assert y.max() == 512' -ex 'until no.exp' ||
	fail 'until by path'
say '^%exp was not reached'
run -ex 'run --to turn.double' -ex 'assert double.max() == 2' \
	-ex 'run --to next_i' -ex 'assert next_i == 1' -ex 'run --to yes.neg' \
	-ex 'assert neg.max() == -512' || fail 'run --to by path'

run -ex 'break turn.double' -ex run -ex up -ex 'assert x.max() == 1' \
	-ex 'nodes {gt}' -ex 'break gt' \
	-ex 'list gt' -ex down -ex 'assert next_i == 1' -ex up \
	-ex 'print next_i' && fail 'next_i outside'
say '^ +7  · +gt +call_function'
say '^=> +4 +loop = '
says 'no node "next_i" in loop'
run -ex 'break turn.double' -ex run -ex 'print x' && fail 'x inside'
says 'no node "x" in turn'
run -ex 'break turn.double' -ex run -ex up -ex 'goto gt' && fail 'gone to gt'
says 'until gt runs on to it'
run -ex 'break turn.double' -ex run -ex up -ex 'set value gt = x' && fail 'set'
says 'in another graph than execution'
run -ex 'break yes.neg' -ex run -ex up -ex 'replace cond = y * 2' \
	-ex 'delete 1' -ex continue -ex 'assert output.max() == 1024' \
	-ex undo -ex continue -ex 'assert output.max() == -512' ||
	fail 'edited around'
say '^execution left the nested graph: now before @10'

# From inside of a loop or a branch why goes back through the turns, out to what
# they were given; what did not run has no cause.
nan() { fxdb loop.py -ex 'input x = full((2,), 100.)' "$@"; }
way='from %half[0] from %double[0] in turn 3'
sed -i 's/double = y \* 2/half = y - 3\n            double = half.sqrt()/' loop.py
nan -ex run -ex 'why nan' || fail 'why from outside'
says 'from %turn.half[0] from %turn.double[0] in turn 3'
says '= sqrt(x), %turn.half[0] = -0.3829677, from %x[0] = 100.0: square root'
# Which turn a step is of, where the way goes back through several.
fxdb loop.py -ex 'input x = full((2,), 1e6)' -ex run -ex 'why nan -p' || fail turns
say '^  = sqrt\(x\), %turn.half\[0\] = -1\.4[0-9]*, from %x\[0\] = 1000000.0: square'
say 'role +call +inside +turn$'
say '^ +[0-9]+ +turn.double +\[0\] +nan +produces +sqrt +5$'
say '^ +[0-9]+ +turn.double +\[0\] +1\.5[0-9]* +leads +sqrt +4$'
nan -ex 'break turn.double if $turn == 5' -ex run -ex 'why nan' -ex 'why y[0]' \
	-ex 'explain half[1]' -ex up -ex 'why x[0]' || fail 'why inside'
[ "$(grep -cF -- "$way" said)" = 2 ] || fail 'two ways'
says '%half[0] = -0.3829677, from %x[0] of loop = 100.0: square root'
says '%half[1] = nan'
says '  = %y[1] - 3'
says '%x[0] is 100.0: finite'
nan -ex run -ex 'graph /yes' -ex 'why neg[1]' -ex 'graph /turn' -ex 'why half[0]' \
	|| fail 'why in what was entered'
says '%neg[1] is NaN from %y[1] of loop from %loop[1][1] of loop'
says '%half[0] is NaN from'
nan -ex run -ex 'graph /no' -ex 'why exp[0]' && fail 'why of the other branch'
says '%cond took its other branch'
nan -ex 'break turn.double' -ex run -ex 'why double[0]' && fail 'why below'
says '%double has not run yet'
# A watch that was set inside stops there, back in time too, in each turn; also
# one of all graphs, in the call and not before it, as onwards.
nan -ex 'graph /turn' -ex 'watch nonfinite' -ex run -ex 'assert $turn == 3' \
	-ex 'delete 1' -ex finish -ex 'graph /turn' \
	-ex 'watch range half -1 50' -ex reverse-continue \
	-ex 'assert $turn == 1' -ex 'delete 2' \
	-ex 'watch expr $turn == 4' -ex continue -ex 'assert $turn == 4' \
	-ex 'delete 3' -ex finish -ex 'watch nonfinite --inside' \
	-ex 'reverse-continue' -ex 'assert $turn == 9' \
	-ex 'reverse-continue' -ex 'assert $turn == 9' || fail 'watch inside'
says 'Watch 1: nonfinite, after @4 double: 2 NaN of 2, produced here'
says 'Watch 2: range -1 50, before @3 half: 2 of 2 outside'
says 'Watch 4: nonfinite, before @5 output: 2 NaN of 3'
says 'Watch 4: nonfinite, before @4 double: 2 NaN of 2'
sed -i '/half = /d; s/half.sqrt()/y * 2/' loop.py

# A value that the condition needs makes the loop endless; Ctrl-C stops it, as
# one node and inside.
for inside in more.lt 'turn.double if $turn == 1e12'; do
	python3 - "$fxdb" "$inside" <<'EOF' >said || fail "endless, $inside"
import signal, subprocess, sys, time
lines = ["input x = ones(2)", "break turn.next_i", "run",
         "set value next_i = tensor(0)", "delete 1", "break " + sys.argv[2],
         "delete 2" if sys.argv[2] == "more.lt" else "when", "continue"]
command = [sys.argv[1], "-nx", "-batch", "loop.py"]
for line in lines:
    command += ["-ex", line]
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True,
                      preexec_fn=lambda: signal.signal(
                          signal.SIGINT, signal.SIG_DFL)) as process:
    for line in process.stdout:
        if "Breakpoint 2" in line:
            break
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    text = process.communicate(timeout=60)[0]
print(text)
sys.exit("Interrupted before" not in text)
EOF
done
