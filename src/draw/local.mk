# Pictures of graphs as characters.
libfxcore_a_SOURCES += \
	%D%/box.c %D%/box.h \
	%D%/cells.c %D%/cells.h \
	%D%/dag.c %D%/dag.h \
	%D%/dag_graph.c \
	%D%/dag_order.c \
	%D%/dag_paint.c \
	%D%/dag_place.c \
	%D%/dag_rank.c \
	%D%/dag_route.c \
	%D%/layers.h \
	%D%/rails.c %D%/rails.h
