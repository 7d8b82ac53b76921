#!/bin/sh
# cond and while_loop beside plain Python and, where torch has them, eager
# PyTorch, on the same libtorch.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
torch=$("$python" -c 'import torch; print(torch.__path__[0])')
if [ -d "$torch/include/torch/csrc" ]; then
	export FXDB_RUN_PYTHON="$python"
fi
exec "$python" "$here/control.py" "$FXDB_BUILDDIR/tests/parity/run_graph"
