#!/bin/sh
# tmux.sh - the full screen in tmux, a terminal that we did not write: by keys
# alone open, move, insert, see it, undo, suspend, resize from 200x60 to 1x1 and
# back, quit; the line's modes are as before.
set -u
. "${FXDB_SRCDIR:?}/tests/screen/on_tmux.sh"

begin 80 24
type_keys 'stty -a >'"$work"'/before; echo "ready"_1' Enter
see yes ready_1
type_keys "$FXDB -nx -q $FXDB_SRCDIR/doc/examples/mlp.fxg --tui" Enter
see yes '[graph]'
[ "$(tmux_ display -p '#{alternate_on}')" = 1 ] || fail 'alternate screen'

# Move, insert, see it, undo.
type_keys j j
type_keys ':'
type_keys -l 'insert after act : inserted = torch.neg(act) --splice'
type_keys Enter
see yes 'undo 1'
see yes ' inserted '
type_keys U
see yes 'undo 0'

# Step and go back.
type_keys ':start' Enter
see yes 'stopped before @1/7'
type_keys s s
see yes 'stopped before @3/7'
# What was just computed is in sight, its range where libtorch is.
see yes 'act  @2  last result'
! ls "${FXDB_SHIMS:-none}"/fxdb-torch-*.so >/dev/null 2>&1 || see yes 'min '
type_keys S
see yes 'fc1  @1  last result'
see yes 'stopped before @2/7'

# Any size.
for size in 200x60 120x40 80x24 60x12 40x10 20x5 10x3 2x2 1x1 200x60 80x24; do
	tmux_ resize-window -x "${size%x*}" -y "${size#*x}"
	case $size in
	10x3 | 2x2 | 1x1) see no fc1 ;;
	*) see yes fc1 ;;
	esac
done

# Suspend and come back.
type_keys C-z
see yes Stopped
type_keys fg Enter
see yes '[graph]'
type_keys j
see yes 'stopped before @2/7'

# To the prompt, and out.
type_keys q
see no '[graph]'
see yes '(fxdb)'
type_keys tui Enter
see yes '[graph]'
# What is typed here and at the prompt is one history.
type_keys ':print 6 * 7' Enter
see yes '= 42'
type_keys : Up ' + 0.5' Enter
see yes '= 42.5'
type_keys q
see no '[graph]'
type_keys Up ' + 1' Enter
see yes '= 43.5'
type_keys tui Enter
see yes '[graph]'
type_keys ':quit' Enter
see no '[graph]'
type_keys 'stty -a >'"$work"'/after; echo "ready"_2' Enter
see yes ready_2
[ "$(tmux_ display -p '#{alternate_on}#{cursor_flag}#{mouse_any_flag}')" = 010 ] ||
	fail 'the terminal is not as before'
cmp "$work/before" "$work/after" || fail 'the modes are not as before'

# Killed on the screen: restored all the same.
type_keys "$FXDB -nx -q $FXDB_SRCDIR/doc/examples/mlp.fxg --tui" Enter
see yes '[graph]'
pid=
for dir in /proc/[0-9]*; do
	{ tr '\0' ' ' <"$dir/cmdline"; } 2>/dev/null |
		grep -q "^$FXDB .*--tui" || continue
	[ "$({ tr '\0' '\n' <"$dir/environ"; } 2>/dev/null |
		sed -n 's/^HOME=//p')" = "$work" ] && pid=${dir#/proc/}
done
[ -n "$pid" ] || fail 'no process'
kill -TERM "$pid"
see no '[graph]'
type_keys 'stty -a >'"$work"'/after; echo "ready"_3' Enter
see yes ready_3
cmp "$work/before" "$work/after" || fail 'SIGTERM: other modes than before'

# What went wrong at the beginning is not covered by an empty screen.
type_keys "clear; $FXDB -nx -q none.fxg --tui" Enter
see yes 'cannot read "none.fxg"'
see yes '(fxdb)'
see no '[graph]'
type_keys tui Enter
see yes '[graph]'
exit 0
