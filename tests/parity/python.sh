# python.sh - sourced by tests in this folder: $here is the folder, $python a
# Python that has torch.
#
#	need_modules torch numpy	skip the test without them
#	need_vision_operators		or without torchvision's compiled ones
#	need_capture			or without the extension
#	need_shim			or one built for libtorch
#	own_shim			a torch with headers of its own is run
#					by a shim of its own
#	several FILE.py...		one after the other, torch imported once
here=$(cd "$(dirname "$0")" && pwd)
python=${FXDB_PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1

# Found, not imported, which takes seconds; and torchvision beside torch 2.x may
# lack compiled operators, without which its models work (zoo.py).
has_module()
{
	"$python" -c 'import importlib.util, sys
sys.exit(importlib.util.find_spec(sys.argv[1]) is None)' "$1" 2>/dev/null
}

has_module torch || python=/usr/bin/python3

need_modules()
{
	for module; do
		has_module "$module" && continue
		echo "$python has no $module"
		exit 77
	done
}

# Beside torch 1 they come with it.
need_vision_operators()
{
	need_modules torchvision
	grep -q "^__version__ = '1\." "$(torch_folder)/version.py" ||
		"$python" -c 'import torchvision' 2>/dev/null || {
		echo "$python has no compiled operators of torchvision"
		exit 77
	}
}

need_capture()
{
	[ -e "$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so" ] && return
	echo "this build has no capture extension"
	exit 77
}

need_shim()
{
	ls "$FXDB_SHIMS"/fxdb-torch-*.so >/dev/null 2>&1 && return
	echo "this build has no shim"
	exit 77
}

torch_folder()
{
	"$python" -c 'import importlib.util
print(importlib.util.find_spec("torch").submodule_search_locations[0])'
}

own_shim()
{
	[ ! -d "$(torch_folder)/include/torch/csrc" ] ||
		export FXDB_RUN_PYTHON="$python"
}

several()
{
	"$python" "$FXDB_SRCDIR/tests/parity/several.py" "$@"
}
