#!/usr/bin/env bash
# leave.sh - the end: what was said and written is there in full, no process is
# left, and nobody waits for what only frees memory: destructors of libraries,
# of which libtorch's take longer than all the rest, and the end of Python.
. "$(dirname "$0")/home.sh"

# A library with a destructor stands for libtorch.
cat >late.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((destructor)) static void
end(void)
{
	close(open(getenv("LATE"), O_CREAT | O_WRONLY, 0600));
}
END
grep -q '#define FX_SANITIZERS' "$FXDB_BUILDDIR/config.h" ||
	cc -shared -fPIC -o late.so late.c 2>/dev/null || echo "no compiler"
if [ -e late.so ]; then
	# The library works: the destructor of a program that ends runs.
	LATE=$folder/other LD_PRELOAD=$folder/late.so /bin/true
	[ -e other ] || fail 'the destructor does not work'
	for last in 'echo end' 'quit' 'quit 3' 'nonsense'; do
		LATE=$folder/ours LD_PRELOAD=$folder/late.so \
			fxdb "$mlp" -ex run -ex "$last"
		[ ! -e ours ] || fail "destructors run after $last"
	done
fi

# Through a pipe, more than one holds, to the last line.
for i in $(seq 200); do
	echo 'dump python'
done >many
printf 'echo the last line\nquit 3\n' >>many
{ "$fxdb" -nx -batch "$mlp" -x many; echo $? >status; } | cat >said
[ "$(tail -n 1 said)" = 'the last line' ] || fail 'the end is missing'
[ "$(cat status)" = 3 ] || fail 'another status'
[ "$(grep -c 'return add' said)" = 200 ] || fail 'something is missing'

# What was saved, and what is recorded of a session.  (Where no values are there,
# the run alone would make the status 2.)
fxdb "$mlp" -ex 'run' -ex 'save kept.fxg' -ex 'quit 0' || fail 'not saved'
fxdb kept.fxg -ex 'lint' || fail 'what was saved is broken'

# Nothing that bears the mark is left, soon: the system may still be at it.
nothing_left()
{
	for _ in $(seq 100); do
		left=$(grep -lzsF "LEAVE_MARK=$folder" /proc/[0-9]*/environ)
		[ "$left" ] || return 0
		sleep 0.1
	done
	for left in $left; do
		echo "left: $(tr '\0' ' ' <"${left%environ}cmdline")"
	done
	fail "after $1"
}

# The processes of the guest.  A library stands for what makes Python's end slow;
# fxdb ends it when it has seen to what the model started.
cat >slow.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void
_exit(int status)
{
	if (!strncmp(program_invocation_short_name, "python", 6)) {
		usleep(450000);
		close(open(getenv("LATE"), O_CREAT | O_WRONLY, 0600));
	}
	for (;;)
		syscall(SYS_exit_group, status);
}
END
if can_trace; then
	# grep and its like do not bear it.
	marked=(env LEAVE_MARK="$folder" "$fxdb" -nx --python "$python")
	model="$source/doc/examples/mlp.py:MLP -i x=f32[2,4]"

	"${marked[@]}" -batch -ex "trace $model" -ex run -ex 'quit 0' >said 2>&1 ||
		fail 'not traced'
	nothing_left quit
	# Enough memory for somebody to keep it until fxdb has ended.
	"${marked[@]}" -batch -ex "trace $model" -ex run \
		-ex 'print torch.ones(20000000).sum()' -ex 'quit 3' >said 2>&1
	[ $? = 3 ] || fail 'another status'
	nothing_left 'quit with much memory'
	# A server that does not hear is not waited for.
	mkfifo typed
	exec 3<>typed
	"${marked[@]}" <typed >said 2>&1 &
	echo "trace $model" >&3
	for _ in $(seq 300); do
		grep -q ' nodes' said && break
		sleep 0.1
	done
	for server in $(cat /proc/$!/task/*/children); do
		kill -STOP "$server"
	done
	echo 'quit 4' >&3
	wait $!
	[ $? = 4 ] || fail 'a stopped server changes the status'
	exec 3>&-
	nothing_left 'a stopped server'
	if [ -e late.so ] && cc -shared -fPIC -o slow.so slow.c; then
		rm -f other
		LATE=$folder/other LD_PRELOAD=$folder/slow.so "$python" -c \
			'import os; os._exit(0)'
		[ -e other ] || fail 'the slow end does not work'
		export LATE=$folder/ours LD_PRELOAD=$folder/slow.so
		"${marked[@]}" -batch -ex "trace $model" -ex 'quit 0' >said 2>&1
		export -n LATE LD_PRELOAD
		nothing_left 'a slow end'
		[ ! -e ours ] || fail 'the end of Python was waited for'
	fi
fi
exit 0
