#!/usr/bin/env bash
# diff_keeps.sh - what diff --script says keeps values and breakpoints of what it
# does not touch.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77
PYTHONDONTWRITEBYTECODE=1 "$python" "$source/tests/transcript/diff_keeps.py" \
	"$fxdb" "$source/doc/examples"
