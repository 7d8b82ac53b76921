#!/bin/sh
# Archives of torch.export.save, read without Python, beside torch.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
own_shim
exec "$python" "$here/archives.py" "$FXDB_BUILDDIR/tests/parity/run_graph" \
	"$FXDB" "$FXDB_SRCDIR/tests/samples/pt2"
