#!/bin/sh
# Models on a device, or on a processor that passes for one.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
exec "$python" "$here/device.py" "$FXDB"
