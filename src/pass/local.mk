# Sources of src/pass: .c, .h and .def alike, so that distcheck misses none.
#	libfxcore_a_SOURCES += %D%/x.c %D%/x.h
