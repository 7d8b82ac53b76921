#!/usr/bin/env bash
# leave.sh - the end: what was said and written is there in full, no process is
# left, and the destructors of libraries, of which libtorch's take longer than
# all the rest, do not run.
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

# The processes of the guest.
if can_trace; then
	export LEAVE_MARK=$folder
	fxdb --python "$python" -ex \
		"trace $source/doc/examples/mlp.py:MLP -i x=f32[2,4]" \
		-ex run -ex 'quit 0' || fail 'not traced'
	export -n LEAVE_MARK
	for left in /proc/[0-9]*; do
		grep -qzsF "LEAVE_MARK=$folder" "$left/environ" &&
			fail "left: $(tr '\0' ' ' <"$left/cmdline")"
	done
fi
exit 0
