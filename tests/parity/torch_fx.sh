#!/bin/sh
# Whether torch.fx still answers as recorded, and prints torchvision's models
# as fxdb does.  Skipped without a Python that has torch.
python=${FXDB_PYTHON:-python3}
here=$(dirname "$0")
export PYTHONDONTWRITEBYTECODE=1
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import torch, torchvision' 2>/dev/null || {
	echo "no Python with torch and torchvision"
	exit 77
}
# The record was made with this version; others spell differently.
case $("$python" -c 'import torch; print(torch.__version__)') in
1.13.*)
	"$python" "$here/oracle.py" check "$here/recorded.json" || exit 1
	;;
*)
	echo "the record is torch 1.13's: not compared"
	;;
esac
exec "$python" "$here/oracle.py" models "$FXDB_BUILDDIR/tests/parity/dump"
