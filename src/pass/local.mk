# Sources of src/pass: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/dce.c \
	%D%/engine.c %D%/engine.h \
	%D%/inline_all.c \
	%D%/passes.def
