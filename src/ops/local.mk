# Sources of src/ops: .c, .h and .def alike, so that distcheck misses none.
# layers.py and functionals.py are embedded as text by the rules in Makefile.am,
# which make layers_text.c and functionals_text.c.
libfxcore_a_SOURCES += \
	%D%/dialect.c %D%/dialect.def %D%/dialect.h \
	%D%/opcode.def \
	%D%/ops.def %D%/optab.c %D%/optab.h
