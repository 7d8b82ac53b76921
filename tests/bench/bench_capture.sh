#!/usr/bin/env bash
# bench_capture.sh - tracing against torch.fx, recording against the model's own
# run and torch.export, for each Python with torch; from Enter to prompt with its
# parts.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export FXDB_BUILDDIR=${FXDB_BUILDDIR:-$(dirname "$FXDB")}
export FXDB_SRCDIR=${FXDB_SRCDIR:-$here/../..}
export PYTHONDONTWRITEBYTECODE=1
torch2=${FXDB_TORCH2:-}
[ -n "$torch2" ] || torch2=$FXDB_BUILDDIR/torch2/bin/python
status=0
for python in "${FXDB_PYTHON:-/usr/bin/python3}" "$torch2"; do
	if ! "$python" -c 'import torch' 2>/dev/null; then
		printf 'trace and record, %s\tnot measured\t\tno torch there\n' \
			"${python#"$FXDB_BUILDDIR"/}"
		continue
	fi
	"$python" "$here/bench_capture.py" || status=1
	"$python" "$here/bench_record.py" || status=1
	"$python" -c 'import torchvision' 2>/dev/null || continue
	FXDB_PYTHON=$python "$python" "$here/bench_capture_wall.py" || status=1
done
exit $status
