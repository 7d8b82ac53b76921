#!/bin/sh
# Hooks on leaves, and tensors of odd kinds, beside eager PyTorch.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
ls "$FXDB_SHIMS"/fxdb-torch-*.so >/dev/null 2>&1 || {
	echo "this build has no shim"
	exit 77
}
exec "$python" "$here/odd.py"
