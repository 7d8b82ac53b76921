#!/bin/sh
# mask_tmux.sh - infinities that a mask has are no first NaN in the row of time;
# a NaN is.
set -u
[ -n "${FXDB_PYTHON:-}" ] || exit 77
ls "${FXDB_SHIMS:-none}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
. "${FXDB_SRCDIR:?}/tests/screen/on_tmux.sh"

cat >"$work/m.py" <<'END'
import torch


def masked(x):
    y = x.masked_fill(x > 0, float("-inf")).softmax(-1)
    return torch.log(y - 2)
END
begin 80 24
type_keys "cd $work && $FXDB -nx -q --tui --python $FXDB_PYTHON \
-ex 'start' -ex 'goto softmax' m.py:masked -i x=f32[2,6]" Enter
see yes 'stopped before @3/7'
see yes 'N  '
see yes '├───▲'
type_keys ':' 'run' Enter
see yes 'finished, 7 nodes'
see yes '├─────!'
type_keys q q
