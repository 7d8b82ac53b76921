#!/bin/sh
# drag_tmux.sh - a border between panes follows the mouse while it is pressed, in
# a terminal that tells how it moves; a resize lets go of it.
set -u
. "${FXDB_SRCDIR:?}/tests/screen/on_tmux.sh"

# What a terminal sends of the mouse: press, drag or release, at ROW and COLUMN.
mouse() {
	case $1 in
	press) button=' ' ;;
	drag) button=@ ;;
	release) button='#' ;;
	esac
	printf '\033[M%s\\%o\\%o' "$button" $((33 + $3)) $((33 + $2)) >"$work/event"
	type_keys -l "$(printf "$(cat "$work/event")")"
}
# The border stands in column $1.
stands_at() {
	tries=0
	until tmux_ capture-pane -p | sed -n 2p | grep -q "^┌[^┐]\{$1\}┐┌"; do
		tries=$((tries + 1))
		[ "$tries" -gt 300 ] && fail "the border is not at $1"
		sleep 0.02
	done
}
modes() { tmux_ display -p '#{mouse_button_flag}#{mouse_standard_flag}'; }

begin 100 20
type_keys "cd $work && $FXDB -nx -q --tui $FXDB_SRCDIR/doc/examples/mlp.fxg" Enter
see yes '[graph]'
[ "$(modes)" = 10 ] || fail "motion is not asked for: $(modes)"
stands_at 61
# A terminal that is slow to come may tell its size once more, which lets go.
tries=0
until tmux_ capture-pane -p | sed -n 2p | grep -q '^┌[^┐]\{53\}┐┌'; do
	tries=$((tries + 1))
	[ "$tries" -gt 200 ] && fail 'the border does not follow'
	if [ $((tries % 20)) = 1 ]; then
		mouse release 4 63
		mouse press 4 63
		mouse drag 4 55
	fi
	sleep 0.02
done
mouse drag 4 64
stands_at 62
# No further than it goes, and back with the pointer.
mouse drag 4 1
mouse drag 4 51
stands_at 49
mouse release 4 51
stands_at 49
type_keys ':' 'echo behind' Enter
see yes behind
stands_at 49

# The terminal is resized while the border is held.
mouse press 4 51
mouse drag 4 48
stands_at 46
tmux_ resize-window -x 90 -y 20
see yes '(fxdb)'
mouse drag 4 30
mouse release 4 30
type_keys ':' 'echo resized' Enter
see yes resized
tmux_ capture-pane -p | sed -n 2p | grep -q '^┌[^┐]\{28\}┐┌' &&
	fail 'a border moved that nobody held'

# It is held when the program is suspended and when it ends.
type_keys ':' 'set mouse off' Enter
see yes 'set mouse off'
until [ "$(modes)" = 00 ]; do sleep 0.02; done
type_keys ':' 'set mouse on' Enter
until [ "$(modes)" = 10 ]; do sleep 0.02; done
type_keys C-z
see no '[graph]'
[ "$(modes)" = 00 ] || fail "the mouse is not given back: $(modes)"
type_keys fg Enter
see yes '[graph]'
until [ "$(modes)" = 10 ]; do sleep 0.02; done
mouse press 4 48
type_keys ':' 'quit' Enter
see no '[graph]'
[ "$(modes)" = 00 ] || fail "the mouse is not given back at the end: $(modes)"
exit 0
