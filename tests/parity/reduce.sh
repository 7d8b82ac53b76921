#!/bin/sh
# reduce: models with one thing wrong in each become at most five nodes, and
# the program that is written fails in torch alone as the model does.
# FXDB_ALL_MODELS=1: all of tests/data/trace/planted.py.
. "$(dirname "$0")/python.sh"
need_modules torch torchvision numpy
need_capture
exec "$python" "$here/reduce.py" "$FXDB" ${FXDB_ALL_MODELS:+all}
