#!/usr/bin/env bash
# bench_resnet.sh - a whole model in fxdb against eager PyTorch.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export FXDB_SRCDIR=${FXDB_SRCDIR:-$here/../..}
export FXDB_PYTHON=${FXDB_PYTHON:-/usr/bin/python3} PYTHONDONTWRITEBYTECODE=1
"$FXDB_PYTHON" -c 'import torchvision' 2>/dev/null || {
	printf 'run resnet50\tnot measured\t\t%s has no torchvision\n' \
		"$FXDB_PYTHON"
	exit 0
}
"$FXDB_PYTHON" "$here/bench_resnet.py"
