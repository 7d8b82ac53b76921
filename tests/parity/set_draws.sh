#!/bin/sh
# What is drawn behind a node whose value is set, beside torch.fx.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
ls "$FXDB_SHIMS"/fxdb-torch-*.so >/dev/null 2>&1 || {
	echo "this build has no shim"
	exit 77
}
exec "$python" "$here/set_draws.py"
