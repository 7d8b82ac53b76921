#!/bin/sh
# A module that is kept whole gets what torch gives with its names.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
need_shim
exec "$python" "$here/named_leaves.py"
