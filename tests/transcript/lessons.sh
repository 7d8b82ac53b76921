#!/usr/bin/env bash
# lessons.sh - every step of every lesson passes with its own answer, gives
# its hint after a wrong try, can be left and taken up, and has other ways.
. "$(dirname "$0")/home.sh"
fxdb()
{
	"$fxdb" -nx -batch --keep-going --python "$python" "$@" >said 2>&1
}
count() { [ "$(grep -c -- "$2" said)" -eq "$1" ] || fail "not $1 times: $2"; }
# KEYWORD of the lesson FILE, a line for each step.
of_steps() { sed -n "s/^$1\t//p" "$2"; }

number=0
for lesson in "$source"/doc/lessons/*.lesson; do
	number=$((number + 1))
	of_steps line "$lesson" >answers
	of_steps hint "$lesson" >hints
	steps=$(wc -l <answers)
	uses_python=$(of_steps instead "$lesson")
	rm -f ./*.py
	if [ -n "$uses_python" ] && ! can_trace; then
		continue
	fi

	# Without values the steps that need them are left out.
	needs=$(of_steps needs "$lesson" | wc -l)
	awk -F'\t' '/^step/ { needs = 0 } /^needs/ { needs = 1 }
		/^line/ && !needs { print $2 }' "$lesson" >script
	fxdb -ex 'set backend meta' -ex "tutorial $number" -x script
	count "$needs" 'is left out'
	count "$((steps - needs))" '^Right\.'
	has_values || continue

	# The answers, and nothing else.
	fxdb -ex "tutorial $number" -x answers
	count "$steps" '^Right\.'
	count 0 'Not yet'
	count 0 'left out'
	says "[$steps/$steps]"
	says "$(of_steps end "$lesson")"

	# Two wrong tries before each: the hint, then the answer; what only asks
	# for help is no try.
	sed 's/.*/help step\necho no\necho no\n&/' answers >script
	fxdb -ex "tutorial $number" -x script
	count "$steps" '^Right\.'
	count "$((2 * steps))" '^Not yet: '
	while IFS= read -r hint; do
		says "Not yet: $hint"
	done <hints
	while IFS= read -r answer; do
		says "Not yet: $answer does it; tutorial skip"
	done <answers

	# An error is no answer either, and comes with the hint.
	fxdb -ex "tutorial $number" -ex nosuch
	says 'error: unknown command "nosuch"'
	says "  lesson: $(head -n 1 hints)"

	# Left in the middle, in this session and by ending it.
	halfway='1 6'
	[ -z "$uses_python" ] || halfway=6
	for step in $halfway $((steps - 1)); do
		rm -rf state
		head -n "$step" answers >before
		tail -n "+$((step + 1))" answers >after
		fxdb -ex "tutorial $number" -x before -ex 'tutorial stop' \
			-ex graph -ex tutorial
		says "Left at step $((step + 1)) of lesson $number"
		says 'No graph is open.'
		fxdb -ex tutorial -x after
		says "Lesson $number: "
		says "It goes on; what the first $step step"
		count "$((steps - step))" '^Right\.'
	done

	# Everything skipped; again begins the lesson anew.
	sed 's/.*/tutorial skip/' answers >script
	fxdb -ex "tutorial $number" -x script
	count "$steps" '^Done for you\.'
	fxdb -ex "tutorial $number" -x before -ex 'tutorial again'
	[ "$(grep -c "^\[1/$steps\]" said)" -eq 2 ] || fail 'not from the start'
done
[ "$number" -eq 4 ] || fail "$number lessons"

has_values || exit 0

# A lesson leads to the next.
of_steps line "$source"/doc/lessons/1-look.lesson >answers
rm -rf state
fxdb -ex tutorial -x answers -ex tutorial
says 'Lesson 1: '
says 'Lesson 2: '

# A file of one's own: without Python what it would give is opened, and a file
# that is there is not written over.
own=$source/doc/lessons/3-own.lesson
of_steps line "$own" >answers
rm -rf state ./*.py
sed "1s/.*/$(of_steps instead "$own")/" answers >script
fxdb -ex 'tutorial 3' -x script
count "$(wc -l <answers)" '^Right\.'
says 'mistakes.py is in this folder now.'
cmp "$source/doc/examples/mistakes.py" mistakes.py || fail 'another file'
sed 's/.*/tutorial skip/' answers >script
fxdb --python /nonexistent -ex 'tutorial 3' -x script
count "$(wc -l <answers)" '^Done for you\.'
says 'mistakes.py is in this folder already, and stays as it is.'
says '(fxdb) demo --open mistakes'
fxdb --python /nonexistent -ex 'tutorial 3' -x answers
says 'is right; where it cannot be done, demo --open mistakes leads on.'
rm -f mistakes.py
fxdb --readonly -ex 'tutorial 3' -ex 'tutorial skip'
says 'mistakes.py is not in this folder: '
[ ! -e mistakes.py ] || fail 'written though read-only'
fxdb -ex 'demo --open mistakes' -ex 'tutorial 3' -ex nodes -ex 'tutorial stop' -ex graph
says 'Not yet: trace mistakes.py:Net'
says 'mistakes'
if can_trace; then
	# Mended in the file and traced again, as one does it.
	sed 's/16, 3/8, 3/' mistakes.py >layer
	sed 's/4.0, -1.0/4.0, 1.0/' layer >both
	{
		sed 3q answers
		echo 'shell cp layer mistakes.py'
		sed 1q answers
		printf '%s\n' run 'why nan' 'shell cp both mistakes.py'
		sed 1q answers
		printf '%s\n' run 'dump python' 'tutorial skip'
	} >script
	fxdb -ex 'tutorial 3' -x script
	count 9 '^\(Right\|Done for you\)\.'
	# What is mended already cannot be found again.
	cp both mistakes.py
	sed 's/.*/tutorial skip/' answers >script
	fxdb -ex 'tutorial 3' -x script
	says '(fxdb) why nan'
	says 'Left out: no value of what ran is NaN'
	says 'You can open your own model now'
fi

# The copy that lesson 4 makes goes with it, one of that name from before stays.
of_steps line "$source/doc/lessons/4-why.lesson" | sed 8q >script
fxdb -ex 'tutorial 4' -x script -ex 'tutorial stop' -ex graph
says 'No graph is open.'
fxdb -ex "load $mlp as good" -ex 'tutorial 4' -x script -ex 'tutorial stop' \
	-ex graph
tail -n 1 said | grep -q ' 1  good ' || fail 'good is gone'
tail -n 2 said | grep -q ' lesson ' && fail 'the graph of the lesson is left'

# A command that fails is no answer, whatever holds.
of_steps line "$source"/doc/lessons/2-change.lesson | head -n 6 >ways
fxdb -ex 'tutorial 2' -x ways -ex 'assert add == $before'
count 6 '^Right\.'
says 'lesson: '

# A breakpoint of an earlier step stops the answer of a later one: it is said.
of_steps line "$source"/doc/lessons/1-look.lesson |
	sed 's/^goto add$/break add\ncontinue/' >ways
fxdb -ex 'tutorial 1' -x ways
says 'Not yet: the breakpoint at add stopped it; continue again goes on.'

# Other ways to the same.
cat >script <<'END'
list
info node add
alias mine = nodes
mine {op=call_module}
break fc1
run
next
p/v fc1
break add
continue
reverse-next
rs 2
delete
run
END
fxdb -ex 'tutorial 1' -x script
count 10 '^Right\.'
cat >script <<'END'
start
finish
set $before = %add + 0
begin
replace act = fc1.relu()
commit
erase act
END
fxdb -ex 'tutorial 2' -x script
count 2 '^Right\.'
cat >script <<'END'
r
set $before = add
insert after act : mine = F.relu(fc1)
erase act --to mine
rename mine act
info undo
END
fxdb -ex 'tutorial 2' -x script
count 4 '^Right\.'

# torch.nn.functional has a relu too: it is as right, up to the end.
of_steps line "$source"/doc/lessons/2-change.lesson |
	sed 's/= torch\.relu(/= F.relu(/' >script
grep -qF 'F.relu(fc1)' script || fail 'no answer with torch.relu'
fxdb -ex 'tutorial 2' -x script
count 0 'Not yet'
count "$(wc -l <script)" '^Right\.'

# What a step does not ask for is no answer; a breakpoint on the way to one is
# no wrong try.
cat >script <<'END'
nodes
node add
list
step
nodes
nodes op=call_module
run --to drop
goto fc1
step
print act
print x
run --to act
print act
print fc1
break add
continue
END
fxdb -ex 'tutorial 1' -x script
count 7 '^Right\.'
says 'open under the name "lesson"'
count 1 'Not yet: nodes, then op= and the kind'
count 1 'Not yet: nodes op=call_module does it'
says 'Not yet: print fc1 does it'
count 0 'Not yet: break add'

# Where one ran ahead the answer is told to be right, but does not do; skip
# leads back to the lesson.  One of two undos is no wrong try.
cat >script <<'END'
nodes
node add
nodes op=call_module
start
step
reverse-step
print fc1
tutorial skip
END
fxdb -ex 'tutorial 1' -x script
says 'print fc1 is right, but the graph is no longer as the steps before'
says 'It goes on; what the first 5 steps did is done again.'
says '[7/10]'
of_steps line "$source"/doc/lessons/2-change.lesson >second
{
	sed 5q second | sed '5s/.*/undo\nlint\ntutorial skip/'
	sed -n 6,10p second
	printf '%s\n' undo undo redo undo 'tutorial skip'
} >script
fxdb -ex 'tutorial 2' -x script
count 1 'Not yet: lint checks them'
count 1 'Not yet: lint is right, but'
count 1 'It goes on; what the first 4 steps did is done again.'
count 0 'Not yet: undo'
says '[13/13]'
{
	sed 11q second
	printf '%s\n' 'redo 2' redo 'tutorial skip'
} >script
fxdb -ex 'tutorial 2' -x script
says 'lesson: redo is right, but the graph is no longer'
says 'It goes on; what the first 11 steps did is done again.'
says '[13/13]'

# The lesson's graph leaves the others alone.
fxdb "$source/doc/examples/transformer.fxg" -ex 'tutorial 1' -ex nodes \
	-ex 'tutorial stop' -ex 'info graph'
says 'class          Block'
fxdb -ex 'tutorial 1' -ex 'graph drop lesson' -ex nodes
count 0 '^Right'

# What lessons begin with stays as it is.
cp "$mlp" mlp.fxg
fxdb -ex 'tutorial 2' -ex run -ex 'rename act relu' -ex save
says 'error: lesson was not loaded from a file'
cmp "$mlp" mlp.fxg || fail 'the example changed'

# Words of the command itself.
fxdb -ex 'tutorial 5' -ex 'tutorial hint' -ex 'tutorial list'
says 'there is no lesson "5"'
says 'no lesson is on'
says 'Change a graph and prove it'
of_steps line "$source"/doc/lessons/1-look.lesson >answers
fxdb --readonly -ex 'tutorial 1' -x answers
count 10 '^Right\.'
exit 0
