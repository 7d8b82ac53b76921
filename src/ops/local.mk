# Sources of src/ops: .c, .h and .def alike, so that distcheck misses none.
#	libfxcore_a_SOURCES += %D%/x.c %D%/x.h
#
# layers.py and functionals.py are embedded as text: the rules in Makefile.am
# make layers_text.c, which defines
#	const char fx_layers_text[];	(NUL-terminated)
#	const size_t fx_layers_text_size;	(without the NUL)
# Switch on, once the .py files exist, with
#	nodist_libfxcore_a_SOURCES += %D%/layers_text.c %D%/functionals_text.c
#	EXTRA_DIST += %D%/layers.py %D%/functionals.py
