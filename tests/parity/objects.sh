#!/bin/sh
# Objects of the user's that leaves give and take: their parts, and why.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
ls "$FXDB_SHIMS"/fxdb-torch-*.so >/dev/null 2>&1 || {
	echo "this build has no shim"
	exit 77
}
exec "$python" "$here/objects.py"
