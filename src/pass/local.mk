# Sources of src/pass: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/becoming.c %D%/becoming.h \
	%D%/const_fold.c %D%/cse.c \
	%D%/dce.c \
	%D%/engine.c %D%/engine.h %D%/options.c \
	%D%/fold_weight.c %D%/fold_weight.h \
	%D%/fuse_conv_bn.c %D%/fuse_linear.c %D%/layers.c %D%/layers.h \
	%D%/inline_all.c \
	%D%/merge_linear.c %D%/normalize.c \
	%D%/pure.c %D%/pure.h \
	%D%/remove_identity.c %D%/reorder.c \
	%D%/passes.def \
	%D%/sweep.c %D%/sweep.h \
	%D%/rewriting.c %D%/rewriting.h \
	%D%/rules.c %D%/rules.h
