#!/bin/sh
# What ops.def and ir/side_effects.c say that operators write, draw and share,
# beside what they do in torch; needs a Python with torch.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
"$python" "$here/writes.py" "$FXDB_BUILDDIR/tests/parity/meta_eval"
