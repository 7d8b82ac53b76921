#!/bin/sh
# Whole models typed at fxdb on two backends, beside eager PyTorch.
# FXDB_ALL_MODELS=1: ten of them.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_vision_operators
need_capture
"$python" "$here/effects.py" "$FXDB" || exit 1
exec "$python" "$here/backends.py" "$FXDB" ${FXDB_ALL_MODELS:+all}
