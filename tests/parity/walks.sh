#!/bin/sh
# Random walks through random models, beside eager PyTorch.
# FXDB_WALKS=2000: so many.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
export FXDB_PYTHON="$python"
exec "$python" "$here/walks.py" "${FXDB_WALKS:-60}"
