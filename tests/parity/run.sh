#!/bin/sh
# What running gives, beside eager PyTorch of the same libtorch.
# FXDB_ALL_MODELS=1: every torchvision model below 30 million parameters.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
own_shim
exec "$python" "$here/run_models.py" \
	"$FXDB_BUILDDIR/tests/parity/run_graph" ${FXDB_ALL_MODELS:+own all}
