#!/bin/sh
# Random walks through random models, beside eager PyTorch.
# FXDB_WALKS=2000: so many.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
export FXDB_PYTHON="$python"
# 1278: a module read a weight that the node above it no longer wrote.
"$python" "$here/walks.py" 1 1278 &&
	exec "$python" "$here/walks.py" "${FXDB_WALKS:-60}"
