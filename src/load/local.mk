# Sources of src/load: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/weights_file.c %D%/weights_file.h %D%/weights_name.c \
	%D%/archive.c %D%/archive.h \
	%D%/delta.c %D%/delta.h \
	%D%/jsonl.c %D%/jsonl.h %D%/jsonl_private.h \
	%D%/jsonl_module.c \
	%D%/log_graphs.c %D%/log_graphs.h \
	%D%/paste.c %D%/paste.h \
	%D%/jsonl_node.c \
	%D%/npy.c %D%/npy.h %D%/npz_write.c \
	%D%/pt2.c %D%/pt2.h %D%/pt2.def %D%/pt2_private.h \
	%D%/pt2_graph.c %D%/pt2_place.c %D%/pt2_value.c \
	%D%/safetensors.c %D%/safetensors.h \
	%D%/safetensors_write.c \
	%D%/save.c %D%/save.h %D%/save_with.c \
	%D%/save_later.c %D%/save_later.h

# Text that torch printed.
libfxcore_a_SOURCES += \
	%D%/folder.c %D%/folder.h \
	%D%/folder_write.c \
	%D%/finish.c %D%/fx.c %D%/fx.h \
	%D%/fx_value.c %D%/fx_value.h \
	%D%/open.c %D%/open.h \
	%D%/python.c %D%/python.h %D%/python_private.h \
	%D%/python_meta.c \
	%D%/python_module.c \
	%D%/python_printed.c \
	%D%/python_repr.c \
	%D%/python_stmt.c \
	%D%/source.c %D%/source.h
