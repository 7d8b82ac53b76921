#!/bin/sh
# print self.layer beside repr of PyTorch, for layers in many configurations.
. "$(dirname "$0")/python.sh"
need_modules torch
exec "$python" "$here/modules.py" "$FXDB"
