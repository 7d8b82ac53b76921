#!/bin/sh
# why --against: arrays that numpy saved of eager PyTorch, and the same graph in
# another dtype; casts that only one of two graphs has, and two faults; and where one element of the input is another, by hand 500 times.
. "$(dirname "$0")/python.sh"
need_modules torch numpy
need_capture
ls "${FXDB_SHIMS:?}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
"$python" "$here/why_against.py" || exit 1
"$python" "$here/why_casts.py" || exit 1
export WHY_ELEMENTS="${WHY_ELEMENTS:-25}"
exec "$python" "$here/why_elements.py"
