#!/usr/bin/env bash
# capture.sh - fxdb's tracer beside torch.fx's, in the Python of the tests.
# FXDB_ALL_MODELS=1 takes all of torchvision's models instead of a few.
set -u
. "$(dirname "$0")/python.sh"
need_modules torch
need_capture
here=$here/capture
models="resnet18 mobilenet_v3_small squeezenet1_1 shufflenet_v2_x0_5
	efficientnet_b0 densenet121 swin_t googlenet r3d_18"
[ -z "${FXDB_ALL_MODELS:-}" ] || models=all
status=0
. "$here/sanitized.sh"
# It loads into any Python: nothing but the C library is linked.
linked=$(readelf -d "$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so" |
	sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^lib(c|m|asan|ubsan)\.so')
[ -z "$linked" ] || { echo "the extension links: $linked"; status=1; }
export FXDB_PYTHON=$python
several "$here/compare.py" "$here/functions.py" "$here/api.py" \
	"$here/hooks.py" "$here/objects.py" "$here/exported.py" \
	"$here/torch_graphs.py" "$here/files.py" "$here/nested.py" || status=1
"$python" "$here/without_torch_fx.py" || status=1
"$python" "$here/torchvision_models.py" $models
case $? in
0 | 77) ;;
*) status=1 ;;
esac
exit $status
