# Drawings: one file a shape, with the graph and how it is drawn; fxd runs one.
# FXDB_UPDATE=1 make check rewrites the drawings.
check_PROGRAMS += %D%/fxd
%C%_fxd_SOURCES = %D%/fxd.c \
	tests/support/golden.c tests/support/golden.h
%C%_fxd_LDADD = libfxcore.a $(CORE_LIBS) -lm

FXD_LOG_COMPILER = %D%/fxd$(EXEEXT)
fxd_tests = \
	%D%/crossed.fxd \
	%D%/dead.fxd \
	%D%/dense.fxd \
	%D%/diamond.fxd \
	%D%/empty.fxd \
	%D%/fan.fxd \
	%D%/hub.fxd \
	%D%/inception.fxd \
	%D%/long-edge.fxd \
	%D%/skip.fxd \
	%D%/transformer.fxd \
	%D%/wide-names.fxd
TESTS += $(fxd_tests)
EXTRA_DIST += $(fxd_tests)

TESTS += %D%/svg.sh
EXTRA_DIST += %D%/svg.sh
