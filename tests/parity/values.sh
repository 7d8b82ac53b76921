#!/bin/sh
# Tensors as text, their statistics and comparison beside torch's own.
. "$(dirname "$0")/python.sh"
need_modules torch
exec "$python" "$here/values.py" "$FXDB_BUILDDIR/tests/parity/values"
