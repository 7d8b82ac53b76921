#!/bin/sh
# Hooks on leaves, and tensors of odd kinds, beside eager PyTorch.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
need_shim
exec "$python" "$here/odd.py"
