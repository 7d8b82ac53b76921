#!/usr/bin/env bash
# engine.sh - passes and rewrites with values: who is to blame, and what stops
# them.  Skipped without libtorch.
. "$(dirname "$0")/home.sh"

has_values || exit 77

cat >net.py <<'END'
def forward(self, x):
    a = torch.relu(x)
    b = torch.neg(a)
    c = torch.relu(b)
    d = torch.abs(c)
    e = torch.relu(d)
    return torch.tanh(x + e)
END
net=(net.py -ex 'input x = ones(3)' -ex run)
elu='rewrite torch.relu(x) => F.elu(x)'
abs='rewrite torch.relu(x) => torch.abs(x)'

# What is refused names the match; pass diff shows it.  Of one that is right at
# %e alone, the other two are left out.
fxdb "${net[@]}" -ex "$abs --same"
says 'refused: rewrite changed output: max rel'
says 'first at @3 c; graph kept'
fxdb "${net[@]}" --keep-going -ex "$elu --same" -ex 'pass diff'
says '~ c = call_function torch.nn.functional.elu(%b)'
fxdb "${net[@]}" -ex "$abs --same --only e" -ex 'dump script'
says 'verified on 3 inputs'
says "$abs --same --only e"
fxdb "${net[@]}" -ex "$abs -i" -ex n -ex y -ex k -ex 'undo' -ex run
says 'changes the output: max rel'
says 'Finished.'

# With verification off nothing runs for a rewrite either, and it says so; --same
# asks for it.
fxdb "${net[@]}" -ex 'set verify off' -ex "$abs" -ex undo -ex "$abs -i" -ex a
says 'not verified: set verify is off'
! grep -q 'changes the output' said || fail 'it ran all the same'
[ "$(grep -c 'set verify is off' said)" = 2 ] || fail 'each says so'
fxdb "${net[@]}" -ex 'set verify off' -ex "$abs --same" && fail 'it is not the same'
says 'refused: rewrite changed output: max rel'

# bisect names the edit and the candidate in it, also by a condition.
edits=(-ex 'insert after a : z = torch.neg(a)' -ex 'pass run dce'
	-ex "$abs --only c,e" -ex 'rename e last')
fxdb "${net[@]}" "${edits[@]}" -ex bisect -ex 'info undo'
says "t3: $abs --only c,e"
says '  first at @3 c'
says '=>   t4'
fxdb "${net[@]}" "${edits[@]}" -ex 'bisect if count{target=torch.relu} > 1' -ex run
says '  first at @5 e with those before it'
says 'Finished.'
fxdb "${net[@]}" -ex "$abs" -ex 'bisect -j'
says '"key":"c"'
# Several edits in one transaction: the part of them; nothing of one edit.
fxdb "${net[@]}" -ex begin -ex 'insert after b : u = torch.neg(b)' \
	-ex 'set %d.target = torch.exp' -ex commit -ex bisect
says '  first in change 2 of 2: ~%d'
fxdb "${net[@]}" -ex 'set %d.target = torch.exp' -ex bisect
says 't1: set %d.target = torch.exp'
! grep -q 'hangs' said || fail 'one edit has no parts'

# What computes and what is verified in f64 stand in one run, each verified.
cat >fold.py <<'END'
def forward(self, x):
    k = torch.ones(3)
    m = torch.exp(k)
    u = torch.neg(x)
    return x * m
END
fxdb fold.py -ex 'input x = ones(3)' -ex 'pass run dce const-fold fuse-linear' \
	-ex undo -ex 'pass run const-fold fuse-conv-bn dce' -ex 'dump script'
says 'dce const-fold: verified on 3 inputs: bit for bit'
says 'const-fold: verified on 3 inputs: bit for bit'
says 'pass run const-fold fuse-conv-bn dce'

# Catchpoints: conditions, counts, once, commands, other names.
dead=(net.py -ex 'insert after a : z = torch.neg(a)')
fxdb "${dead[@]}" -ex 'catch pass d*' -ex 'pass run dce' -ex k -ex 'info break'
says 'Catchpoint 1: pass dce'
says '1/1 erase %z: unused'
fxdb "${dead[@]}" -ex 'catch pass cse' -ex 'pass run dce' -ex 'dump script'
says 'done    erase %z: unused'
fxdb "${dead[@]}" -ex 'catch pass dce if count{op=output} = 2' -ex 'pass run dce'
says 'done    erase %z: unused'
fxdb "${dead[@]}" -ex 'catch pass' -ex 'ignore 1 1' -ex 'pass run dce' -ex undo \
	-ex 'pass run dce -n' -ex 'pass run dce' -ex q
says 'done    erase %z: unused'
says 'Everything that the pass did is undone.'
fxdb "${dead[@]}" -ex 'catch pass' -ex 'enable delete 1' -ex 'pass run dce' \
	-ex q -ex 'info breakpoints' -ex 'pass run dce'
says 'No breakpoints.'
says 'done    erase %z: unused'
cat >stops.fxdb <<'END'
catch rewrite
commands
silent
print 40 + 2
pass yes
end
END
fxdb "${net[@]}" -x stops.fxdb -ex "$elu" -ex n -ex k -ex 'dump script'
says '= 42'
says "$elu --only a"
[ "$(grep -c 'Catchpoint 1: rewrite' said)" = 1 ] || fail 'silent speaks'
fxdb net.py -ex 'input x = ones(3)' -ex 'catch shape' \
	-ex 'set value a = ones(4)' -ex run
says 'after @1 a: f32[4], but the graph says f32[3]'
# While one is stepped the model can run, and stops where it should.
fxdb net.py -ex 'input x = ones(3)' -ex 'break c' -ex "$elu -i" -ex y -ex run \
	-ex next -ex n -ex y -ex c -ex c -ex 'info breakpoints'
says 'Breakpoint 1'
says '2 matches rewritten'
says 'Finished.'
# What a fold rounded is told from what is wrong.
cat >fold.py <<'END'
def forward(self, x):
    a = torch.full((3,), 0.1)
    b = torch.exp(a)
    return x * b
END
fold=(fold.py -ex 'input x = randn(3)' -ex 'pass run const-fold')
fxdb "${fold[@]}" -ex verify && fail 'f32 as exact as f64'
says 'hint: as small as what const-fold rounds; verify --rtol 1e-5 passes over that'
fxdb "${fold[@]}" -ex 'verify --rtol 1e-5' || fail 'rounded, and refused'
fxdb fold.py -ex 'input x = randn(3)' -ex 'replace b = torch.sin(a)' -ex verify &&
	fail 'another function'
grep -q hint: said && fail 'taken for rounding'
true
