# The full screen: .fxs files on the null screen; test_screen in a real
# pseudo-terminal, with libvterm as the terminal; tmux.sh as a second opinion.
check_PROGRAMS += %D%/fxs
%C%_fxs_SOURCES = %D%/fxs.c \
	tests/support/golden.c tests/support/golden.h \
	tests/support/line_plain.c tests/support/line_plain.h \
	tests/support/null_screen.c tests/support/null_screen.h
%C%_fxs_LDADD = libfxtui.a libfxcmd.a libfxcore.a $(CURSES_LIBS) \
	$(CORE_LIBS) -lm
FXS_LOG_COMPILER = %D%/fxs$(EXEEXT)
fxs_tests = \
	%D%/ascii.fxs \
	%D%/begin.fxs \
	%D%/bind.fxs \
	%D%/break.fxs \
	%D%/break_wide.fxs \
	%D%/command.fxs \
	%D%/complete.fxs \
	%D%/counts.fxs \
	%D%/diff.fxs \
	%D%/drag.fxs \
	%D%/empty.fxs \
	%D%/filter.fxs \
	%D%/fold.fxs \
	%D%/give_back.fxs \
	%D%/headings.fxs \
	%D%/insert.fxs \
	%D%/jumps.fxs \
	%D%/keys_narrow.fxs \
	%D%/layout.fxs \
	%D%/leave.fxs \
	%D%/more.fxs \
	%D%/more_keys.fxs \
	%D%/mouse.fxs \
	%D%/move_keys.fxs \
	%D%/names.fxs \
	%D%/nested.fxs \
	%D%/nested_diff.fxs \
	%D%/nested_stop.fxs \
	%D%/node_keys.fxs \
	%D%/open.fxs \
	%D%/output.fxs \
	%D%/pause.fxs \
	%D%/pane_keys.fxs \
	%D%/pane_sizes.fxs \
	%D%/paste.fxs \
	%D%/quit.fxs \
	%D%/quit_fine.fxs \
	%D%/rows.fxs \
	%D%/run_keys.fxs \
	%D%/scope.fxs \
	%D%/search.fxs \
	%D%/sizes.fxs \
	%D%/source.fxs \
	%D%/step.fxs \
	%D%/step_begin.fxs \
	%D%/stops.fxs \
	%D%/tutorial.fxs \
	%D%/value_colors.fxs \
	%D%/value_axis.fxs %D%/value_front.fxs %D%/value_narrow.fxs %D%/value_modes.fxs \
	%D%/values.fxs \
	%D%/values_tuple.fxs
TESTS += $(fxs_tests)
EXTRA_DIST += $(fxs_tests) %D%/block.py %D%/lecture.fxdb \
	%D%/attention.npy %D%/picture.npy %D%/planes.npy

if HAVE_VTERM
if HAVE_CUNIT
check_PROGRAMS += %D%/test_screen %D%/test_views
TESTS += %D%/test_screen %D%/test_views
%C%_test_views_SOURCES = %D%/test_views.c %D%/term.c %D%/term.h
%C%_test_views_CFLAGS = $(AM_CFLAGS) $(VTERM_CFLAGS)
%C%_test_views_LDADD = $(LDADD) $(VTERM_LIBS)
%C%_test_screen_SOURCES = %D%/test_screen.c %D%/term.c %D%/term.h
%C%_test_screen_CFLAGS = $(AM_CFLAGS) $(VTERM_CFLAGS)
%C%_test_screen_LDADD = $(LDADD) $(VTERM_LIBS)
endif
endif

TESTS += %D%/new.sh
if WITH_CURSES
TESTS += %D%/states.sh %D%/tmux.sh %D%/prompt_tmux.sh \
	%D%/debug_tmux.sh %D%/mask_tmux.sh %D%/drag_tmux.sh
endif
EXTRA_DIST += %D%/new.sh %D%/on_tmux.sh %D%/debug_tmux.sh %D%/mask_tmux.sh %D%/drag_tmux.sh %D%/prompt_tmux.sh %D%/tmux.sh %D%/states.sh \
	%D%/states.py %D%/once_wrong.py %D%/soak.py %D%/shell.py
