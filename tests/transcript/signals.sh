#!/usr/bin/env bash
# signals.sh - signals leave the terminal as it was.
python=${FXDB_PYTHON:-python3}
command -v "$python" >/dev/null || {
	echo "no Python to drive a terminal"
	exit 77
}
PYTHONDONTWRITEBYTECODE=1 exec "$python" "$(dirname "$0")/signals.py" "$FXDB" \
	"$FXDB_SRCDIR/doc/examples/mlp.fxg" "${FXDB_SHIMS:-}"
