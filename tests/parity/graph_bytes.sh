#!/bin/sh
# Running never writes the graph: weights as saved, beside those as built.
# FXDB_ALL_MODELS=1: 200 walks, and every model of torchvision.
. "$(dirname "$0")/python.sh"
need_modules torch
need_vision_operators
need_capture
exec "$python" "$here/graph_bytes.py" ${FXDB_ALL_MODELS:+all}
