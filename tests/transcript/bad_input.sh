#!/usr/bin/env bash
# bad_input.sh - what is wrong with patterns, rules, passes and comparisons is
# said, and all is as before.  Skipped without libtorch or the capture
# extension.
. "$(dirname "$0")/home.sh"

has_values && can_trace || exit 77
PYTHONDONTWRITEBYTECODE=1 "$python" "$source/tests/transcript/bad_input.py" "$fxdb"
