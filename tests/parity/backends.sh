#!/bin/sh
# Whole models typed at fxdb on two backends, beside eager PyTorch.
# FXDB_ALL_MODELS=1: ten of them.
python=${FXDB_PYTHON:-python3}
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3
"$python" -c 'import torch, torchvision' 2>/dev/null || {
	echo "no Python with torch and torchvision"
	exit 77
}
[ -e "$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so" ] || {
	echo "this build has no capture extension"
	exit 77
}
export PYTHONDONTWRITEBYTECODE=1
"$python" "$(dirname "$0")/effects.py" "$FXDB" || exit 1
exec "$python" "$(dirname "$0")/backends.py" "$FXDB" \
	${FXDB_ALL_MODELS:+all}
