# The programs.  Switch fxdb on with its main file:
#	bin_PROGRAMS += fxdb
#	fxdb_SOURCES = %D%/main.c ...
#	fxdb_CPPFLAGS = $(AM_CPPFLAGS)
#	fxdb_CFLAGS = $(AM_CFLAGS) $(CURSES_CFLAGS)
#	fxdb_LDADD = libfxcmd.a libfxcore.a $(READLINE_LIBS) $(CURSES_LIBS) \
#		$(JANSSON_LIBS) -lm
#	if WITH_CURSES
#	fxdb_SOURCES += %D%/tui/...
#	endif
#
# and the Graphviz helper, which links no Readline:
#	if WITH_GRAPHVIZ
#	pkglibexec_PROGRAMS += fxdb-draw
#	fxdb_draw_SOURCES = %D%/fxdb-draw.c
#	fxdb_draw_CFLAGS = $(AM_CFLAGS) $(GRAPHVIZ_CFLAGS)
#	fxdb_draw_LDADD = $(GRAPHVIZ_LIBS)
#	endif

# The Graphviz helper, which links no Readline.
if WITH_GRAPHVIZ
pkglibexec_PROGRAMS += fxdb-draw
fxdb_draw_SOURCES = %D%/fxdb-draw.c
fxdb_draw_CFLAGS = $(AM_CFLAGS) $(GRAPHVIZ_CFLAGS)
fxdb_draw_LDADD = $(GRAPHVIZ_LIBS)
endif

# The full screen: libfxtui.a, which fxdb links before libfxcmd.a.
include %D%/tui/local.mk
