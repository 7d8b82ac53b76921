#!/bin/sh
# Whether torch.fx prints torchvision's models as fxdb does.
. "$(dirname "$0")/python.sh"
need_modules torch
need_vision_operators
exec "$python" "$here/oracle.py" models "$FXDB_BUILDDIR/tests/parity/dump"
