#!/usr/bin/env bash
# threads.sh - how many threads compute: OMP_NUM_THREADS or MKL_NUM_THREADS,
# else a processor each, else what is set.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

# doctor VARIABLE=N...: the line about libtorch with that environment.
doctor()
{
	env -u OMP_NUM_THREADS -u MKL_NUM_THREADS "$@" "$fxdb" --doctor \
		2>&1 | grep '^libtorch' >said
}
doctor OMP_NUM_THREADS=1
says '1 thread'
grep -q '1 threads' said && fail 'a thread alone'
doctor MKL_NUM_THREADS=3
says '3 threads'
doctor OMP_NUM_THREADS=2,1 MKL_NUM_THREADS=3
says '2 threads'
doctor OMP_NUM_THREADS=none
says "$(env -u OMP_NUM_THREADS nproc) thread"

# The process is asked: threads that computed stay.
big=(-ex 'print (torch.ones(1000, 1000) @ torch.ones(1000, 1000)).sum()')
count='shell ls /proc/$PPID/task | wc -l'
export OMP_NUM_THREADS=1
fxdb "$mlp" -ex run "${big[@]}" -ex "$count" || fail 'one thread'
one=$(tail -n 1 said)
fxdb "$mlp" -ex 'set threads 4' -ex run "${big[@]}" -ex "$count" ||
	fail 'four threads'
four=$(tail -n 1 said)
[ "$((four - one))" -ge 2 ] || fail "$one threads with one, $four with four"
fxdb "$mlp" -ex 'set threads 4' -ex 'set threads 0' -ex run "${big[@]}" \
	-ex "$count" || fail 'as many as the environment says'
[ "$(tail -n 1 said)" = "$one" ] || fail 'OMP_NUM_THREADS again'
fxdb "$mlp" -ex 'set threads 5000' && fail 'so many'
says '"threads" takes a number from 0 to 1024'

can_trace || exit 0
cat >m.py <<'END'
import torch
def f(x):
    return ask(x)
def ask(x):
    return torch.full((1,), torch.get_num_threads())
torch.fx.wrap('ask')
END
run=(trace m.py:f -i 'x=f32[2]')
fxdb --python "$python" -ex "${run[*]}" -ex 'set backend python' -ex run \
	-ex 'print output' -ex 'set threads 3' -ex 'run' -ex 'print output' \
	|| fail 'in Python'
says '$1 = i64[1]  1'
says '$2 = i64[1]  3'
exit 0
