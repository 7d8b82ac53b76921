#!/bin/sh
# Results with names, as those of torch.max along a dimension, on two backends.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
need_shim
exec "$python" "$here/named_tuples.py"
