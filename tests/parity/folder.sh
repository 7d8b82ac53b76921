#!/bin/sh
# Folders that Python imports, beside the models they were made from.
python=${FXDB_PYTHON:-python3}
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import torch' 2>/dev/null || {
	echo "no Python with torch"
	exit 77
}
[ -e "$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so" ] || {
	echo "nothing can be traced: no extension"
	exit 77
}
export PYTHONDONTWRITEBYTECODE=1
plain=$python
. "$(dirname "$0")/capture/sanitized.sh"
trap 'rm -rf "${sanitized:-}"' EXIT
FXDB_TRACE_PYTHON=$python "$plain" "$(dirname "$0")/folder/folder.py"
