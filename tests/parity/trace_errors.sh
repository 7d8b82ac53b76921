#!/usr/bin/env bash
# trace_errors.sh - models that do not trace, in every way we know of: what is
# said, that the session goes on, and that no process stays behind.
set -u
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
here=$here/capture
plain=$python
. "$here/sanitized.sh"
export FXDB_PYTHON=$python
status=0
"$plain" "$here/failures.py" || status=1
"$plain" "$here/processes.py" || status=1
"$plain" "$here/state_files.py" || status=1
"$plain" "$here/many.py" || status=1
"$plain" "$here/suggest.py" || status=1
"$plain" "$here/hints.py" || status=1
exit $status
