#!/bin/sh
# Operations that src/ops/spellings.def calls one give one result in torch.
. "$(dirname "$0")/python.sh"
need_modules torch
exec "$python" "$here/spellings.py" "$FXDB_SRCDIR/src/ops/spellings.def"
