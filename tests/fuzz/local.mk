# Tests of the kind fuzz.
#	TESTS += %D%/x...
#	EXTRA_DIST += %D%/x...

# Fuzz entries: a file each with LLVMFuzzerTestOneInput.  With --enable-fuzzers
# they are linked with libFuzzer; else replay.c runs each over its corpus,
# corpus/NAME for fuzz_NAME.
EXTRA_DIST += %D%/corpus
if FUZZERS
EXTRA_PROGRAMS += %D%/fuzz_parse
FUZZERS += %D%/fuzz_parse
%C%_fuzz_parse_SOURCES = %D%/fuzz_parse.c
%C%_fuzz_parse_LDFLAGS = -fsanitize=fuzzer $(AM_LDFLAGS)
else
check_PROGRAMS += %D%/fuzz_parse
TESTS += %D%/fuzz_parse
%C%_fuzz_parse_SOURCES = %D%/fuzz_parse.c %D%/replay.c
endif
%C%_fuzz_parse_LDADD = libfxcore.a $(JANSSON_LIBS) -lm

if FUZZERS
EXTRA_PROGRAMS += %D%/fuzz_fxg
FUZZERS += %D%/fuzz_fxg
%C%_fuzz_fxg_SOURCES = %D%/fuzz_fxg.c
%C%_fuzz_fxg_LDFLAGS = -fsanitize=fuzzer $(AM_LDFLAGS)
else
check_PROGRAMS += %D%/fuzz_fxg
TESTS += %D%/fuzz_fxg
%C%_fuzz_fxg_SOURCES = %D%/fuzz_fxg.c %D%/replay.c
endif
%C%_fuzz_fxg_LDADD = libfxcore.a $(JANSSON_LIBS) -lm

if FUZZERS
EXTRA_PROGRAMS += %D%/fuzz_command
FUZZERS += %D%/fuzz_command
%C%_fuzz_command_SOURCES = %D%/fuzz_command.c
%C%_fuzz_command_LDFLAGS = -fsanitize=fuzzer $(AM_LDFLAGS)
else
check_PROGRAMS += %D%/fuzz_command
TESTS += %D%/fuzz_command
%C%_fuzz_command_SOURCES = %D%/fuzz_command.c %D%/replay.c
endif
%C%_fuzz_command_LDADD = libfxcmd.a libfxcore.a $(JANSSON_LIBS) -lm

if FUZZERS
EXTRA_PROGRAMS += %D%/fuzz_npy
FUZZERS += %D%/fuzz_npy
%C%_fuzz_npy_SOURCES = %D%/fuzz_npy.c
%C%_fuzz_npy_LDFLAGS = -fsanitize=fuzzer $(AM_LDFLAGS)
else
check_PROGRAMS += %D%/fuzz_npy
TESTS += %D%/fuzz_npy
%C%_fuzz_npy_SOURCES = %D%/fuzz_npy.c %D%/replay.c
endif
%C%_fuzz_npy_LDADD = libfxcore.a $(JANSSON_LIBS) -lm

# Random commands for a while; a few seconds here, longer by scripts/fuzz.
check_PROGRAMS += %D%/soak
TESTS += %D%/soak
%C%_soak_SOURCES = %D%/soak.c %D%/soak_lines.c %D%/soak_lines.h
%C%_soak_LDADD = libfxcmd.a libfxcore.a $(JANSSON_LIBS) -lm
