#!/bin/sh
# compare, verify and bisect: their figures beside numpy's, of values that eager
# PyTorch computed.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
exec "$python" "$here/two_graphs.py" "$FXDB"
