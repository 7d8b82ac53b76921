#!/usr/bin/env bash
# signals.sh - signals leave the terminal as it was.
python=${FXDB_PYTHON:-python3}
command -v "$python" >/dev/null || {
	echo "no Python to drive a terminal"
	exit 77
}
if ! "$FXDB" -nx -batch -ex 'help tui' >/dev/null 2>&1; then
	echo "built without the full screen"
	exit 77
fi
exec "$python" "$(dirname "$0")/signals.py" "$FXDB" \
	"$FXDB_SRCDIR/doc/examples/mlp.fxg" "${FXDB_SHIMS:-}"
