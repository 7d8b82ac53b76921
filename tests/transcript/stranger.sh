#!/usr/bin/env bash
# stranger.sh - a graph that somebody sent touches no file and no process when
# it runs, whatever operator of libtorch's registry it calls; nor does anything
# in a read-only session.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77
mkdir sent
"$python" "$source/tests/transcript/stranger.py" "$folder/sent" >list 2>said ||
	exit 77
sort sent/* | cksum >before
while read -r number target; do
	printf 'load sent/g%d.py\ninput x = f32[4]\nrun\nclose\n' "$number"
	printf 'echo %s %s\n' "$number" "$target"
done <list >commands
"$fxdb" -nx -batch --keep-going -x commands >said 2>&1 </dev/null
[ $? -le 3 ] || fail 'it died'
[ "$(grep -c '' list)" -gt 50 ] || fail 'the registry is larger'
grep -qF "$(tail -n 1 list)" said || fail 'not all were tried'
grep -q '^Finished' said && fail 'one ran'
sort sent/* | cksum | cmp -s - before && [ -z "$(find . -name 'written*')" ] ||
	fail "written: $(find . -name 'written*')"
[ "$(grep -c 'came from a file' said)" -gt 50 ] || fail 'they were refused'

# So that the file is to blame, and what lets it is said.
cat >g.py <<'END'
def forward(self, x):
    save = torch.save(x, 'written')
    file = torch.from_file('written', False, 4)
    return file
END
run=(-ex 'load g.py' -ex 'input x = f32[4]' -ex run)
fxdb "${run[@]}" -ex 'print torch.save(x, "written")' \
	-ex 'graph copy g as h' -ex run
says 'torch.save writes a file, and the graph came from a file'
says 'hint: set trust-files on'
says 'Stopped at @1 save'
fxdb --json "${run[@]}" -ex 'print torch.save(x, "written")'
says '"code":"refused"'
[ -e written ] && fail 'written'
fxdb -ex 'set trust-files on' "${run[@]}" || fail 'allowed'
[ -s written ] || fail 'not written though allowed'
rm written
# A plan that was made while it was allowed is none later.
fxdb -ex 'set trust-files on' "${run[@]}" -ex '!rm written' \
	-ex 'set trust-files off' -ex 'goto @1' -ex continue
[ -e written ] && fail 'written later'

# A session that changes nothing.
fxdb --readonly -ex "load $mlp" -ex run -ex 'print torch.save(x, "written")'
says 'read-only session (--readonly): torch.save writes a file'
fxdb --readonly -ex 'set trust-files on' "${run[@]}"
says 'read-only session'
[ -e written ] && fail 'written by a read-only session'

can_trace || exit 0
cat >m.py <<'END'
import torch
def own(x):
    return x + 1
torch.fx.wrap('own')
def f(x):
    return own(torch.relu(x))
END
trace=(--python "$python" -ex 'trace m.py:f -i x=f32[4]')
fxdb "${trace[@]}" -ex run -ex 'print torch.save(x, "written")' ||
	fail 'what was traced here may'
[ -s written ] || fail 'what was traced here may write'
rm written
for backend in auto python; do
	fxdb --readonly --keep-going "${trace[@]}" \
		-ex "set backend $backend" -ex run -ex 'print own' \
		-ex 'print torch.save(x, "written")' \
		-ex 'print os.system("touch written")' \
		-ex 'print x.numpy().tofile("written")'
	says 'Finished'
	says 'torch.save'
	[ -e written ] && fail "written on $backend"
done
exit 0
