#!/bin/sh
# stats, hist, freq and find beside numpy on the same arrays.
. "$(dirname "$0")/python.sh"
need_modules numpy
exec "$python" "$here/looking.py" "$FXDB"
