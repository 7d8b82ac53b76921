#!/usr/bin/env bash
# ctrl_c.sh - Ctrl-C in what changes or compares graphs, on both backends.
. "${FXDB_SRCDIR:?}/tests/parity/python.sh"
need_modules torch
need_capture
ls "${FXDB_SHIMS:?}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
driver=$python
. "$FXDB_SRCDIR/tests/parity/capture/sanitized.sh"
PYTHONDONTWRITEBYTECODE=1 "$driver" \
	"$FXDB_SRCDIR/tests/transcript/ctrl_c.py" "$FXDB" "$python"
