#!/usr/bin/env bash
# bench_capture.sh - tracing against torch.fx, for each Python with torch.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export FXDB_BUILDDIR=${FXDB_BUILDDIR:-$(dirname "$FXDB")}
for python in "${FXDB_PYTHON:-/usr/bin/python3}" "${FXDB_TORCH2:-}"; do
	[ -n "$python" ] || continue
	if "$python" -c 'import torch' 2>/dev/null; then
		"$python" "$here/bench_capture.py" || exit 1
	else
		echo "capture: $python has no torch, not measured"
	fi
done
