#!/usr/bin/env bash
# words.sh - every command that the eleven words of help show prints what they
# show, and help has all of it.  FXDB_UPDATE=1 writes what was printed.
# Skipped without libtorch: a state in the tables says that there are values.
. "$(dirname "$0")/home.sh"
words=$source/doc/lessons/words.txt
has_values || exit 77

sed -n 's/^  (fxdb) //p' "$words" >lines
[ "$(wc -l <lines)" -eq 11 ] || fail "a word has no example, or two"
sed 's/^/echo @@@@\n/' lines >script
fxdb --welcome -x script || fail 'a command fails'

# The page with what was printed put under each command.
awk '
	FNR == NR { if ($0 == "@@@@") n++; else text[n] = text[n] "  " $0 "\n"; next }
	/^  \(fxdb\) / { print; shown = 1; gsub(/[ ]+\n/, "\n", text[++m]); printf "%s", text[m]; next }
	/^  / && shown { next }
	{ shown = 0; print }
' said "$words" >page
if [ -n "${FXDB_UPDATE:-}" ]; then
	cp page "$words"
fi
diff -u "$words" page || fail "the examples are not what is printed"

# help WORD has the word's lines, and help concepts all of them.
fxdb -ex 'help concepts'
mv said concepts
count=0
while IFS= read -r heading; do
	heading=${heading#= }
	fxdb -ex "help ${heading%%:*}"
	sed 's/[ ]*$//' said >help
	grep -qxF -- "$heading" help || fail "help ${heading%%:*}"
	awk -v h="= $heading" '/^= / { on = $0 == h } on && /^  /' "$words" >wanted
	while IFS= read -r line; do
		grep -qxF -- "$line" help || fail "help ${heading%%:*} lacks: $line"
		grep -qF -- "$line" concepts || fail "help concepts lacks: $line"
	done <wanted
	count=$((count + 1))
done < <(grep '^= ' "$words")
[ "$count" -eq 11 ] || fail "$count words"
