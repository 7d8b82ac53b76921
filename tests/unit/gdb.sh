#!/usr/bin/env bash
# gdb.sh - gdb shows graphs, nodes, values and data as scripts/fxdb-gdb.py says.
set -u
command -v gdb >/dev/null || { echo "no gdb (Debian package: gdb)"; exit 77; }
case ${ASAN_OPTIONS-}$(nm "$FXDB" 2>/dev/null | grep -m1 __asan_init) in
*__asan_init*) echo "under sanitizers gdb is too slow"; exit 77 ;;
esac
said=$(cd "$FXDB_SRCDIR/doc/examples" && timeout 100 gdb -q -nx -batch \
	-x "$FXDB_SRCDIR/scripts/fxdb-gdb.py" \
	-ex 'break fx_position_run' -ex run \
	-ex 'fx_dump model->graph' -ex 'print $fx_dump(model->graph)' \
	-ex 'print model->graph->root.next->next' \
	-ex 'delete' -ex 'break fx_datum_free' -ex continue \
	-ex 'print *datum' -ex continue -ex continue -ex continue \
	--args "$FXDB" -nx -batch mlp.fxg -ex 'set backend meta' \
	-i 'x=f32[2,4]' -ex run -ex 'print (1, "a")' 2>&1)
status=0
expect()
{
	grep -qF -- "$1" <<<"$said" && return
	echo "gdb does not say: $1"
	status=1
}
expect '    1  %fc1 = call_module[fc1](%x,)'
expect '    6  %output = output[output](%add,)'
expect '= 7'
expect '= %fc1 = call_module[fc1](%x,) -> f32[2, 8]'
expect 'tensor at 0x'
expect "= (1, 'a')"
[ $status -eq 0 ] || printf '%s\n' "$said"
exit $status
