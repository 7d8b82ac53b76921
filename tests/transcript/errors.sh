#!/usr/bin/env bash
# errors.sh - the words of failures that need the program as a whole:
# a read-only session, a full disk, programs that die, libtorch, Python.
. "$(dirname "$0")/home.sh"

# is OBJECT OPTION...: what the answer of the last command must hold.
is() {
	local wanted=$1 said
	shift
	said=$("$fxdb" -nx -batch --json "$@" 2>&1 </dev/null)
	if ! printf '%s\n' "$said" | grep -q -F -e "$wanted"; then
		echo "FAIL: $* does not say $wanted but: $said"
		failures=$((failures + 1))
	fi
}

is '"code":"read-only","message":"read-only session' --readonly "$mlp" \
	-ex 'rename act relu'
is '"code":"no-space"' "$mlp" -ex 'dump python -o /dev/full'
printf '\223NUMPY\1\0\166\0%-117s\n' \
	"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }" \
	>records.npy

# What libtorch refuses.
if has_values; then
	is '"code":"backend"' "$mlp" -ex run \
		-ex 'p torch.linalg.inv(torch.zeros(2, 2))'
	is '"code":"unsupported"' -ex 'p file("records.npy")'
fi

# What the model's Python does.
. "$source/tests/parity/capture/sanitized.sh"
if can_trace; then
	cat >models.py <<-'END'
		import os, signal, time, torch

		class Branches(torch.nn.Module):
		    def forward(self, x):
		        return x if x.sum() > 0 else -x

		class Raises(torch.nn.Module):
		    def forward(self, x):
		        raise ZeroDivisionError("no")

		class Dies(torch.nn.Module):
		    def forward(self, x):
		        os._exit(3)

		class Interrupts(torch.nn.Module):
		    def forward(self, x):
		        with open("/proc/%d/stat" % os.getppid()) as file:
		            os.kill(int(file.read().split()[3]), signal.SIGINT)
		        time.sleep(60)
	END
	echo 'raise ZeroDivisionError("no")' >raises.py
	is '"code":"trace"' --python "$python" -ex 'trace models.py:Branches'
	is '"code":"trace"' --python "$python" -ex 'trace models.py:Raises'
	is '"code":"python"' --python "$python" -ex 'trace raises.py:Net'
	is '"code":"child"' --python "$python" -ex 'trace models.py:Dies'
	is '"code":"interrupted"' --python "$python" \
		-ex 'trace models.py:Interrupts'
	# A model's source stays, also that of a graph from a file.
	cp "$source/tests/transcript/samples/one_model.py" own.py
	for line in 'dump python -o own.py -f' 'draw -o own.py' \
		'save own.py' 'log session own.py'; do
		is '"message":"./own.py is the source of a model' \
			--python "$python" own.py:Net -ex "${line/ own/ ./own}"
	done
	is '"file":"own.fxg"' --python "$python" own.py:Net -ex 'save own.fxg'
	is 'own.py is the source of a model' own.fxg -ex 'dump fx -o own.py'
	cmp -s own.py "$source/tests/transcript/samples/one_model.py" || {
		echo 'FAIL: a source was written over'
		failures=$((failures + 1))
	}
fi
[ "$failures" = 0 ] && echo "words of failures are as written"
exit "$failures"
