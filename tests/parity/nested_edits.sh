#!/usr/bin/env bash
# nested_edits.sh - GraphModules within a GraphModule, edited here and in
# torch.fx itself.
set -u
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
here=$here/capture
. "$here/sanitized.sh"
"$python" "$here/nested_edits.py" "$@"
