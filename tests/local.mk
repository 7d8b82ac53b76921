# Tests: a fragment a kind.  Unit tests need CUnit, screen tests libvterm.
if HAVE_CUNIT
check_LIBRARIES += libfxtest.a
libfxtest_a_SOURCES = %D%/support/unit.c %D%/support/unit.h \
	%D%/support/append.c %D%/support/append.h \
	%D%/support/ast_print.c %D%/support/ast_print.h \
	%D%/support/clock.h \
	%D%/support/folder.c %D%/support/folder.h \
	%D%/support/planted_passes.c %D%/support/planted_passes.h \
	%D%/support/random.c %D%/support/random.h \
	%D%/support/random_graph.c %D%/support/random_graph.h \
	%D%/support/read_text.c %D%/support/read_text.h \
	%D%/support/replay_backend.c %D%/support/replay_backend.h \
	%D%/support/real_backend.c %D%/support/real_backend.h \
	%D%/support/run_world.c %D%/support/run_world.h \
	%D%/support/session_text.c %D%/support/session_text.h \
	%D%/support/torch_side.c %D%/support/torch_side.h \
	%D%/support/random_module.c %D%/support/random_value.c
libfxtest_a_CFLAGS = $(AM_CFLAGS) $(CUNIT_CFLAGS)
include %D%/unit/local.mk
endif
include %D%/transcript/local.mk
include %D%/screen/local.mk
include %D%/draw/local.mk
include %D%/pass/local.mk
include %D%/fuzz/local.mk
include %D%/parity/local.mk
include %D%/bench/local.mk
EXTRA_DIST += %D%/lsan.supp %D%/wheel.sh
EXTRA_DIST += %D%/data/names.tsv %D%/data/users.tsv \
	%D%/parity/record_names.py %D%/parity/record_users.py
