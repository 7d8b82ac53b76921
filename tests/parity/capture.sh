#!/usr/bin/env bash
# capture.sh - fxdb's tracer beside torch.fx's, in the Python of the tests.
# FXDB_ALL_MODELS=1 takes all of torchvision's models instead of a few.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/capture
python=${FXDB_PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import torch' 2>/dev/null; then
	echo "$python has no torch"
	exit 77
fi
if [ ! -e "$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so" ]; then
	echo "built without capture"
	exit 77
fi
models="resnet18 mobilenet_v3_small squeezenet1_1 shufflenet_v2_x0_5
	efficientnet_b0 densenet121 swin_t googlenet r3d_18"
[ -z "${FXDB_ALL_MODELS:-}" ] || models=all
status=0
. "$here/sanitized.sh"
export PYTHONDONTWRITEBYTECODE=1 FXDB_PYTHON=$python
"$python" "$here/compare.py" || status=1
"$python" "$here/functions.py" || status=1
"$python" "$here/without_torch_fx.py" || status=1
"$python" "$here/api.py" || status=1
"$python" "$here/torchvision_models.py" $models
case $? in
0 | 77) ;;
*) status=1 ;;
esac
exit $status
