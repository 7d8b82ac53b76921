#!/bin/sh
# What expressions give, beside Python's torch of the same version.
# Skipped without a Python that has torch.
python=${FXDB_PYTHON:-python3}
here=$(dirname "$0")
export PYTHONDONTWRITEBYTECODE=1
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import torch' 2>/dev/null || {
	echo "no Python with torch"
	exit 77
}
exec "$python" "$here/evaluate.py" "$FXDB"
