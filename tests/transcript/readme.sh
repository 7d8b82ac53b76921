#!/usr/bin/env bash
# readme.sh - every line of the README's five minutes works as it stands.
set -u
lines=$(mktemp) || exit 1
trap 'rm -f "$lines"' EXIT
# From the heading to the end of its code block; remarks begin after two blanks.
sed -n '/^## Five minutes/,/^Tracing your own/p' "$FXDB_SRCDIR/README.md" |
	sed -nE 's/^\(fxdb\) (.*)$/\1/p' | sed -E 's/   .*$//' >"$lines"
count=$(wc -l <"$lines")
[ "$count" -ge 20 ] || { echo "only $count lines found"; exit 1; }
cd "$FXDB_SRCDIR" || exit 1
HOME=/nonexistent XDG_STATE_HOME=/nonexistent "$FXDB" -nx -batch \
	doc/examples/mlp.fxg -x "$lines"
