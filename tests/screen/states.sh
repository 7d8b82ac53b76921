#!/usr/bin/env bash
# states.sh - hang-up, stop and Ctrl-C in every state, in a real bash; and what
# was once wrong there.
[ -n "${FXDB_PYTHON:-}" ] || exit 77
python=$FXDB_PYTHON
. "${FXDB_SRCDIR:?}/tests/parity/capture/sanitized.sh"
export TRACING_PYTHON=$python PYTHONDONTWRITEBYTECODE=1
status=0
for script in once_wrong states; do
	"$FXDB_PYTHON" "$FXDB_SRCDIR/tests/screen/$script.py" "$FXDB" \
		"$FXDB_SRCDIR" || status=1
done
exit $status
