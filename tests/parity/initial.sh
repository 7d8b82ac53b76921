#!/bin/sh
# The numbers of new modules beside those of torch's.
. "$(dirname "$0")/python.sh"
need_modules torch
exec "$python" "$here/initial.py"
