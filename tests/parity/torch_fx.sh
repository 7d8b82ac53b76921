#!/bin/sh
# Whether torch.fx still answers as recorded, and prints torchvision's models
# as fxdb does.
. "$(dirname "$0")/python.sh"
need_modules torch torchvision
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
