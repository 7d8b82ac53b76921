#!/usr/bin/env bash
# bench_session.sh - what a person at the prompt waits for.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export FXDB_SRCDIR=${FXDB_SRCDIR:-$here/../..}
export FXDB_PYTHON=${FXDB_PYTHON:-/usr/bin/python3} PYTHONDONTWRITEBYTECODE=1
"$FXDB_PYTHON" "$here/bench_session.py"
