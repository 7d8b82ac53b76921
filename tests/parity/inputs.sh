#!/bin/sh
# Inputs from files, beside what torch, numpy and PIL read of them.
. "$(dirname "$0")/python.sh"
need_modules torch numpy PIL
exec "$python" "$here/inputs.py" "$FXDB" "$python"
