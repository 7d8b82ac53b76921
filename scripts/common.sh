# common.sh - what scripts/run, scripts/test and .ci/run share: packages and
# the build in build/.  Sourced from the top of the tree, with bash.

# What the program needs alone, what it computes and traces with, and what the
# tests need beside both.
core_packages="gcc make libc6-dev autoconf automake pkg-config
libreadline-dev libncurses-dev libjansson-dev libzip-dev libutf8proc-dev
libxxhash-dev libgraphviz-dev"
guest_packages="g++ libtorch-dev libopenblas0-openmp python3-dev
python3-torch python3-torchvision"
test_packages="libcunit1-dev libvterm-dev tmux libxml2-utils procps python3
python3-dev locales"
check_packages="ccache clang clang-format libclang-rt-14-dev"

say()
{
	printf '%s\n' "$*" >&2
}

# The packages among the arguments that are not installed.
missing_packages()
{
	dpkg-query -W -f='${Package} ${db:Status-Abbrev}\n' "$@" 2>/dev/null |
		awk -v wanted="$*" '
		$2 == "ii" { have[$1] = 1 }
		END {
			n = split(wanted, names)
			for (i = 1; i <= n; i++)
				if (!(names[i] in have))
					print names[i]
		}'
}

# Whether the build can do without a package manager: all is there already.
have_all_tools()
{
	for tool in gcc make autoreconf automake pkg-config; do
		command -v $tool >/dev/null || return 1
	done
	pkg-config --exists jansson libzip libutf8proc libxxhash ncursesw \
		libcgraph libgvc
}

# Run a command as root, or say that it cannot be done.
as_root()
{
	if [ "$(id -u)" = 0 ]; then
		DEBIAN_FRONTEND=noninteractive "$@"
	elif command -v sudo >/dev/null; then
		sudo DEBIAN_FRONTEND=noninteractive "$@"
	else
		say "Neither root nor sudo.  As root, run: $*"
		return 1
	fi
}

# Install the packages given, telling first what and how much.
install_packages()
{
	local missing plan package failed=
	if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null
	then
		have_all_tools && return 0
		say "This is no Debian, so install by hand what these Debian" \
			"packages hold, then run this again:"
		printf '  %s\n' "$@" >&2
		return 1
	fi
	missing=$(missing_packages "$@")
	[ -n "$missing" ] || return 0
	say "Installing with apt:" $missing
	# (apt-cache show is content when it knows one of them.)
	if ! apt-get install -s --no-install-recommends $missing \
		>/dev/null 2>&1; then
		as_root apt-get update -q >&2 || {
			say "apt-get update failed: is the network up?"
			return 1
		}
	fi
	plan=$(apt-get install --print-uris --no-install-recommends $missing \
		2>/dev/null | sed -nE '
		s/^([0-9]+) upgraded, ([0-9]+) newly installed.*/\2 packages/p
		s/^Need to get (.*) of archives.*/\1 to fetch/p
		s/^After this operation, (.*) of add.*/\1 on disk/p' |
		paste -sd, | sed 's/,/, /g')
	[ -z "$plan" ] || say "With what they need: $plan"
	as_root apt-get install -y -q --no-install-recommends $missing >&2 &&
		return 0
	# One of them failed: which?
	for package in $missing; do
		as_root apt-get install -y -q --no-install-recommends \
			"$package" >/dev/null 2>&1 || failed="$failed $package"
	done
	[ -z "$failed" ] && return 0
	say "Not installed:$failed"
	say "See what apt says to: apt-get install$failed"
	say "(a package that is not found may need: apt-get update)"
	return 1
}

# Run a command with its output in LOG, which is shown only when it fails.
quietly()
{
	local log=$1
	shift
	"$@" >"$log" 2>&1 && return 0
	tail -n 40 "$log" >&2
	say "failed: $* (all of it: $log)"
	return 1
}

cores()
{
	nproc 2>/dev/null || echo 2
}

# What configure would find, in a word: when it changes, it must look again.
found_parts()
{
	local module
	for module in jansson libzip libutf8proc libxxhash ncursesw libcgraph \
		libgvc cunit vterm; do
		pkg-config --modversion $module 2>/dev/null || echo no
	done | tr '\n' ' '
	ls /usr/include/python3*/Python.h \
		/usr/include/torch/csrc/jit/runtime/operator.h 2>/dev/null |
		tr '\n' ' '
	echo "$*"
}

# is_configured FOLDER [SWITCH...]: with what is found now, so.
is_configured()
{
	local folder=$1
	shift
	[ -f "$folder/Makefile" ] &&
		[ "$(cat "$folder/parts" 2>/dev/null)" = "$(found_parts "$@")" ]
}

# configure_in FOLDER [SWITCH...]: unless it is as it should be already; make
# itself does it again when the build files change.
configure_in()
{
	local folder=$1 top=$PWD
	shift
	mkdir -p "$folder" || return 1
	if [ ! -x configure ] || [ ! -f Makefile.in ]; then
		quietly "$folder/autoreconf.log" autoreconf -i || return 1
	fi
	is_configured "$folder" "$@" && return 0
	(cd "$folder" && quietly configure.log "$top/configure" "$@") || return
	found_parts "$@" >"$folder/parts"
}

# build_in FOLDER: all of it, saying how far it is where somebody watches.
build_in()
{
	local folder=$1 log=$1/make.log total maker
	if [ ! -t 2 ]; then
		quietly "$log" make -C "$folder" -j"$(cores)" all
		return
	fi
	total=$(make -n -C "$folder" all 2>/dev/null | grep -c ' -c -o ')
	: >"$log"
	make -C "$folder" -j"$(cores)" all >"$log" 2>&1 &
	maker=$!
	while kill -0 $maker 2>/dev/null; do
		printf '\r  %d of %d files' "$(grep -cE '^ +CC ' "$log")" \
			"$total" >&2
		sleep 1
	done
	printf '\r%40s\r' '' >&2
	wait $maker && return 0
	tail -n 40 "$log" >&2
	say "the build failed (all it said: $log)"
	return 1
}

# What takes longest, in this order, so that nothing of it runs alone at the end.
slow_tests="parity/trace_errors parity/capture parity/python_pass
transcript/example transcript/lessons screen/states transcript/program
parity/example parity/split parity/archives parity/fuse parity/passes_fx
parity/nested_edits transcript/live transcript/recovery transcript/watch
transcript/errors transcript/bounds transcript/nested parity/torch_fx
parity/copies parity/folder parity/debug parity/control parity/device
parity/evaluate parity/run parity/spellings parity/printed parity/matcher
parity/rewrite parity/values parity/rounding parity/initial parity/defaults"

# slowest_first TEST...: the same tests, in the order in which they begin.
slowest_first()
{
	printf '%s\n' "$@" | awk -v slow="$slow_tests" '
		BEGIN {
			n = split(slow, names)
			for (i = 1; i <= n; i++)
				rank[names[i]] = i
		}
		{
			name = $0
			sub(/^tests\//, "", name)
			sub(/\.[a-z]+$/, "", name)
			print (name in rank ? rank[name] : n + NR) "\t" $0
		}' | sort -n | cut -f 2 | tr '\n' ' '
}

# run_tests FOLDER [TESTS]: build and run all tests, or TESTS; count them.  Each
# computes on one core; one more runs than there are, as some always wait for a
# terminal, a process or a signal.
run_tests()
{
	local folder=$1 tests=${2:-} logs
	[ -n "$tests" ] || tests=$(make -s -C "$folder" list-tests) || return 1
	logs=$(make -s -C "$folder" list-test-logs) || return 1
	# Should the build fail, the results of the last time must not count.
	(cd "$folder" && rm -f $logs)
	OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} \
		make -C "$folder" -k -j"$(($(cores) + 1))" check \
		TESTS="$(slowest_first $tests)" >"$folder/check.log" 2>&1
	scripts/count-tests "$folder" $? ${2:+"$2"}
}

# quick_tests FOLDER: those of a run between two changes.
quick_tests()
{
	make -s -C "$1" list-tests | tr ' ' '\n' |
		grep -vE '^tests/parity/|/(example|states|program|live|lessons|watch|bounds|demo|nested|stranger|recovery)\.sh$' |
		tr '\n' ' '
}

# find_tests FOLDER NAME...: the tests called so, with or without their ending,
# or with that ending, as make knows them.
find_tests()
{
	local folder=$1 all name found
	all=$(make -s -C "$folder" list-tests | tr ' ' '\n') || return 1
	shift
	for name in "$@"; do
		found=$(awk -v name="$name" '{
			whole = $0
			sub(/.*\//, "")
			stem = $0
			sub(/\.[a-z]+$/, "", stem)
			if (whole == name || $0 == name || stem == name ||
			    substr($0, length(stem) + 2) == name)
				print whole
		}' <<<"$all")
		if [ -z "$found" ]; then
			found=$(grep -F -- "$name" <<<"$all" | head -n 8)
			say "no test is called $name (each is named in the" \
				"local.mk beside it)" \
				${found:+"; some that are like it:" $found}
			return 1
		fi
		printf '%s\n' "$found"
	done
}

# What runs the test files of an ending, as a target of make.
harness_of()
{
	case $1 in
	*.fxt) echo tests/transcript/run ;;
	*.fxs) echo tests/screen/fxs ;;
	*.fxp) echo tests/pass/fxp ;;
	*.fxd) echo tests/draw/fxd ;;
	esac
}

# build_for_tests FOLDER TEST...: what they need and nothing else; what is no
# program of its own may start any.
build_for_tests()
{
	local folder=$1 test all= targets=
	shift
	for test in "$@"; do
		case $test in
		*.sh) all=all targets="$targets check-programs" ;;
		*.fx?) all=all targets="$targets $(harness_of "$test")" ;;
		*) targets="$targets $test" ;;
		esac
	done
	# Not both at once: `all` is a make of its own.
	for targets in $all "$targets"; do
		quietly "$folder/make.log" make -C "$folder" -j"$(cores)" \
			$targets || return 1
	done
}

# run_alone FOLDER TEST...: one after the other, in the environment of make
# check, showing what they say; count them as count-tests does.
run_alone()
{
	local folder=$1 test status harness passed=0 failed=0 skipped=0
	shift
	: >"$folder/one-test.status"
	for test in "$@"; do
		harness=$(harness_of "$test")
		echo "$test ${harness:--} ./$test"
	done >"$folder/one-test.list"
	OMP_NUM_THREADS=${OMP_NUM_THREADS:-1} \
		make -s -C "$folder" one-test || return
	while read -r status; do
		case $status in
		0) passed=$((passed + 1)) ;;
		77) skipped=$((skipped + 1)) ;;
		*) failed=$((failed + 1)) ;;
		esac
	done <"$folder/one-test.status"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ $failed -eq 0 ]
}
