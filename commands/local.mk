# Sources of commands: .c, .h and .def alike, so that distcheck misses none.
libfxcmd_a_SOURCES += \
	%D%/cmd.h %D%/front.h \
	%D%/out.c %D%/out.h %D%/out_private.h \
	%D%/out_json.c \
	%D%/out_lay.c \
	%D%/out_plain.c \
	%D%/out_record.c %D%/out_record.h \
	%D%/out_stream.c
