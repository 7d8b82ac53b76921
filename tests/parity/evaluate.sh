#!/bin/sh
# What expressions give, beside Python's torch of the same version.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
exec "$python" "$here/evaluate.py" "$FXDB"
