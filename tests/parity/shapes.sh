#!/bin/sh
# Shape rules, layers and functionals beside torch, whole models beside its
# ShapeProp; needs a Python with torch.
. "$(dirname "$0")/python.sh"
need_modules torch
need_vision_operators
eval="$FXDB_BUILDDIR/tests/parity/meta_eval"
status=0
"$python" "$here/shapes.py" "$eval" 1 2 || status=1
"$python" "$here/layers.py" "$FXDB_SRCDIR" "$eval" || status=1
"$python" "$here/models.py" "$eval" || status=1
"$python" "$here/conditions.py" "$FXDB" || status=1
exit $status
