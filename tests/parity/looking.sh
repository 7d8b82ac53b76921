#!/bin/sh
# stats, hist, freq, find and x beside numpy on the same arrays.
. "$(dirname "$0")/python.sh"
need_modules numpy
exec "$python" "$here/looking.py" "$FXDB"
