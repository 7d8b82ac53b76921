# Tests of the kind transcript.
#	TESTS += %D%/x...
#	EXTRA_DIST += %D%/x...

# The README's five minutes.
TESTS += %D%/readme.sh
EXTRA_DIST += %D%/readme.sh README.md
