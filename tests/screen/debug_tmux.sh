#!/bin/sh
# debug_tmux.sh - fxdb.debug in a program that a real bash runs: the prompt and
# the full screen have the terminal, Ctrl-C is theirs, Ctrl-Z and fg are the
# program's too, and the terminal is whole after, whoever dies.
set -u
. "${FXDB_SRCDIR:?}/tests/screen/on_tmux.sh"
python=${FXDB_PYTHON:-/usr/bin/python3}
command -v bash >/dev/null || exit 77
"$python" -c 'import importlib.util, sys
sys.exit(None in map(importlib.util.find_spec, ("torch", "numpy")))' || exit 77
[ -e "${FXDB_BUILDDIR:?}/src/capture/fxdb/_capture.abi3.so" ] || exit 77
# (A sanitized extension wants its library loaded first.)
[ -z "${FXDB_PRELOAD:-}" ] || exit 77

cat >"$work/program.py" <<-END
	import os, sys, time
	sys.path.insert(0, "$FXDB_BUILDDIR/src/capture")
	import torch, fxdb

	def endless(x):
	    while True:
	        x = x + 1
	        time.sleep(0.05)

	torch.manual_seed(1)
	model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
	print("begins", os.getpid())
	y = fxdb.debug(model, torch.ones(2, 3))
	print("first", y.grad_fn is not None)
	fxdb.debug(model, torch.ones(2, 3))
	print("said", input("say: "))
	try:
	    fxdb.debug(endless, torch.zeros(2))
	except KeyboardInterrupt:
	    print("inter" + "rupted")
	fxdb.debug(model, torch.ones(2, 3))
	print("sur" + "vived")
	fxdb.debug(model, torch.ones(2, 3))
END

# Processes of the terminal whose command line is $1.
of_shell() {
	pgrep -s "$(tmux_ list-panes -F '#{pane_pid}')" -f -- "$1"
}

begin 90 30
type_keys 'PS1="$ " exec bash --norc -i' Enter
type_keys 'PS1="% "; clear' Enter
see yes '%'

# Stopped, and brought back, at the prompt and on the full screen.
type_keys "$python $work/program.py" Enter
see yes '(fxdb)'
type_keys C-z
see yes 'Stopped'
type_keys 'jobs' Enter 'clear; fg' Enter
see no 'Stopped'
type_keys 'print 40 + 2' Enter
see yes '= 42'
type_keys C-c
see yes '^C'
type_keys 'tui' Enter
see yes '[graph]'
# Values that Python is asked for to paint are nothing that runs.
see yes ' q leave'
type_keys ':filter op=call_module' Enter
see yes 'op=call_module, 2 of 4'
type_keys Escape
see no 'op=call_module, 2 of 4'
type_keys ':bind graph X = when' Enter
see yes '(fxdb) bind graph'
type_keys X
see yes '(fxdb) when'
type_keys ':set theme light' Enter
see yes 'set theme light'
type_keys C-z
see yes 'Stopped'
type_keys 'clear; fg' Enter
see yes '[graph]'
type_keys q
see yes '(fxdb)'

# On with the program, into the second one, and on by continue.
type_keys 'quit' Enter
see yes 'first True'
see yes '(fxdb)'
type_keys 'continue' Enter
see yes 'say:'
type_keys 'hello' Enter
see yes 'said hello'

# A call that never ends: Ctrl-C is the program's, and opens it.
sleep 0.5
type_keys C-c
see yes 'Ctrl-C ended the call'
type_keys 'print add' Enter
see yes 'f32[2]  min 1'
type_keys 'quit' Enter
see yes 'interrupted'

# The debugger dies on its full screen: the program goes on.
see yes '(fxdb)'
type_keys 'tui' Enter
see yes '[graph]'
debugger=$(of_shell "^fxdb --attach")
kill -9 "$debugger"
see yes 'fxdb ended by signal 9'
see yes 'survived'

# The program dies: the shell has its terminal, and no debugger is left.
type_keys 'print 7 * 9' Enter
see yes '= 63'
kill -9 "$(of_shell "^[^ ]*python[^ ]* $work/program.py")"
see yes 'Killed'
type_keys 'clear; echo al"ive"' Enter
see yes 'alive'
tries=0
while of_shell "^fxdb --attach" >/dev/null; do
	tries=$((tries + 1))
	[ "$tries" -gt 250 ] && fail 'a debugger is left'
	sleep 0.02
done
