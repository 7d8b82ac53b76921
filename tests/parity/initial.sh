#!/bin/sh
# The numbers of new modules beside those of torch's.
# Skipped without a Python that has torch.
python=${FXDB_PYTHON:-python3}
here=$(dirname "$0")
export PYTHONDONTWRITEBYTECODE=1
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import torch' 2>/dev/null || {
	echo "no Python with torch"
	exit 77
}
exec "$python" "$here/initial.py"
