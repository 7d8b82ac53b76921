# Sources of src/load: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/jsonl.c %D%/jsonl.h %D%/jsonl_private.h \
	%D%/jsonl_line.c \
	%D%/jsonl_module.c \
	%D%/jsonl_node.c \
	%D%/safetensors.c %D%/safetensors.h \
	%D%/safetensors_write.c \
	%D%/save.c %D%/save.h
