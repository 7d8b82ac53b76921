#!/bin/sh
# cond, while_loop and calls of graphs beside plain Python and, where torch has
# them, eager PyTorch, on the same libtorch.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
own_shim
exec "$python" "$here/control.py" "$FXDB_BUILDDIR/tests/parity/run_graph"
