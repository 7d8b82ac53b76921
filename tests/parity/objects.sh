#!/bin/sh
# Objects of the user's that leaves give and take: their parts, and why.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
need_shim
exec "$python" "$here/objects.py"
