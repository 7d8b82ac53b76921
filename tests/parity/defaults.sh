#!/bin/sh
# The defaults of ops.def beside those of torch.
. "$(dirname "$0")/python.sh"
need_modules torch
exec "$python" "$here/defaults.py"
