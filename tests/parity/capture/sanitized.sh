# sanitized.sh - sourced: an extension built with the address sanitizer needs
# its library, $FXDB_PRELOAD, loaded before Python is.  $python becomes a
# program that does so; it goes with $folder at the end.
if [ -n "${FXDB_PRELOAD:-}" ]; then
	sanitized=$(mktemp -d) || exit 1
	trap 'rm -rf "$sanitized" "${folder:-}"' EXIT
	# libstdc++ too: it must be there when the exceptions of torch are
	# intercepted.  Python's own memory is not ours to account for, and a
	# model that crashes shall crash.
	cat >"$sanitized/python3" <<-END
		#!/bin/sh
		LD_PRELOAD="$FXDB_PRELOAD $(gcc -print-file-name=libstdc++.so.6)" \\
		ASAN_OPTIONS=detect_leaks=0:handle_segv=0 exec "$python" "\$@"
	END
	chmod +x "$sanitized/python3"
	python=$sanitized/python3
fi
