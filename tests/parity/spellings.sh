#!/bin/sh
# Operations that src/ops/spellings.def calls one give one result in torch, and
# their spellings match each other.
. "$(dirname "$0")/python.sh"
need_modules torch
table=$FXDB_SRCDIR/src/ops/spellings.def
[ -e "$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so" ] ||
	exec "$python" "$here/spellings.py" "$table"
exec "$python" "$here/spellings.py" "$table" "$FXDB"
