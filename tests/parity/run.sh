#!/bin/sh
# What running gives, beside eager PyTorch of the same libtorch.
# FXDB_ALL_MODELS=1: every torchvision model below 30 million parameters.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
# A torch with headers of its own is run by a shim of its own.
torch=$("$python" -c 'import torch; print(torch.__path__[0])')
if [ -d "$torch/include/torch/csrc" ]; then
	export FXDB_RUN_PYTHON="$python"
fi
exec "$python" "$here/run_models.py" \
	"$FXDB_BUILDDIR/tests/parity/run_graph" ${FXDB_ALL_MODELS:+own all}
