# home.sh - sourced by tests of the whole program: $folder is an empty folder,
# entered, the home of a person who has no settings; $mlp a small graph; $python
# a Python for tracing.
set -u
fxdb=${FXDB:?}
source=${FXDB_SRCDIR:?}
python=${FXDB_PYTHON:-/usr/bin/python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
. "$source/tests/parity/capture/sanitized.sh"
cd "$folder" || exit 99
export HOME=$folder XDG_CONFIG_HOME=$folder/config XDG_STATE_HOME=$folder/state
unset NO_COLOR
mlp=$source/doc/examples/mlp.fxg
failures=0

# Whether values can be computed, and models traced.
has_values() { ls "${FXDB_SHIMS:?}"/fxdb-torch-*.so >/dev/null 2>&1; }
can_trace()
{
	[ -e "${FXDB_BUILDDIR:?}/src/capture/fxdb/_capture.abi3.so" ] &&
		"$python" -c 'import importlib.util, sys
sys.exit(importlib.util.find_spec("torch") is None)' 2>/dev/null
}

# For tests that end at the first failure: what the program said last is in the
# file said.
fxdb() { "$fxdb" -nx -batch "$@" >said 2>&1; }
fail() { echo "$(basename "$0"): $*"; cat said; exit 1; }
says() { grep -qF -- "$1" said || fail "not said: $1"; }

# in_one_session [ARGUMENT...]: what `kept` types goes to one fxdb.  kept takes -ex
# and -x as fxdb does, without a graph from before, and fails as it would; Python
# and libtorch begin once.
in_one_session()
{
	coproc fxdb_kept { "$fxdb" -nx --keep-going "$@" 2>&1; }
	kept_lines=0
}
kept_says()
{
	local line mark="== $((++kept_lines)) =="
	printf '%s\n' "$1" "echo $mark" >&"${fxdb_kept[1]}"
	while IFS= read -r line <&"${fxdb_kept[0]}"; do
		[ "$line" != "$mark" ] || return 0
		printf '%s\n' "$line"
	done
	fail 'fxdb has ended' >&2
}
kept()
{
	local line number
	kept_says graph >answer # not in a pipe: a coprocess is not known there
	for number in $(sed -nE 's/^\*? +([0-9]+) .*/\1/p' answer); do
		kept_says "graph drop $number" >answer
	done
	kept_says 'set backend auto' >said
	while [ $# -gt 0 ]; do
		line=$2
		[ "$1" = -ex ] || line="source $2"
		shift 2
		kept_says "$line" >answer
		cat answer >>said
		! grep -qE '^([^ ]*:[0-9]+: )?error:' answer || return 2
	done
}
