#!/bin/sh
# why --against: arrays that numpy saved of eager PyTorch, and the same graph in
# another dtype.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
ls "${FXDB_SHIMS:?}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
exec "$python" "$here/why_against.py"
