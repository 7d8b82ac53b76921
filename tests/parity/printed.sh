#!/bin/sh
# What torch prints of a GraphModule, modules and code, read back.
. "$(dirname "$0")/python.sh"
need_modules torch
exec "$python" "$here/printed.py" "$FXDB"
