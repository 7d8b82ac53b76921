# Sources of src/base: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/arena.h \
	%D%/bitset.h \
	%D%/blob.h \
	%D%/buf.h \
	%D%/cleanup.h \
	%D%/compiler.h \
	%D%/dtype.h %D%/dtypes.def \
	%D%/error.h %D%/error.def \
	%D%/file.h \
	%D%/hash.h \
	%D%/intern.h \
	%D%/json.h \
	%D%/log.h \
	%D%/map.h \
	%D%/mem.h \
	%D%/number.h \
	%D%/role.h %D%/role.def \
	%D%/span.h \
	%D%/str.h \
	%D%/utf8.h \
	%D%/vec.h
