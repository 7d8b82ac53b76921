#!/usr/bin/env bash
# trace_errors.sh - models that do not trace, in every way we know of: what is
# said, that the session goes on, and that no process stays behind.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/capture
python=${FXDB_PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import torch' 2>/dev/null; then
	echo "$python has no torch"
	exit 77
fi
if [ ! -e "$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so" ]; then
	echo "built without capture"
	exit 77
fi
plain=$python
. "$here/sanitized.sh"
export FXDB_PYTHON=$python PYTHONDONTWRITEBYTECODE=1
status=0
"$plain" "$here/failures.py" || status=1
"$plain" "$here/processes.py" || status=1
exit $status
