#!/bin/sh
# mask_tmux.sh - infinities that a mask has are no first NaN in the row of time;
# a NaN is.
set -u
ls "${FXDB_SHIMS:-none}"/fxdb-torch-*.so >/dev/null 2>&1 || exit 77
. "${FXDB_SRCDIR:?}/tests/screen/on_tmux.sh"

cat >"$work/m.py" <<'END'
def forward(self, x):
    gt = x > 0
    masked_fill = x.masked_fill(gt, -inf);  x = gt = None
    softmax = masked_fill.softmax(-1);  masked_fill = None
    sub = softmax - 2;  softmax = None
    log = torch.log(sub);  sub = None
    return log
END
begin 80 24
type_keys "cd $work && $FXDB -nx -q --tui -ex 'input x = f32[2,6]' \
-ex 'start' -ex 'goto softmax' m.py" Enter
see yes 'stopped before @3/7'
see yes 'N  '
see yes '├───▲'
type_keys ':' 'run' Enter
see yes 'finished, 7 nodes'
see yes '├─────!'
type_keys q q
