# Sources of src/session: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/backend.c \
	%D%/break_hit.c %D%/break_match.c %D%/break_private.h %D%/break_text.c \
	%D%/break_where.c \
	%D%/brief.c %D%/brief.h \
	%D%/breakpoint.c %D%/breakpoint.h \
	%D%/record_limit.c \
	%D%/capture.c %D%/capture.h \
	%D%/recompute.c \
	%D%/checkpoint.c %D%/checkpoint.h %D%/checkpoint_private.h \
	%D%/checkpoint_restart.c %D%/kept_inputs.c %D%/kept_inputs.h \
	%D%/compare.c %D%/compare.h \
	%D%/complete.c \
	%D%/condition.c \
	%D%/decisions.c %D%/decisions.h \
	%D%/display.c %D%/display.h \
	%D%/edit.c \
	%D%/evaluate.c \
	%D%/explain.c \
	%D%/extract.c \
	%D%/why.c %D%/why.h %D%/why_private.h %D%/why_arrays.c %D%/why_nested.c %D%/why_run.c \
	%D%/why_second.c \
	%D%/run_stats.c \
	%D%/files.c \
	%D%/nonfinite.c %D%/nonfinite.h \
	%D%/nonfinite_cache.c %D%/nonfinite_text.c \
	%D%/input_file.c %D%/input_file.h \
	%D%/input_hint.c \
	%D%/location.c %D%/locals.c %D%/locals.h \
	%D%/file_meta.c %D%/file_meta.h \
	%D%/history.c \
	%D%/input.c %D%/keep.c \
	%D%/match_where.c %D%/match_where.h \
	%D%/missing.c %D%/model.c %D%/model.h \
	%D%/node_text.c %D%/node_text.h %D%/noted_input.c \
	%D%/given.c %D%/override.c %D%/override.h \
	%D%/arrays.c %D%/arrays.h \
	%D%/own_code.c %D%/own_code.h \
	%D%/activation.c %D%/activation.h \
	%D%/position.c %D%/position.h \
	%D%/python_pass.c %D%/python_pass.h \
	%D%/reduce.c %D%/reduce.h %D%/reduce_private.h \
	%D%/reduce_apart.c %D%/reduce_build.c %D%/reduce_judge.c \
	%D%/position_back.c %D%/position_nested.c %D%/position_private.h \
	%D%/position_run.c \
	%D%/undo_cache.c \
	%D%/recorder.c \
	%D%/resolve.c %D%/resolve.h %D%/resolve_private.h \
	%D%/run_private.h \
	%D%/session.c %D%/session.h \
	%D%/skip.c %D%/skip.h \
	%D%/session_private.h \
	%D%/search.c %D%/search.h \
	%D%/settings.c %D%/settings.h %D%/settings.def \
	%D%/shapes.c \
	%D%/size_conditions.c %D%/size_conditions.h \
	%D%/source.c %D%/source.h \
	%D%/release_dead.c \
	%D%/changes.c %D%/changes.h \
	%D%/invalidate.c \
	%D%/nested.c %D%/nested.h \
	%D%/blame.c %D%/blame.h %D%/narrow.c %D%/narrow.h \
	%D%/passing.c %D%/passing_begin.c %D%/passing.h \
	%D%/passing_private.h %D%/refuse.c \
	%D%/preview.c \
	%D%/made_up.c %D%/made_up.h \
	%D%/verify.c %D%/verify.h %D%/verify_inputs.c %D%/verify_private.h \
	%D%/verify_kept.c %D%/verify_match.c %D%/verify_run.c %D%/verify_text.c \
	%D%/watch.c %D%/watch.def %D%/watch.h %D%/watch_private.h \
	%D%/watch_text.c %D%/watching.c %D%/watching.h \
	%D%/weights.c %D%/weights_file.c
