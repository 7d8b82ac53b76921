# Sources of src/base: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/arena.c %D%/arena.h \
	%D%/bitset.c %D%/bitset.h \
	%D%/blob.c %D%/blob.h \
	%D%/buf.c %D%/buf.h \
	%D%/cleanup.h \
	%D%/compiler.c %D%/compiler.h \
	%D%/dtype.c %D%/dtype.h %D%/dtypes.def \
	%D%/error.c %D%/error.h %D%/error.def \
	%D%/file.c %D%/file_state.c %D%/file_write.c %D%/file.h \
	%D%/guard.c %D%/guard.h \
	%D%/hash.c %D%/hash.h \
	%D%/intern.c %D%/intern.h \
	%D%/json.c %D%/json.h \
	%D%/log.c %D%/log.h \
	%D%/map.c %D%/map.h \
	%D%/mem.c %D%/mem.h \
	%D%/number.c %D%/number_parse.c %D%/number.h \
	%D%/random.c %D%/random.h \
	%D%/role.h %D%/role.def \
	%D%/span.c %D%/span.h \
	%D%/str.c %D%/str_python.c %D%/str.h \
	%D%/tick.h \
	%D%/utf8.c %D%/utf8_class.c %D%/utf8.h \
	%D%/vec.c %D%/vec.h
