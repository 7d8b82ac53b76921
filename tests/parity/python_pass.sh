#!/usr/bin/env bash
# python_pass.sh - passes of Python, torch.fx's own and others, in the debugger
# and in torch.fx itself.
set -u
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
here=$here/capture
. "$here/sanitized.sh"
"$python" "$here/passes.py" "$@"
