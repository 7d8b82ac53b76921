#!/bin/sh
# A module that is kept whole gets what torch gives with its names.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
ls "$FXDB_SHIMS"/fxdb-torch-*.so >/dev/null 2>&1 || {
	echo "this build has no shim"
	exit 77
}
exec "$python" "$here/named_leaves.py"
