#!/usr/bin/env bash
# readme.sh - every line of the README's five minutes works as it stands, and
# its session says what it shows, where values are computed.
. "$(dirname "$0")/home.sh"
cd "$source" || exit 1

# From the heading to the end of its code block; remarks begin after blanks.
sed -n '/^## Five minutes/,/^Tracing your own/p' README.md |
	sed -nE 's/^\(fxdb\) (.*)$/\1/p' | sed -E 's/   .*$//' >"$folder/tour"
count=$(wc -l <"$folder/tour")
[ "$count" -ge 20 ] || { echo "only $count lines of the tour found"; exit 1; }
"$fxdb" -nx -batch doc/examples/mlp.fxg -x "$folder/tour"
status=$?
# Without libtorch its run computes shapes only, which the status tells.
has_values || [ $status -ne 2 ] || status=0
[ $status -eq 0 ] || exit 1

# The first block under the heading: what is typed, and every line of answers.
sed -n '/^## A session/,/^The full screen/p' README.md |
	sed -n '/^\$ /,/^```/p' | sed '1d; $d' >"$folder/session"
sed -nE 's/^\(fxdb\) (.*)$/\1/p' "$folder/session" >"$folder/typed"
count=$(wc -l <"$folder/typed")
[ "$count" -ge 6 ] || { echo "only $count lines of the session found"; exit 1; }
if has_values; then
	"$fxdb" -nx -batch doc/examples/mlp.fxg -x "$folder/typed" \
		>"$folder/said" 2>&1 || { cat "$folder/said"; exit 1; }
	# In that order: what is told before a run stands before its stop.
	grep -v '^(fxdb)' "$folder/session" | awk '
		NR == FNR { wanted[++count] = $0; next }
		at < count && $0 == wanted[at + 1] { at++ }
		END {
			if (at < count)
				print "the README says, the program does not: " \
					wanted[at + 1]
			exit at < count
		}' - "$folder/said" || exit 1
fi
