#!/bin/sh
# Wrong passes of Python, each refused.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
exec "$python" "$here/wrong_passes.py" "$FXDB"
