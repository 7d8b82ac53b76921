#!/usr/bin/env bash
# debug.sh - fxdb.debug and fxdb.backend beside eager PyTorch, in the Python of
# the tests.
set -u
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
here=$here/capture
. "$here/sanitized.sh"
"$python" "$here/debug.py"
