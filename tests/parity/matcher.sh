#!/bin/sh
# match --fx beside torch.fx's SubgraphMatcher.
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
FXDB=$FXDB exec "$python" "$here/matcher.py"
