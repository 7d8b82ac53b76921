#!/bin/sh
# prompt_tmux.sh - the prompt in tmux, a terminal that we did not write: long
# lines go on between words, whatever the width; Ctrl-C leaves what was typed as
# it stands; only y, yes, n and no are answers; --tui says why there is none.
set -u
. "${FXDB_SRCDIR:?}/tests/screen/on_tmux.sh"

mlp=$FXDB_SRCDIR/doc/examples/mlp.fxg
# What the screen shows, without blank rows at its end.
screen() {
	tmux_ capture-pane -p | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}
# The last row but one, and the last.
last_rows() {
	screen | tail -n 2
}

begin 80 24

# The first screen has no line that goes on.
type_keys "clear; $FXDB -nx; echo "'"left"_0' Enter
see yes '(fxdb)'
[ "$(screen | grep -c .)" = 6 ] || fail 'the first screen at 80 columns'
type_keys quit Enter
see yes left_0
type_keys clear Enter
type_keys "$FXDB -nx -q $mlp; echo "'"left"_1' Enter
see yes '(fxdb)'

# A line wider than the screen goes on, indented, between two of its words.
type_keys 'echo one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen'
type_keys Enter
see yes '
one two'
screen | grep -q '^    fifteen$' || fail 'the second row of a long line'

# Ctrl-C in the middle of a line: it stands, and the next is clean.
type_keys C-l
type_keys -l 'nodes {op=call_module}'
see yes 'call_module}'
type_keys Left Left Left Left C-c
see yes '^C'
[ "$(last_rows)" = '(fxdb) nodes {op=call_module}^C
(fxdb)' ] || fail 'after Ctrl-C'
# The same where the line takes two rows and the cursor is on the first.
type_keys C-l
type_keys -l 'nodes {op=call_module and not target~"a_long_name_that_is_not_there*" and in layer1.0}'
see yes 'layer1.0}'
type_keys C-a C-c
see yes '^C'
screen | grep -q '^(fxdb) nodes {op=call_module and not' ||
	fail 'the first of two rows after Ctrl-C'
[ "$(screen | tail -n 1)" = '(fxdb)' ] || fail 'no clean prompt'
screen | grep -q 'layer1\.0}^C$' || fail 'the second of two rows after Ctrl-C'

# A question: what only begins like an answer is none.
type_keys C-l
type_keys 'b nosuch' Enter
see yes '(y or n)'
for word in nodes never yesterday yn; do
	type_keys C-l
	type_keys "$word" Enter
	see yes 'Please answer y or n.'
done
type_keys C-l
type_keys ' No ' Enter
see yes 'error: no node'
type_keys C-l
type_keys 'b nosuch' Enter
see yes '(y or n)'
type_keys 'YES' Enter
see yes 'Breakpoint 1 (nosuch) pending'
type_keys C-l
type_keys 'tbreak nothing' Enter
see yes '(y or n)'
type_keys C-d
see yes 'error: no node'

type_keys C-l
type_keys quit Enter
see yes left_1

# Errors that go to a file are whole there, and have no colours.
name=one_two_three_four_five_six_seven_eight_nine_ten_eleven_twelve_thirteen
type_keys "$FXDB -nx -q -batch $mlp -ex 'node $name' 2>$work/said; echo "'"said"_1' Enter
see yes said_1
grep -q "^error: no node \"$name\" in mlp" "$work/said" ||
	fail "in a file: $(cat "$work/said")"

# No full screen: one line says why, and what was asked for goes on.
type_keys clear Enter
type_keys "echo 'p 1 + 1' | $FXDB -nx -q --tui" Enter
see yes '$1 = 2'
see yes 'tui: standard input is not a terminal'
type_keys clear Enter
type_keys "TERM=dumb $FXDB -nx -q --tui $mlp; echo "'"left"_2' Enter
see yes 'tui: terminal "dumb" cannot address the cursor'
see yes '(fxdb)'
type_keys quit Enter
see yes left_2
# Asked for by -ex, it is there.
type_keys clear Enter
type_keys "$FXDB -nx -q $mlp -ex tui; echo "'"left"_3' Enter
see yes '[graph]'
type_keys ':quit' Enter
see yes left_3

# As narrow as it may be: no row is broken in a word, nor a question cut.
tmux_ resize-window -x 20 -y 40
type_keys 'until [ "$(stty size)" = "40 20" ]; do :; done; echo "resized"_1' Enter
see yes resized_1
type_keys "$FXDB -nx -q $mlp" Enter
see yes '(fxdb)'
type_keys C-l
type_keys 'tbreak nothing' Enter
see yes '(y or n)'
screen | grep -q '^(y or n)' || fail 'the question at 20 columns'
screen | tr -d '\n' | tr -s ' ' | grep -q 'Make the breakpoint pending?' ||
	fail 'a question in 20 columns'
type_keys n Enter
see yes 'error: no node'
# A node is a row, in its least.
type_keys C-l
type_keys 'nodes -m 2' Enter
see yes 'more; -m'
screen | grep -q '^ *1  .*fc1$' || fail 'a row of nodes at 20 columns'
see yes 'no room for'
# The pager's question is one row, and nothing of it is left.
type_keys C-l
type_keys 'set height 5' Enter
see yes '(fxdb)'
type_keys 'info' Enter
see yes '-- more; q ends --'
type_keys q
see no 'more'
type_keys 'set height 0' Enter
type_keys C-l
type_keys 'help step' Enter
see yes 'step [COUNT]'
# Every word of the help, but for the table's, stands whole in some row.
for word in nested graphs; do
	screen | grep -qw "$word" || fail "$word at 20 columns"
done
exit 0
