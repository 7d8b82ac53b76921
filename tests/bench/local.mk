# Measurements, run by scripts/bench NAME:
#	EXTRA_PROGRAMS += %D%/bench_x
#	%C%_bench_x_SOURCES = %D%/bench_x.c
#	%C%_bench_x_LDADD = libfxcore.a $(CORE_LIBS) -lm
# or a script bench_x.sh, listed in EXTRA_DIST.

EXTRA_PROGRAMS += %D%/bench_graph
%C%_bench_graph_SOURCES = %D%/bench_graph.c
%C%_bench_graph_LDADD = libfxcore.a $(CORE_LIBS) -lm
EXTRA_DIST += %D%/graph_torch.py %D%/bench_resnet.py %D%/bench_resnet.sh \
	%D%/bench_session.py %D%/bench_session.sh %D%/run_torch.py \
	%D%/bench_figures.py %D%/bench_figures.sh %D%/bench_insert.sh %D%/bench_capture.py %D%/bench_capture.sh %D%/bench_capture_wall.py \
	%D%/bench_record.py %D%/bench_rewrite.py %D%/bench_rewrite.sh \
	%D%/bench_waits.py

# The full screen, from a key to the painted cells.
EXTRA_PROGRAMS += %D%/bench_frame
%C%_bench_frame_SOURCES = %D%/bench_frame.c \
	tests/support/line_plain.c tests/support/line_plain.h \
	tests/support/null_screen.c tests/support/null_screen.h
%C%_bench_frame_LDADD = libfxtui.a libfxcmd.a libfxcore.a $(CURSES_LIBS) \
	$(CORE_LIBS) -lm

# The interpreter beside libtorch's operators called in a loop.
if WITH_TORCH
EXTRA_PROGRAMS += %D%/bench_run
%C%_bench_run_SOURCES = %D%/bench_run.c
%C%_bench_run_LDADD = libfxcore.a $(CORE_LIBS) -lm
endif
