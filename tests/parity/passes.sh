#!/bin/sh
# Every sound pass over whole models, beside eager PyTorch.
# FXDB_ALL_MODELS=1: all classifiers of torchvision.
. "$(dirname "$0")/python.sh"
need_modules torch numpy torchvision
need_capture
exec "$python" "$here/passes.py" "$FXDB" ${FXDB_ALL_MODELS:+all}
