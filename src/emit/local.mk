# Sources of src/emit: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/code_names.c %D%/code_names.h \
	%D%/construct.c %D%/construct.h \
	%D%/delta.c %D%/delta.h \
	%D%/dot.c %D%/dot.h \
	%D%/edits.c %D%/edits.h %D%/edits_private.h \
	%D%/edits_call.c \
	%D%/edits_judge.c %D%/edits_nested.c \
	%D%/edits_node.c \
	%D%/edits_order.c %D%/edits_part.c \
	%D%/folder.c %D%/folder.h %D%/folder_reader.c \
	%D%/fx.c %D%/fx.h \
	%D%/jsonl.c %D%/jsonl.h \
	%D%/python.c %D%/python.h %D%/python_private.h \
	%D%/python_source.c \
	%D%/python_statement.c \
	%D%/reproduce.c %D%/reproduce.h \
	%D%/script.c %D%/script.h \
	%D%/table.c %D%/table.h \
	%D%/weights.c %D%/weights.h
