# Sources of commands: .c, .h and .def alike, so that distcheck misses none.
#	libfxcmd_a_SOURCES += %D%/x.c %D%/x.h
