#!/usr/bin/env bash
# why_random.sh - one element changed at random: why --against ends there.  More
# with CASES=500 SEED=2.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77
exec /usr/bin/python3 "$source/tests/transcript/why_random.py"
