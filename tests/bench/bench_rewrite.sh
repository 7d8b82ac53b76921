#!/usr/bin/env bash
# bench_rewrite.sh - rewrites, passes and comparing, beside torch.fx.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export FXDB_PYTHON=${FXDB_PYTHON:-/usr/bin/python3} PYTHONDONTWRITEBYTECODE=1
export FXDB_TORCH2=${FXDB_TORCH2:-$(dirname "$FXDB")/torch2/bin/python}
exec "$FXDB_PYTHON" "$here/bench_rewrite.py"
