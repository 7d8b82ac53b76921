# Sources of src/meta: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/control.c %D%/control.h \
	%D%/eval.c %D%/eval_private.h \
	%D%/promote.c %D%/promote.h \
	%D%/propagate.c %D%/propagate.h \
	%D%/rules.c %D%/rules.h \
	%D%/rules_activation.c \
	%D%/rules_attribute.c \
	%D%/rules_conv.c \
	%D%/rules_einsum.c \
	%D%/rules_elementwise.c \
	%D%/rules_embedding.c \
	%D%/rules_factory.c \
	%D%/rules_index.c \
	%D%/rules_join.c \
	%D%/rules_matrix.c \
	%D%/rules_norm.c \
	%D%/rules_pool.c \
	%D%/rules_product.c \
	%D%/rules_recurrent.c \
	%D%/rules_reduce.c \
	%D%/rules_repeat.c \
	%D%/rules_resize.c \
	%D%/rules_select.c \
	%D%/rules_shape.c \
	%D%/rules_signal.c \
	%D%/shape.c %D%/shape.h \
	%D%/size_conditions.c %D%/size_conditions.h
