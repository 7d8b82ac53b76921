# Sources of src/ir: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/annotate.c \
	%D%/clone.h \
	%D%/diff.h \
	%D%/edit.h \
	%D%/expand.h \
	%D%/fold.h \
	%D%/graph.c %D%/graph.h %D%/graph_private.h \
	%D%/graph_hash.h \
	%D%/journal.c %D%/journal.h \
	%D%/module.c %D%/module.h \
	%D%/module_walk.c \
	%D%/names.c %D%/names.h \
	%D%/node.c %D%/node.h \
	%D%/order.c %D%/order.h \
	%D%/signature.h \
	%D%/size.h \
	%D%/tensor_meta.h \
	%D%/uses.c %D%/uses.h \
	%D%/value.c %D%/value.h \
	%D%/value_calls.c \
	%D%/value_read.c %D%/value_read.h \
	%D%/value_text.c %D%/value_text.h \
	%D%/value_walk.c %D%/value_walk.h \
	%D%/verify.h
