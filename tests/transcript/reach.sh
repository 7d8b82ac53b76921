#!/bin/sh
# dom, path and slice beside what walking all paths gives.
python=${FXDB_PYTHON:-python3}
"$python" -c '' 2>/dev/null || {
	echo "no Python"
	exit 77
}
HOME=/nonexistent XDG_STATE_HOME=/nonexistent PYTHONDONTWRITEBYTECODE=1 \
	exec "$python" "$(dirname "$0")/reach.py"
