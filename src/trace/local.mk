libfxcore_a_SOURCES += %D%/recorder.c %D%/recorder.h
