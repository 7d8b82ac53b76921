# Unit tests: CUnit, one program a module (LDADD is set in Makefile.am).
#	check_PROGRAMS += %D%/test_x
#	TESTS += %D%/test_x
#	%C%_test_x_SOURCES = %D%/test_x.c
# A test of the commands adds: %C%_test_x_LDADD = libfxcmd.a $(LDADD)
