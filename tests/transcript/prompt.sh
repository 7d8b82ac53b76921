#!/usr/bin/env bash
# prompt.sh - prompt.py where there is a Python.
[ -n "${FXDB_PYTHON:-}" ] || exit 77
PYTHONDONTWRITEBYTECODE=1 exec "$FXDB_PYTHON" \
	"${FXDB_SRCDIR:?}/tests/transcript/prompt.py"
