#!/bin/sh
# watch nonfinite on random functions beside torch.fx's Interpreter.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
ls "${FXDB_SHIMS:?}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
exec "$python" "$here/watched.py"
