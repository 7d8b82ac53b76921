# Pictures of graphs as characters, and by way of the helper program.
libfxcore_a_SOURCES += \
	%D%/box.c %D%/box.h \
	%D%/canvas.c %D%/canvas.h \
	%D%/dag.c %D%/dag.h \
	%D%/dag_graph.c \
	%D%/dag_order.c \
	%D%/dag_paint.c \
	%D%/dag_place.c \
	%D%/dag_rank.c \
	%D%/dag_route.c \
	%D%/dot_text.c %D%/dot_text.h \
	%D%/draw.c %D%/draw.h \
	%D%/draw_part.h \
	%D%/layers.h \
	%D%/picture.c \
	%D%/lanes.c %D%/lanes.h \
	%D%/svg_child.c %D%/svg_child.h
