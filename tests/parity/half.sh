#!/bin/sh
# compare --dtype f16: what libtorch has no kernels for, beside one that has.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
exec "$python" "$here/half.py" "$FXDB"
