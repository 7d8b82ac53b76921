#!/bin/sh
# why: numeric faults planted in models, most of them hidden from the output, are
# named with their node, element and cause.  By hand all of forty, here a few.
. "$(dirname "$0")/python.sh"
need_modules torch numpy torch.fx.experimental.proxy_tensor
need_vision_operators
need_capture
ls "${FXDB_SHIMS:?}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
export WHY_BLIND_COUNT="${WHY_BLIND_COUNT:-4}"
exec "$python" "$here/why_blind.py"
