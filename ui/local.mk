# The programs.
bin_PROGRAMS += fxdb
fxdb_SOURCES = \
	%D%/main.c \
	%D%/doctor.c \
	%D%/leave.c %D%/leave.h \
	%D%/options.c %D%/options.h \
	%D%/output.c \
	%D%/standard.c %D%/standard.h \
	%D%/startup.c \
	%D%/ui.h %D%/welcome.c \
	%D%/batch/batch.c \
	%D%/repl/line.h \
	%D%/repl/pager.c %D%/repl/pager.h \
	%D%/repl/readline_glue.c \
	%D%/repl/repl.c
fxdb_LDADD = libfxtui.a libfxcmd.a libfxcore.a $(READLINE_LIBS) \
	$(CURSES_LIBS) $(CORE_LIBS) -lm

# The Graphviz helper, which links no Readline.
if WITH_GRAPHVIZ
pkglibexec_PROGRAMS += fxdb-draw
fxdb_draw_SOURCES = %D%/fxdb-draw.c
fxdb_draw_CFLAGS = $(AM_CFLAGS) $(GRAPHVIZ_CFLAGS)
fxdb_draw_LDADD = $(GRAPHVIZ_LIBS)
endif

# The full screen: libfxtui.a, which fxdb links before libfxcmd.a.
include %D%/tui/local.mk
libfxtui_a_SOURCES += \
	%D%/at_work.c %D%/at_work.h \
	%D%/signals.c %D%/signals.h \
	%D%/theme.c %D%/theme.def %D%/theme.h \
	%D%/yes_no.c %D%/yes_no.h
