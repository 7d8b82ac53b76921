# Sources of src/ops: .c, .h and .def alike, so that distcheck misses none.
# layers.py and functionals.py are embedded as text, with an index of them, by the
# rules in Makefile.am.
libfxcore_a_SOURCES += \
	%D%/dialect.c %D%/dialect.def %D%/dialect.h \
	%D%/extra_repr.def \
	%D%/formula.c %D%/formula.def %D%/formula.h \
	%D%/reach_einsum.c %D%/reach.c %D%/reach.h \
	%D%/functional_names.def \
	%D%/fusion.c %D%/fusion.def %D%/fusion.h \
	%D%/initial.c %D%/initial.def %D%/initial.h \
	%D%/layertab.c %D%/layertab.h \
	%D%/meaning.c %D%/meaning.def %D%/meaning.h \
	%D%/opcode.def %D%/opcode.h \
	%D%/ops.def %D%/optab.c %D%/optab.h \
	%D%/parameters.c %D%/parameters.def %D%/parameters.h \
	%D%/spellings.c %D%/spellings.def %D%/spellings.h \
	%D%/takes.def \
	%D%/world.c %D%/world.def %D%/world.h
nodist_libfxcore_a_SOURCES += %D%/layers_text.c %D%/functionals_text.c \
	%D%/layertab_rows.c
EXTRA_DIST += %D%/layers.py %D%/functionals.py
