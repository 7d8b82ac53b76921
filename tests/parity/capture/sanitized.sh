# sanitized.sh - sourced: an extension built with the address sanitizer needs
# its library loaded before Python is.
extension=$FXDB_BUILDDIR/src/capture/fxdb/_capture.abi3.so
libraries=$(ldd "$extension" 2>/dev/null |
	sed -nE 's/.*=> (.*lib(a|ub)san\.so[^ ]*).*/\1/p' | tr '\n' ' ')
if [ -n "${libraries// /}" ]; then
	# libstdc++ too: it must be there when the exceptions of torch are
	# intercepted.
	LD_PRELOAD="$libraries$(gcc -print-file-name=libstdc++.so.6)"
	# Python's own memory is not ours to account for.
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	export LD_PRELOAD ASAN_OPTIONS
fi
