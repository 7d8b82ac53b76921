#!/bin/sh
# svg.sh - draw writes a valid picture of 71 nodes, and a helper that hangs or
# crashes is one error line, with nothing written.
set -u
: "${FXDB:?}" "${FXDB_BUILDDIR:?}" "${FXDB_SRCDIR:?}"
[ -x "$FXDB_BUILDDIR/fxdb-draw" ] || exit 77
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
model=$FXDB_SRCDIR/doc/examples/resnet18.fxg

fail() {
	echo "failed: $1"
	cat "$work/err" 2>/dev/null
	exit 1
}
# Run the command $1 in a session of its own.
fxdb() {
	"$FXDB" -nx -q -batch "$model" -ex "$1" >"$work/out" 2>"$work/err"
}
# A helper made of the lines $1.
helper() {
	printf '#!/bin/sh\n%s\n' "$1" >"$work/helper"
	chmod +x "$work/helper"
	FXDB_DRAW_PROGRAM=$work/helper
	export FXDB_DRAW_PROGRAM
}

begin=$(date +%s%N)
fxdb "draw -T svg -o $work/a.svg" || fail 'draw -T svg'
milliseconds=$((($(date +%s%N) - begin) / 1000000))
echo "draw -T svg, 71 nodes, with the start of fxdb: $milliseconds ms"
# Sanitizers and a busy machine take their time: the bar is for neither.
[ "$milliseconds" -lt 5000 ] || fail 'too slow'
[ "$(grep -c 'class="node"' "$work/a.svg")" = 71 ] || fail '71 nodes'
if command -v xmllint >/dev/null; then
	xmllint --noout "$work/a.svg" || fail 'not well-formed'
fi
# A box says the name, what is called and the shape, and a change is seen.
fxdb "draw {name=relu} -T dot -o $work/h" || fail 'one box'
grep -q 'label="relu.nReLU.nf32\[1,64,112,112\]"' "$work/h" ||
	fail 'not name, class, shape'
"$FXDB" -nx -q -batch "$model" -ex 'replace relu = F.gelu(bn1)' \
	-ex "draw {name=relu} -T dot -o $work/i" >"$work/out" 2>"$work/err" ||
	fail 'draw after replace'
grep -q 'label="relu.ntorch.nn.functional.gelu.n' "$work/i" ||
	fail 'a change is not seen'

# The ending says the format, unless -T does.
fxdb "draw -o $work/e.svg" || fail 'draw -o .svg'
cmp -s "$work/a.svg" "$work/e.svg" || fail '.svg is no picture'
fxdb "draw -T dot -o $work/f.svg" || fail 'draw -T dot -o .svg'
grep -q '^digraph' "$work/f.svg" || fail '-T does not decide'
fxdb "draw -o $work/g.png" && fail 'a .png is no error'
grep -q 'no picture format "png"' "$work/err" || fail '.png: not said'
[ ! -e "$work/g.png" ] || fail 'a .png all the same'
fxdb "draw {in layer1} -T svg -o $work/b.svg" || fail 'a set'
fxdb "draw --fold 1 -T svg -o $work/c.svg" || fail 'folded'
[ "$(grep -c 'class="node"' "$work/c.svg")" -lt 71 ] || fail 'not folded'

# More than 200 nodes are folded by module, and that is said; --fold 0 does not.
{
	echo 'def forward(self, x):'
	last=x
	for i in 1 2 3 4 5 6 7 8 9 10; do
		for k in 1 2 3 4 5 6 7 8 9 10; do
			for j in 1 2 3; do
				echo "    n${i}_${k}_$j = self.b$i.c$k.l$j($last)"
				last=n${i}_${k}_$j
			done
		done
	done
	echo "    return $last"
} >"$work/large.py"
model=$work/large.py
fxdb "draw -T svg -o $work/j.svg" || fail 'a large graph'
[ "$(grep -c 'class="node"' "$work/j.svg")" -le 200 ] ||
	fail 'more than 200 boxes'
grep -q '302 nodes folded by module, 2 steps deep: 102 boxes; --fold 0' \
	"$work/err" || fail 'folding is not said'
fxdb "draw --fold 0 -T svg -o $work/k.svg" || fail 'unfolded'
[ "$(grep -c 'class="node"' "$work/k.svg")" = 302 ] || fail 'not each node'
# Text for Graphviz needs no helper.
helper 'exit 3'
fxdb "draw -T dot -o $work/l.dot" || fail '-T dot without a helper'
grep -q '^digraph' "$work/l.dot" || fail '-T dot: no text'
model=$FXDB_SRCDIR/doc/examples/resnet18.fxg

FXDB_DRAW_TIMEOUT=300
export FXDB_DRAW_TIMEOUT
helper 'exec sleep 60'
fxdb "draw -T svg -o $work/d.svg" && fail 'a hanging helper is no error'
grep -q '^error: fxdb-draw did not finish in 0.3 s and was stopped' \
	"$work/err" || fail 'hanging: not said'
helper 'kill -ABRT $$'
fxdb "draw -T svg -o $work/d.svg" && fail 'a crashing helper is no error'
grep -q '^error: fxdb-draw died of signal 6' "$work/err" ||
	fail 'crashing: not said'
[ ! -e "$work/d.svg" ] || fail 'a file all the same'
exit 0
