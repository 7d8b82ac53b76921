#!/bin/sh
# rewrite --fx beside torch.fx's replace_pattern.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
FXDB=$FXDB exec "$python" "$here/rewrite.py"
