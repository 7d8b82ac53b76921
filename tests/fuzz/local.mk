# Tests of the kind fuzz.

# Fuzz entries: a file each with LLVMFuzzerTestOneInput.  With --enable-fuzzers
# they are linked with libFuzzer; else replay.c runs each over its corpus,
# corpus/NAME for fuzz_NAME.
EXTRA_DIST += %D%/corpus
fuzz_entries = %D%/fuzz_parse %D%/fuzz_fxg %D%/fuzz_command %D%/fuzz_npy
if FUZZERS
EXTRA_PROGRAMS += $(fuzz_entries)
FUZZERS += $(fuzz_entries)
fuzz_main =
fuzz_ldflags = -fsanitize=fuzzer $(AM_LDFLAGS)
else
check_PROGRAMS += $(fuzz_entries)
TESTS += $(fuzz_entries)
fuzz_main = %D%/replay.c
fuzz_ldflags = $(AM_LDFLAGS)
endif
%C%_fuzz_parse_SOURCES = %D%/fuzz_parse.c $(fuzz_main) \
	tests/support/ast_print.c tests/support/ast_print.h
%C%_fuzz_parse_LDFLAGS = $(fuzz_ldflags)
%C%_fuzz_parse_LDADD = libfxcore.a $(CORE_LIBS) -lm
%C%_fuzz_fxg_SOURCES = %D%/fuzz_fxg.c $(fuzz_main)
%C%_fuzz_fxg_LDFLAGS = $(fuzz_ldflags)
%C%_fuzz_fxg_LDADD = libfxcore.a $(CORE_LIBS) -lm
%C%_fuzz_command_SOURCES = %D%/fuzz_command.c $(fuzz_main)
%C%_fuzz_command_LDFLAGS = $(fuzz_ldflags)
%C%_fuzz_command_LDADD = libfxcmd.a libfxcore.a $(CORE_LIBS) -lm
%C%_fuzz_npy_SOURCES = %D%/fuzz_npy.c $(fuzz_main)
%C%_fuzz_npy_LDFLAGS = $(fuzz_ldflags)
%C%_fuzz_npy_LDADD = libfxcore.a $(CORE_LIBS) -lm

# Random commands for a while; a few seconds here, longer by scripts/fuzz.
check_PROGRAMS += %D%/soak
TESTS += %D%/soak
%C%_soak_SOURCES = %D%/soak.c %D%/soak_lines.c %D%/soak_lines.h \
	tests/support/folder.c tests/support/folder.h \
	tests/support/random.c tests/support/random.h
%C%_soak_LDADD = libfxcmd.a libfxcore.a $(CORE_LIBS) -lm
