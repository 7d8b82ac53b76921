#!/bin/sh
# fuse-conv-bn beside torch.fx's fuse.
# FXDB_ALL_MODELS=1: all models of torchvision that have such layers.
. "$(dirname "$0")/python.sh"
need_modules torch numpy torchvision
need_capture
exec "$python" "$here/fuse.py" "$FXDB" ${FXDB_ALL_MODELS:+all}
