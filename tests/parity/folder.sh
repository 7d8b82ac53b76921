#!/bin/sh
# Folders that Python imports, beside the models they were made from.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
plain=$python
. "$here/capture/sanitized.sh"
FXDB_TRACE_PYTHON=$python "$plain" "$here/folder/folder.py"
