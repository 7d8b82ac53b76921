#!/usr/bin/env bash
# forged.sh - newlines and control characters in texts of a file that somebody
# sent are shown as such: they make no line, no note and no colour.
. "$(dirname "$0")/home.sh"

"$python" "$source/tests/transcript/forged.py" f.fxg 2>said || exit 77
cat >commands <<'END'
info graph
info params
info users
info scope
info history
list
nodes
nodes -m 0
node b
node c
node a
print %b
print self.l
tree
draw
scope l
scope ..
lint
shapes
print %b.args
print %b.args[2]
print %b.notes
print %b.scope
nodes {in l}
apropos forged
input a = f32[2]
run
print c
break b
info breakpoints
info inputs
graph
graph copy f as g
diff f g
rename b as b2
history
when
dump script
run
info coverage
close g
END
fxdb --keep-going -ex 'load f.fxg' -x commands
grep -q 'x\\nforged line\\x1b\[2Jgone\\ttab' said || fail 'not shown'
grep -n '^ *[a-z: ]*forged line' said | grep -v 'forged line\\x1b' |
	grep . && fail 'a forged line'
grep -q "$(printf '\033')" said && fail 'an escape sequence'
# The same in colour: every escape sequence is one of ours.
"$fxdb" -nx -batch --color=always --keep-going -ex 'load f.fxg' -x commands \
	2>&1 | sed 's/\x1b\[[0-9;]*m//g' >said
grep -q "$(printf '\033')" said && fail 'an escape sequence, in colour'
grep -n '^forged line' said && fail 'a forged line, in colour'
exit 0
