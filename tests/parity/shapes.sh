#!/bin/sh
# Shape rules, layers and functionals beside torch, whole models beside its
# ShapeProp; needs a Python with torch.
python=${FXDB_PYTHON:-python3}
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import torch, torchvision' 2>/dev/null || {
	echo "no Python with torch and torchvision"
	exit 77
}
here=$(dirname "$0")
export PYTHONDONTWRITEBYTECODE=1
eval="$FXDB_BUILDDIR/tests/parity/meta_eval"
status=0
"$python" "$here/shapes.py" "$eval" 1 2 || status=1
"$python" "$here/layers.py" "$FXDB_SRCDIR" "$eval" || status=1
"$python" "$here/models.py" "$eval" || status=1
exit $status
