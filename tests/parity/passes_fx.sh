#!/bin/sh
# const-fold, cse and dce beside torch.fx's own.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
[ -e "$(ls "$FXDB_SHIMS"/fxdb-torch-*.so 2>/dev/null | head -1)" ] || exit 77
exec "$python" "$here/passes_fx.py" "$FXDB"
