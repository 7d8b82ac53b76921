# home.sh - sourced by tests of the whole program: $folder is an empty folder,
# entered, the home of a person who has no settings; $mlp a small graph.
set -u
fxdb=${FXDB:?}
source=${FXDB_SRCDIR:?}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
export HOME=$folder XDG_CONFIG_HOME=$folder/config XDG_STATE_HOME=$folder/state
unset NO_COLOR
mlp=$source/doc/examples/mlp.fxg
failures=0
