# The full screen, a library of its own so that tests can bring a screen of
# their own (tests/support/null_screen.c), with what the prompt shares with it.
# Only curses_screen.c includes curses, and no file Readline.
noinst_LIBRARIES += libfxtui.a
libfxtui_a_CFLAGS = $(AM_CFLAGS) $(CURSES_CFLAGS)
libfxtui_a_SOURCES = \
	%D%/action.c %D%/action.h %D%/actions.def \
	%D%/bind.c %D%/bind.h \
	%D%/curses_screen.c \
	%D%/filter.c %D%/filter.h \
	%D%/frame.c \
	%D%/graph_facts.c \
	%D%/graph_names.c \
	%D%/graph_rows.c %D%/graph_rows.h \
	%D%/input.c \
	%D%/jump.c %D%/jump.h \
	%D%/keymap.c %D%/keys.def \
	%D%/layout.c %D%/layout.h \
	%D%/line.c %D%/line.h \
	%D%/node_keys.c %D%/node_keys.h \
	%D%/mouse.c %D%/mouse.h \
	%D%/picture.c %D%/picture.h \
	%D%/screen.h \
	%D%/search.c %D%/search.h \
	%D%/sizes.c \
	%D%/text.c %D%/text.h \
	%D%/titles.c \
	%D%/tui.c %D%/tui.h \
	%D%/tui_front.c \
	%D%/tui_private.h \
	%D%/value_look.c \
	%D%/value_axis.c %D%/value_modes.c %D%/value_modes.def %D%/value_modes.h \
	%D%/view.c %D%/view.h \
	%D%/view_code.c %D%/view_code.h \
	%D%/view_diff.c %D%/view_diff.h \
	%D%/view_graph.c %D%/view_graph.h \
	%D%/view_node.c \
	%D%/view_source.c %D%/view_source.h \
	%D%/view_stops.c \
	%D%/view_time.c %D%/view_time.h \
	%D%/view_values.c %D%/view_values.h
