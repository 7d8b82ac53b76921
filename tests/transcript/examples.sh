#!/bin/sh
# Every example that help shows runs.
python=${FXDB_PYTHON:-python3}
"$python" -c '' 2>/dev/null || {
	echo "no Python"
	exit 77
}
HOME=/nonexistent XDG_STATE_HOME=/nonexistent PYTHONDONTWRITEBYTECODE=1 \
	exec "$python" "$(dirname "$0")/examples.py"
