libfxcore_a_SOURCES += \
	%D%/channel.c %D%/channel.h \
	%D%/exchange.c \
	%D%/failure.c %D%/failure.h \
	%D%/process.c %D%/process.h \
	%D%/python.c %D%/python.h \
	%D%/reply.c %D%/reply.h \
	%D%/worker.c %D%/worker.h %D%/worker_private.h
