#!/usr/bin/env bash
# bench_figures.sh - what whole commands cost a person, beside torch.fx.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export FXDB_SRCDIR=${FXDB_SRCDIR:-$here/../..}
export FXDB_PYTHON=${FXDB_PYTHON:-/usr/bin/python3} PYTHONDONTWRITEBYTECODE=1
export FXDB_TORCH2=${FXDB_TORCH2:-$(dirname "$FXDB")/torch2/bin/python}
status=0
"$FXDB_PYTHON" "$here/bench_figures.py" || status=1
"$FXDB_PYTHON" "$here/bench_waits.py" || status=1
exit $status
