#!/bin/sh
# What is drawn behind a node whose value is set, beside torch.fx.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
need_shim
exec "$python" "$here/set_draws.py"
