#!/usr/bin/env bash
# program.sh - the program as a whole: options, exit statuses, the rule that
# every input path stops at its first error, pipes, files that are not text.
. "$(dirname "$0")/home.sh"

# is STATUS TEXT COMMAND...: its exit status, and TEXT in what it says (a
# basic regular expression; - for nothing to look for).
is() {
	local status=$1 text=$2 said got
	shift 2
	said=$("$@" </dev/null 2>&1)
	got=$?
	if [ "$got" != "$status" ]; then
		echo "FAIL: $* gives $got, not $status: $said"
		failures=$((failures + 1))
	elif [ "$text" != - ] && ! printf '%s\n' "$said" | grep -q -e "$text"; then
		echo "FAIL: $* does not say \"$text\" but: $said"
		failures=$((failures + 1))
	fi
}

# feeds STATUS TEXT INPUT OPTION...: the same for lines on standard input.
feeds() {
	local status=$1 text=$2 input=$3 said got
	shift 3
	said=$(printf "$input" | "$fxdb" -nx "$@" 2>&1)
	got=$?
	if [ "$got" != "$status" ] ||
		! printf '%s\n' "$said" | grep -q -e "$text"; then
		echo "FAIL: input \"$input\" gives $got ($status), says: $said"
		failures=$((failures + 1))
	fi
}

# What comes with fxdb is not written over by a save without a name.
before=$(cksum <"$mlp")
is 2 'save my_mlp.fxg' "$fxdb" -nx -batch --welcome -ex 'erase drop --to act' -ex save
is 0 'mlp saved to my_mlp.fxg (' "$fxdb" -nx -batch --welcome -ex 'save my_mlp.fxg' -ex save
[ "$(cksum <"$mlp")" = "$before" ] || {
	echo "FAIL: save changed $mlp"
	failures=$((failures + 1))
}

# Exit statuses.
is 0 - "$fxdb" -nx -batch
is 0 - "$fxdb" -nx -batch -ex quit
is 3 - "$fxdb" -nx -batch -ex 'quit 3'
is 1 'assertion failed' "$fxdb" -nx -batch -ex 'assert 1 = 2'
is 1 - "$fxdb" -nx -batch "$mlp" -ex 'rename act relu' -ex diff
is 2 'unknown command "brek"' "$fxdb" -nx -batch -ex brek
is 3 'cannot read "nosuch.fxg"' "$fxdb" -nx -batch nosuch.fxg
is 3 'is not text' "$fxdb" -nx -batch "$source/tests/transcript/samples/binary.dat"
echo nodes >none.fxdb
is 2 'none.fxdb:1: error: no graph is open' "$fxdb" -nx -batch -x none.fxdb
is 2 'unknown option "--frob"' "$fxdb" --frob
is 2 'nearest: readonly' "$fxdb" --readonl
is 2 'one model at a time' "$fxdb" a b
is 2 'needs a value' "$fxdb" -ex
is 2 'seed takes a number' "$fxdb" --seed x
# Standard input: with -batch only where it is named, and else that is said.
feeds 0 'batch does not read standard input; -x - runs' 'brek\n' -batch "$mlp"
feeds 1 '^stdin:1: error: assertion failed' 'assert 1=2\n' -batch -x -
feeds 1 '^more' 'assert 1=2\n' -batch --keep-going -x - -ex 'echo more'
# Every option that --help lists is one.
for option in $("$fxdb" --help | sed -n 's/^  \(--*[a-z-]*\).*/\1/p'); do
	if "$fxdb" "$option" --frob -batch </dev/null 2>&1 |
		grep -q "unknown option \"$option\""; then
		echo "FAIL: --help lists $option"
		failures=$((failures + 1))
	fi
done
# A script opens the file again, whatever its name is.
odd='a "b\c.py'
cp "$source/tests/transcript/samples/code.py" "$odd"
is 0 'a .*c: [0-9]* nodes' "$fxdb" -nx -batch "$odd" -ex 'dump script -o s.fxdb'
is 0 'a .*c: [0-9]* nodes' "$fxdb" -nx -batch -x s.fxdb
is 2 'color" takes auto, always, never' "$fxdb" --color=red
is 0 '^fxdb [0-9]' "$fxdb" --version
is 0 'usage: fxdb' "$fxdb" --help
is 0 'lenet.py:LeNet --train' "$fxdb" --help
is 3 'trace .*one_model.py:Net traces it' "$fxdb" -nx -batch \
	"$source/tests/transcript/samples/one_model.py"

# A traced model says what its inputs make impossible.
. "$source/tests/parity/capture/sanitized.sh"
if can_trace; then
	is 0 'impossible shape, first %fc' "$fxdb" -nx -batch \
		--python "$python" -i 'x=f32[2,5]' \
		"$source/tests/transcript/samples/one_model.py:Net"
	# The layer that uses an input says what it takes.
	is 2 'hint: input x = f32\[1,4\], or an expression' "$fxdb" -nx -batch \
		--python "$python" -ex run \
		"$source/tests/transcript/samples/one_model.py:Net"
	# What a failed trace left is open, the graph before stays current.
	cat >branches.py <<-'END'
		from torch import nn


		class Branches(nn.Module):
		    def forward(self, x):
		        y = x + 1
		        return y if y.sum() > 0 else x
	END
	is 3 'Net stays current; the graph so far, .*: graph Branches' \
		"$fxdb" -nx -batch --python "$python" \
		-ex "trace branches.py:Branches" \
		"$source/tests/transcript/samples/one_model.py:Net"
	# Once, however often it fails.
	is 3 '^3 1 Branches$' "$fxdb" -nx -batch --python "$python" \
		--keep-going -ex 'trace branches.py:Branches' \
		-ex 'graph Branches' -ex 'trace branches.py:Branches' \
		-ex 'pipe graph | awk "/Branches/ {n++; w = \$3} END {print NR, n, w}"' \
		"$source/tests/transcript/samples/one_model.py:Net"
	is 3 'Branches is incomplete, as tracing it failed' "$fxdb" -nx \
		-batch --python "$python" --keep-going \
		-ex "trace branches.py:Branches" -ex run
	# An input may come in the next line of a script: nothing is missing.
	if "$fxdb" -nx -batch --python "$python" \
		-ex "trace $source/tests/transcript/samples/one_model.py:Net" \
		-ex 'input x = f32[2,4]' 2>&1 | grep 'no input'; then
		echo 'FAIL: a script is told of an input that it gives'
		failures=$((failures + 1))
	fi
	# Somebody at the prompt is told, unless commands were given too.
	at_prompt() {
		echo quit | timeout 60 script -qec "'$fxdb' -nx --python '$python' \
			'$source/tests/transcript/samples/one_model.py:Net' ${1:-}" /dev/null
	}
	if command -v script >/dev/null; then
		said="$(at_prompt | grep -c 'no input yet: input x')"
		said="$said $(at_prompt '-ex when' | grep -c 'no input yet')"
		[ "$said" = '1 0' ] || {
			echo "FAIL: told of the input $said times"
			failures=$((failures + 1))
		}
	fi
	# A script of what was traced with inputs replays.
	model=$source/tests/transcript/samples/one_model.py:Net
	"$fxdb" -nx -batch --python "$python" --seed 3 "$model" \
		-i 'x=f32[2,4]' -ex 'rename fc last' -ex 'seed 5' \
		-ex 'dump script -o replay.fxdb' >/dev/null 2>&1
	printf '%s\n' 'seed 3' "trace $model" 'input x = f32[2,4]' \
		'rename %fc last' 'seed 5' | diff - replay.fxdb || failures=$((failures + 1))
	is 0 'last .*f32\[2,4\]' "$fxdb" -nx -batch --python "$python" \
		-x replay.fxdb -ex 'nodes last'
	# Weights that the model makes up follow from the seed, as torch's do.
	weights() {
		"$fxdb" -nx -batch --python "$python" "$@" \
			-ex "trace $source/tests/transcript/samples/one_model.py:Net -i x=f32[2,4]" \
			-ex 'set backend python' -ex start \
			-ex 'p fc.weight[0, 0].item()' 2>&1 | sed -n 's/^\$1 = //p'
	}
	want() {
		"$python" -c "
import torch
torch.manual_seed($1)
print(torch.nn.Linear(4, 4).weight[0, 0].item())"
	}
	said="$(weights) $(weights) $(weights -ex 'seed 3')"
	if [ "$said" != "$(want 0) $(want 0) $(want 3)" ]; then
		echo "FAIL: weights of the seeds 0, 0, 3: $said"
		failures=$((failures + 1))
	fi
fi

# Sizes that are only names make shapes, and no values.
if has_values; then
	is 2 'the input x was given without numbers: f32\[N,4\]' "$fxdb" \
		-nx -batch "$mlp" -i 'x=f32[N,4]' -ex run
	is 0 'f32\[N,8\]' "$fxdb" -nx -batch "$mlp" -ex run \
		-ex 'shapes x=f32[N,4]' -ex 'nodes fc1'
	# Weights that undo took away are missed by name.
	is 2 'error: conv1.weight has no values' "$fxdb" -nx -batch \
		"$source/doc/examples/resnet18.fxg" -ex 'weights random' \
		-ex start -ex undo -ex 'p conv1.weight'
	# What no rule says of a shape, running does.
	printf 'def forward(self, x):\n%s\n%s\n' \
		'    nonzero = torch.nonzero(x)' '    return nonzero' >some.py
	is 0 'torch.nonzero  i64\[4,2\]' "$fxdb" -nx -batch some.py \
		-i 'x=ones(2,2)' -ex run -ex 'nodes nonzero'
fi

# Characters: ASCII when asked for, and on a terminal that has no others.
is 0 '^`- fc1' "$fxdb" -nx -batch "$mlp" --ascii -ex 'tree act -k 1'
is 0 '0  \.  *x ' "$fxdb" -nx -batch "$mlp" --ascii -ex 'nodes @0'
is 0 '^╰─ fc1' env LC_ALL=C "$fxdb" -nx -batch "$mlp" -ex 'tree act -k 1'
if command -v script >/dev/null; then
	is 0 '^`- ' env LC_ALL=C script -qec \
		"'$fxdb' -nx -batch '$mlp' --color=never -ex 'tree act -k 1'" \
		/dev/null
fi
is 0 '^color is never$' "$fxdb" -nx -batch --no-color -ex 'show color'
is 0 '^mouse is off$' "$fxdb" -nx -batch --no-mouse -ex 'show mouse'
is 0 'Graphviz' "$fxdb" --doctor

# The first error stops, and what came before it stays said.
is 2 '^one$' "$fxdb" -nx -batch -ex 'echo one' -ex nosuch -ex 'echo two'
said=$("$fxdb" -nx -batch -ex 'echo one' -ex nosuch -ex 'echo two' 2>/dev/null)
[ "$said" = one ] || { echo "FAIL: -ex went on: $said"; failures=$((failures + 1)); }
printf 'echo one\n\nnosuch\necho two\n' >bad.fxdb
is 2 'bad.fxdb:3: error: unknown command' "$fxdb" -nx -batch -x bad.fxdb
feeds 2 'stdin:3: error: unknown command' 'echo one\n\nnosuch\necho two\n'
feeds 2 'two' 'nosuch\necho two\n' --keep-going
is 2 'two' "$fxdb" -nx -batch --keep-going -x bad.fxdb
printf 'define act2\necho one\nnosuch\nend\nwhen\nact2\n' >calls.fxdb
is 2 'act2:2: error: unknown command' "$fxdb" -nx -batch "$mlp" -x calls.fxdb
is 2 'called at calls.fxdb:6' "$fxdb" -nx -batch "$mlp" -x calls.fxdb
is 0 - "$fxdb" -nx -batch -x /dev/null
feeds 2 'byte 0x00 at column 5' 'echo\000x\n'
feeds 2 'not text: byte 0xff' '\377\376\n'
feeds 7 '' 'quit 7\necho never\n'
feeds 0 'last' 'echo last'

# A run that a node stops is no wrong command, and not fine either.
is 2 '^on$' "$fxdb" -nx -batch "$mlp" -i x=f32[2,5] -ex run -ex 'echo on'
is 2 '^on$' "$fxdb" -nx -batch "$mlp" -i x=f32[2,5] -ex start -ex n -ex 'echo on'
is 0 - "$fxdb" -nx -batch "$mlp" -i x=f32[2,5] -ex run -ex 'quit 0'
is 3 - "$fxdb" -nx -batch "$mlp" -i x=f32[2,5] -ex run -ex 'quit 3'
feeds 2 '^on$' 'input x = f32[2,5]\nrun\necho on\n' "$mlp"
feeds 2 '^Finished' 'input x = f32[2,5]\nrun\ninput x = f32[2,4]\nrun\n' "$mlp"
# Shapes only, where values were wanted, is not fine.
status=2
has_values && status=0
is $status '^Finished' "$fxdb" -nx -batch "$mlp" -ex run
is 0 '^Finished' "$fxdb" -nx -batch "$mlp" -ex 'set backend meta' -ex run

# Inputs, JSON, read-only.
is 0 'f32\[9,8\]' "$fxdb" -nx -batch "$mlp" -i x=f32[9,4] -ex 'nodes name=fc1'
is 2 'has no input' "$fxdb" -nx -batch "$mlp" -i y=f32[9,4]
is 0 '^{"command":"when","ok":true' "$fxdb" -nx -batch --json "$mlp" -ex when
is 2 '"ok":false,"error":{"code":"unknown-command"' "$fxdb" -nx -batch --json -ex nosuch
is 2 'read-only session' "$fxdb" -nx -batch --readonly "$mlp" -ex 'rename act relu'
is 2 'read-only session' "$fxdb" -nx -batch --readonly "$mlp" -ex 'save a.fxg'
for line in 'nodes -o a.txt' 'draw -o a.txt' 'log session a.txt' '!ls' \
	'shell ls' 'pipe nodes | cat' 'dump value fc1.weight a.txt.npy' \
	'dump folder a.txt'; do
	is 2 'read-only session' "$fxdb" -nx -batch --readonly "$mlp" -ex "$line"
done
[ ! -e a.txt ] && [ ! -e a.txt.npy ] || { echo "FAIL: --readonly writes"; failures=$((failures + 1)); }
is 0 '"text":"hi.n","status":0}$' "$fxdb" -nx -batch --json -ex '!echo hi'
is 0 '"text":"8.n","status":0}$' "$fxdb" -nx -batch --json "$mlp" \
	-ex 'pipe nodes | wc -l'
is 0 '"status":3' "$fxdb" -nx -batch --json -ex '!head -c 1000000 /dev/zero | tr "\\0" a; exit 3'
is 0 '^{"command":"nodes","ok":true,"file":"n.txt"}$' "$fxdb" -nx -batch \
	--json "$mlp" -ex 'nodes -o n.txt'
is 0 '"output":1,"parameters":76,' "$fxdb" -nx -batch --json "$mlp" -ex 'info graph'
is 2 'mlp has no input ""' "$fxdb" -nx -batch "$mlp" -i =f32[2,4]
is 0 'Seed 5' "$fxdb" -nx -batch --seed 5 -ex seed
is 2 'not a terminal' "$fxdb" -nx -batch -ex tui

# The full screen is for a terminal: what goes to a file stays text.
if command -v script >/dev/null; then
	printf '%s\n' tui quit | timeout 60 script -qec \
		"'$fxdb' -nx '$mlp' --tui >screen.out" /dev/null >said
	[ "$(grep -c 'tui: standard output is not a terminal' said)" = 2 ] &&
		! grep -q $'\033' screen.out || {
		echo "FAIL: a screen in a file: $(cat said screen.out)"
		failures=$((failures + 1))
	}
fi

# What builds it says what it takes itself, and builds nothing for that.
mkdir -p tree/scripts
cp "$source/scripts/run" "$source/scripts/common.sh" tree/scripts
is 0 '^run \[--core\]' bash tree/scripts/run --help

# Results on one file, everything else on the other.
out=$("$fxdb" -nx -batch -ex nosuch 2>/dev/null)
[ -z "$out" ] || { echo "FAIL: an error on standard output"; failures=$((failures + 1)); }

# A reader that has had enough.
is 0 - bash -c "'$fxdb' -nx -batch '$source/doc/examples/resnet18.fxg' -ex nodes -ex nodes -ex 'dump python' | head -n 1; exit \${PIPESTATUS[0]}"

# No colours in a pipe; on request.
out=$("$fxdb" -nx -batch "$mlp" -ex nodes | grep -c $'\033')
[ "$out" = 0 ] || { echo "FAIL: colours in a pipe"; failures=$((failures + 1)); }
out=$("$fxdb" -nx -batch --color=always "$mlp" -ex nodes | grep -c $'\033')
[ "$out" != 0 ] || { echo "FAIL: no colours on request"; failures=$((failures + 1)); }

# The init file is read, one in the current folder is not.
mkdir -p config/fxdb
echo 'echo from init' >config/fxdb/init
echo 'echo from here' >.fxdbinit
is 0 'from init' "$fxdb" -batch
out=$("$fxdb" -batch 2>&1)
[ "$out" = 'from init' ] || { echo "FAIL: init: $out"; failures=$((failures + 1)); }
echo "set auto-load $(pwd -P)" >config/fxdb/init
is 0 'from here' "$fxdb" -batch
out=$("$fxdb" -nx -batch 2>&1)
[ -z "$out" ] || { echo "FAIL: -nx reads: $out"; failures=$((failures + 1)); }

# Ctrl-C while the next line is awaited is no end of the input.
mkfifo silent
exec 9<>silent
"$fxdb" -nx "$mlp" <silent >awaited 2>&1 &
until [ -s awaited ] && grep -q ') S ' /proc/$!/stat; do sleep 0.05; done
kill -INT $!
wait $!
[ "$?$(tail -n 1 awaited)" = '2error: interrupted' ] || {
	echo "FAIL: Ctrl-C in batch: $(cat awaited)"
	failures=$((failures + 1))
}
exec 9>&-

# A file does not get what was meant for a standard one that is closed.
bash -c "'$fxdb' -nx -batch -ex 'log session closed.log' -ex 'echo one' \
	-ex nosuch <&- >&- 2>&-"
printf '%s\n' 'echo one' '# one' nosuch '# error: unknown command "nosuch"' |
	diff - closed.log || failures=$((failures + 1))

# A full disk: the file is as it was, and lost output is no success.
if [ -w /dev/full ]; then
	for option in --help --version --doctor; do
		is 2 'standard output: No space' bash -c \
			"'$fxdb' $option 2>&1 >/dev/full"
	done
	is 2 - "$fxdb" -nx -batch "$mlp" -ex 'dump python -o /dev/full'
	is 2 'logging ended' "$fxdb" -nx -batch -ex 'log session /dev/full' \
		-ex 'echo one'
fi
cp "$mlp" keep.fxg
before=$(cksum <keep.fxg)
is 2 - bash -c "ulimit -f 0; trap '' XFSZ; exec '$fxdb' -nx -batch '$mlp' -ex 'save keep.fxg'"
[ "$(cksum <keep.fxg)" = "$before" ] ||
	{ echo "FAIL: a failed save changed the file"; failures=$((failures + 1)); }
# Nor does half of what belongs together stay: the weights are small enough.
mkdir -p half
is 2 'file too large' bash -c "ulimit -f 1; trap '' XFSZ; exec '$fxdb' -nx -batch '$mlp' \
	-ex 'weights random' -ex 'save half/m.fxg'"
is 2 'file too large' bash -c "ulimit -f 1; trap '' XFSZ; exec '$fxdb' -nx -batch '$mlp' -ex 'dump folder half/f'"
left=$(find half -mindepth 1)
[ -z "$left" ] || { echo "FAIL: left by a full disk: $left"; failures=$((failures + 1)); }

# A crash says what it was doing and where that is kept (sanitizers have a
# report of their own).
if ! nm "$fxdb" | grep -q __asan_init; then
	is 139 'saved files are whole' "$fxdb" -nx -batch -ex 'shell kill -SEGV $PPID'
	is 139 '^    rename fc1 first$' "$fxdb" -nx -batch "$mlp" \
		-ex 'rename fc1 first' -ex 'shell kill -SEGV $PPID'
fi

# A script that comes through a pipe is waited for.
mkfifo late
(sleep 0.3; echo 'echo it came' >late) &
is 0 'it came' "$fxdb" -nx -batch -x late
wait

# It starts in no time: the best of ten, in milliseconds.
best=1000
for _ in 1 2 3 4 5 6 7 8 9 10; do
	begin=$(date +%s%N)
	"$fxdb" -nx -batch -ex quit
	took=$((($(date +%s%N) - begin) / 1000000))
	[ "$took" -lt "$best" ] && best=$took
done
echo "start: $best ms"
[ "$best" -lt 200 ] || { echo "FAIL: slow start"; failures=$((failures + 1)); }

[ "$failures" = 0 ]
