#!/bin/sh
# normalize beside torch.fx's NormalizeArgs.
# FXDB_ALL_MODELS=1: all classifiers of torchvision.
. "$(dirname "$0")/python.sh"
need_modules torch
need_vision_operators
need_capture
exec "$python" "$here/normalize.py" "$FXDB" ${FXDB_ALL_MODELS:+all}
