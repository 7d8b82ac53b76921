#!/usr/bin/env bash
# shim.sh - what is said when the shim cannot be had: each time one line that
# names what is wrong, and never a crash.
set -u
run=$FXDB_BUILDDIR/tests/parity/run_graph
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
status=0
passed=0

# expect WHAT TEXT: run_graph fails and its first line has TEXT.
expect()
{
	local what=$1 text=$2 said
	said=$(PATH=${run_path:-$PATH} "$run" "$place/neg.fxg" "$place/out" 2>&1 </dev/null)
	local code=$?
	[ "${FXDB_SHOW:-}" ] && echo "$said"
	if [ $code = 1 ] && [[ $(head -n1 <<<"$said") == *"$text"* ]]; then
		passed=$((passed + 1))
		return
	fi
	echo "$what: status $code, not 1 with \"$text\":"
	sed 's/^/  /' <<<"$said"
	status=1
}

cat >"$place/neg.fxg" <<'END'
def forward(self, x):
    neg = torch.neg(x)
    return neg
END
shim=$(cd "$FXDB_BUILDDIR" && echo fxdb-torch-*.so)
version=${shim#fxdb-torch-}
version=${version%.so}

# fake BODY: a shim of the configured version's name in the folder fake.
fake()
{
	mkdir -p "$place/fake"
	printf '%s\n' "$1" | ${CC:-cc} -x c -shared -fPIC \
		-I"$FXDB_SRCDIR/src" -o "$place/fake/$shim" - || exit 77
}
export FXDB_SHIMS=$place/fake
mkdir -p "$FXDB_SHIMS"
echo "no library" >"$FXDB_SHIMS/$shim"
expect "a damaged shim" "cannot be loaded"
# Memory is mapped as the headers say, which a signal would tell.
for size in 700 5000 60000 150000; do
	head -c "$size" "$FXDB_BUILDDIR/$shim" >"$FXDB_SHIMS/$shim"
	expect "a shim cut short" "cannot be loaded: it is cut short"
done
rm "$FXDB_SHIMS/$shim"
fake 'int fxs_nothing;'
expect "a library that is no shim" "is of another build of fxdb"
fake 'const void *fxs_open(void *host) { return host ? 0 : host; }'
expect "a shim of other sources" "is of another build of fxdb"
fake '#include "torch/shim.h"
static struct fxs_functions f = { .version = "9.9.9", .loaded = "9.9.9" };
const struct fxs_functions *fxs_open(const struct fxs_host *h)
{ return h ? &f : 0; }'
expect "a shim for another torch" "is compiled for torch 9.9.9, not $version"
fake '#include "torch/shim.h"
static struct fxs_functions f = { .version = "'"$version"'", .loaded = "9.9" };
const struct fxs_functions *fxs_open(const struct fxs_host *h)
{ return h ? &f : 0; }'
expect "another libtorch under the shim" "installed says it is 9.9"

# A Python whose torch has headers and a library of its own.
mkdir -p "$place/torch/lib" \
	"$place/torch/include/torch/csrc/api/include/torch"
printf '#define TORCH_VERSION_%s\n' "MAJOR 2" "MINOR 99" "PATCH 1" \
	>"$place/torch/include/torch/csrc/api/include/torch/version.h"
touch "$place/torch/lib/libtorch_cpu.so"
printf '#!/bin/sh\necho "%s"\n' "$place/torch" >"$place/python"
chmod +x "$place/python"
export FXDB_RUN_PYTHON=$place/python XDG_CACHE_HOME=$place/cache
CXX=/nonexistent/c++ run_path=/nonexistent \
	expect "no compiler" "there is no C++ compiler"
# compiler LINES: a compiler that answers, and compiles as LINES do.
compiler()
{
	printf '%s\n' '#!/bin/sh' '[ "$1" = --version ] && echo fake 1 && exit 0' \
		'for last; do :; done' "$1" >"$place/c++"
	chmod +x "$place/c++"
	export CXX=$place/c++
}

# Nothing is left in the cache.
nothing_left()
{
	[ -z "$(find "$place/cache" -type f)" ] && return
	echo "a failed compile leaves: $(find "$place/cache" -type f)"
	status=1
}

compiler 'exit 1'
expect "a compiler that fails and is silent" \
	"the shim for torch 2.99.1 could not be built: $place/c++ ended with exit"
# A disk that fills up: half of the file is there.
compiler 'echo half >"$last"
echo "shim.cc: In function f:" >&2
echo "/usr/bin/ld: final link failed: No space left on device" >&2
echo "collect2: error: ld returned 1 exit status" >&2
exit 1'
expect "a full disk" "built: /usr/bin/ld: final link failed: No space left on"
nothing_left
# The limit of a file's size is as near as one comes to it without a disk.
compiler 'ulimit -f 1; head -c 1000000 /dev/zero >"$last"'
expect "a file that may not grow" "built: File size limit exceeded"
nothing_left
compiler 'yes "shim.cc: warning: w" | head -n 100000 >&2; kill -9 $$'
expect "a compiler that talks much and is killed" "shim.cc: warning: w"
nothing_left
unset CXX
echo '#error half of it' \
	>>"$place/torch/include/torch/csrc/api/include/torch/version.h"
expect "a torch whose headers are broken" "error: #error half of it"
nothing_left
XDG_CACHE_HOME=$place/python expect "no folder for the cache" "cannot create"
FXDB_RUN_PYTHON=/bin/false expect "no Python" "false"
echo "$passed as expected"
exit $status
