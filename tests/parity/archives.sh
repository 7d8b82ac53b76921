#!/bin/sh
# Archives of torch.export.save, read without Python, beside torch.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
torch=$("$python" -c 'import torch; print(torch.__path__[0])')
if [ -d "$torch/include/torch/csrc" ]; then
	export FXDB_RUN_PYTHON="$python"
fi
exec "$python" "$here/archives.py" "$FXDB_BUILDDIR/tests/parity/run_graph" \
	"$FXDB" "$FXDB_SRCDIR/tests/samples/pt2"
