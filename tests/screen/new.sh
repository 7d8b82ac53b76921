#!/bin/sh
# A new screen test has keys alone; FXDB_UPDATE=1 writes its screens.
run="$FXDB_BUILDDIR/tests/screen/fxs"
file=$(mktemp) || exit 99
trap 'rm -f "$file"' EXIT
cd "$FXDB_SRCDIR" || exit 99
unset FXDB_UPDATE
printf '%s\n' '# New.' '> load doc/examples/mlp.fxg' 'size 60x8' 'keys j' \
	'keys qq' >"$file"
"$run" "$file" 2>/dev/null && { echo 'no screen, and it passed'; exit 1; }
FXDB_UPDATE=1 "$run" "$file" || exit 1
if ! grep -q '1 ·  ● fc1 ‹x›  Linear' "$file" ||
	[ "$(grep -c '^---- ' "$file")" != 4 ] || ! "$run" "$file"; then
	cat "$file"
	exit 1
fi
