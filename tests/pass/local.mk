# Passes: one file a fact, with the graph before, what the pass proposes, and
# the graph after; fxp runs one.  FXDB_UPDATE=1 make check rewrites them.
check_PROGRAMS += %D%/fxp
%C%_fxp_SOURCES = %D%/fxp.c \
	tests/support/golden.c tests/support/golden.h
%C%_fxp_LDADD = libfxcore.a $(CORE_LIBS) -lm

FXP_LOG_COMPILER = %D%/fxp$(EXEEXT)
fxp_tests = \
	%D%/cse-equal.fxp \
	%D%/cse-kept.fxp \
	%D%/dce-asked.fxp \
	%D%/dce-chain.fxp \
	%D%/dce-effects.fxp \
	%D%/dce-inplace.fxp \
	%D%/dce-kept-out.fxp \
	%D%/dce-layers.fxp \
	%D%/dce-nothing.fxp \
	%D%/dce-torch.fxp \
	%D%/remove-dropout-eval.fxp \
	%D%/remove-identity-exact.fxp \
	%D%/remove-identity-kept.fxp \
	%D%/reorder-kept.fxp \
	%D%/reorder-original.fxp \
	%D%/reorder-use.fxp
TESTS += $(fxp_tests)
EXTRA_DIST += $(fxp_tests)
