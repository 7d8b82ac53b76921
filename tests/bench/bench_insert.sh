#!/usr/bin/env bash
# bench_insert.sh - what `insert` walks through, from Enter to the prompt, on
# resnet18: functions of commands, load and session, the texts it parses and the
# files it opens.  Wants valgrind, for its callgrind.
set -u
fxdb=${FXDB:?}
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 99
if ! command -v valgrind >/dev/null; then
	printf 'insert: functions entered\tneeds valgrind\t60\t190 before\n'
	exit 0
fi
cat >commands <<END
load $source/doc/examples/resnet18.fxg
insert after relu : y = torch.neg(relu)
echo done
END
# One profile ends where a line begins: the third is that of `insert`, from the
# line to its end.  Reading the next line of the script is no part of it.
valgrind --tool=callgrind --dump-before=cmd_run --toggle-collect=cmd_run \
	--callgrind-out-file=calls \
	"$fxdb" -nx -batch -x commands >said 2>&1 || { cat said; exit 99; }

# functions FOLDER...: how many of the sources there ran.
functions()
{
	awk -v wanted="$*" '
	BEGIN {
		count = split(wanted, folders)
	}
	# "(12) name" gives a number, "(12)" stands for the name.
	function name(text, names, number) {
		number = text
		sub(/\).*/, ")", number)
		sub(/^\([0-9]+\) ?/, "", text)
		if (text != "")
			names[number] = text
		return names[number]
	}
	/^fl=/ { file = name(substr($0, 4), files) }
	/^(fi|fe)=/ { name(substr($0, 4), files) }
	/^(cfi|cfl)=/ { name(substr($0, 5), files) }
	/^cfn=/ { name(substr($0, 5), functions) }
	/^fn=/ {
		text = name(substr($0, 4), functions)
		sub(/\x27[0-9]+$/, "", text)
		is_wanted = 0
		for (i = 1; i <= count; i++)
			is_wanted += index(file, "/" folders[i] "/") > 0
	}
	# A line of cost, unless it is that of the call before it.
	/^[0-9+*-]/ && is_wanted && !is_call { seen[file text] = 1 }
	{ is_call = /^calls=/ }
	END {
		total = 0
		for (key in seen)
			total++
		print total
	}' calls.3
}

# How often FUNCTION was called.
calls()
{
	awk -v wanted="$1" '
	/^cfn=/ {
		text = substr($0, 5)
		number = text
		sub(/\).*/, ")", number)
		sub(/^\([0-9]+\) ?/, "", text)
		if (text != "")
			names[number] = text
		called = names[number]
	}
	/^fn=/ {
		text = substr($0, 4)
		number = text
		sub(/\).*/, ")", number)
		sub(/^\([0-9]+\) ?/, "", text)
		if (text != "")
			names[number] = text
	}
	/^calls=/ {
		if (called == wanted)
			total += substr($1, 7)
	}
	END { print total + 0 }' calls.3
}

all=$(functions commands load session)
over=
[ "$all" -le 60 ] || over=' OVER'
printf 'insert: functions of commands, load, session\t%s%s\t60\t%s\n' \
	"$all" "$over" "190 before; load $(functions load)"
reads=$(calls fx_fragment_read)
opened=$(($(calls open) + $(calls fopen) + $(calls open64) + $(calls fopen64)))
files=
[ "$opened" = 0 ] || files=' OVER'
printf 'insert: right-hand sides read, files opened\t%s, %s%s\t1, 0\t\n' \
	"$reads" "$opened" "$files"
[ -z "$over$files" ]
