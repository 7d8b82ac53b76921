# on_tmux.sh - a shell in tmux, to be read by tests (.): begin COLUMNS ROWS,
# type_keys, see, fail.  Without tmux the test is skipped.
command -v tmux >/dev/null || exit 77
: "${FXDB:?}" "${FXDB_SRCDIR:?}"
work=$(mktemp -d) || exit 99
socket=fxdb-test-$$
tmux_() {
	tmux -L "$socket" -f /dev/null "$@"
}
finish() {
	tmux_ kill-server 2>/dev/null
	# (What it ended may still write there.)
	rm -rf "$work" 2>/dev/null || { sleep 0.3; rm -rf "$work"; }
}
trap finish EXIT

fail() {
	echo "failed: $1; on the screen:"
	tmux_ capture-pane -p
	exit 1
}
# Wait until the screen has (or, with !, has not) the text $2.
see() {
	tries=0
	while :; do
		case $(tmux_ capture-pane -p) in
		*"$2"*) found=yes ;;
		*) found=no ;;
		esac
		[ "$found" = "$1" ] && return
		tries=$((tries + 1))
		[ "$tries" -gt 3000 ] && fail "$2 ($1)"
		sleep 0.02
	done
}
type_keys() {
	tmux_ send-keys "$@"
}
begin() {
	env -u LINES -u COLUMNS -u TMUX HOME="$work" LC_ALL=C.UTF-8 \
		XDG_STATE_HOME="$work/state" \
		INPUTRC=/dev/null PS1='$ ' ENV= FXDB="$FXDB" \
		tmux -L "$socket" -f /dev/null new-session -d -x "$1" -y "$2" \
		/bin/sh || exit 77
}
