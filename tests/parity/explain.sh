#!/bin/sh
# explain: the numbers it shows of one element, computed again in Python, and the
# element as eager PyTorch has it.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
ls "${FXDB_SHIMS:?}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
exec "$python" "$here/explain.py"
