#!/bin/sh
# Whether our parser and printer keep what random expressions mean to Python.
python=${FXDB_PYTHON:-python3}
"$python" -c 'import ast; ast.unparse' 2>/dev/null || {
	echo "no Python 3.9 or later"
	exit 77
}
exec "$python" "$(dirname "$0")/expressions.py" \
	"$FXDB_BUILDDIR/tests/parity/expressions"
