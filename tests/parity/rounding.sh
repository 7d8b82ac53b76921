#!/usr/bin/env bash
# rounding.sh - kernels that round by where memory begins and by whether a
# parameter wants gradients give eager PyTorch's bits all the same.
set -u
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
ls "${FXDB_SHIMS:?}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
. "$here/capture/sanitized.sh"
exec "$python" "$here/rounding.py"
