#!/bin/sh
# An operator of a C++ library that the model's file loads is one node that runs.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
exec "$python" "$here/compiled_operator.py"
