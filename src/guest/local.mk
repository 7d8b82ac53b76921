libfxcore_a_SOURCES += \
	%D%/channel.c %D%/channel.h \
	%D%/process.c %D%/process.h \
	%D%/python.c %D%/python.h \
	%D%/reply.c %D%/reply.h \
	%D%/worker.c %D%/worker.h
