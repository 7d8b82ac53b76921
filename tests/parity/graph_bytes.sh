#!/bin/sh
# Running never writes the graph: weights as saved, beside those as built.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
exec "$python" "$here/graph_bytes.py" "$FXDB"
