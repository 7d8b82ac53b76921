#!/bin/sh
# Copies and extracts of a traced graph run on its torch, with its inputs.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
exec "$python" "$here/copies.py" "$FXDB"
