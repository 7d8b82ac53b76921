# python.sh - sourced by tests in this folder: $here is the folder, $python a
# Python that has torch.
#
#	need_modules torch numpy	skip the test without them
#	need_torchvision		or without its models
#	need_capture			or without the extension
here=$(cd "$(dirname "$0")" && pwd)
python=${FXDB_PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1
"$python" -c 'import torch' 2>/dev/null || python=/usr/bin/python3

need_modules()
{
	for module; do
		"$python" -c "import $module" 2>/dev/null && continue
		echo "$python has no $module"
		exit 77
	done
}

# Of torch 2.x it may lack compiled operators, without which its models work.
need_torchvision()
{
	PYTHONPATH=$here "$python" -c 'import zoo
zoo.declare_operators()
import torchvision' 2>/dev/null && return
	echo "$python has no torchvision"
	exit 77
}

need_capture()
{
	[ -e "$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so" ] && return
	echo "this build has no capture extension"
	exit 77
}
