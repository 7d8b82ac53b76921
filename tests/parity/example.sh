#!/usr/bin/env bash
# example.sh - recorded runs beside eager PyTorch, in the Python of the tests.
set -u
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
here=$here/capture
status=0
. "$here/sanitized.sh"
"$python" "$here/examples.py" || status=1
"$python" "$here/decisions.py" || status=1
"$python" "$here/at_once.py" || status=1
"$python" "$here/wholes.py" || status=1
"$python" "$here/autocast.py" || status=1
for models in torchvision transformers; do
	has_module $models || continue
	"$python" "$here/example_$models.py" || status=1
	[ $models != transformers ] || "$python" "$here/example_cache.py" ||
		status=1
done
exit $status
