#!/usr/bin/env bash
# recovered.sh - recovered.py where there is a Python.
[ -n "${FXDB_PYTHON:-}" ] || exit 77
python=$FXDB_PYTHON
. "${FXDB_SRCDIR:?}/tests/parity/capture/sanitized.sh"
TRACING_PYTHON=$python PYTHONDONTWRITEBYTECODE=1 "$FXDB_PYTHON" \
	"$FXDB_SRCDIR/tests/transcript/recovered.py"
