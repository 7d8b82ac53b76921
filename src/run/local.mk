# Sources of src/run: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/backend.h \
	%D%/backend_meta.c \
	%D%/control.c %D%/control.h \
	%D%/compare.c %D%/compare.h \
	%D%/difference.c %D%/difference.h \
	%D%/float_pairs.c %D%/float_pairs.def %D%/float_pairs.h \
	%D%/datum.c %D%/datum.h \
	%D%/datum_print.c \
	%D%/elements.c \
	%D%/dropped.c \
	%D%/env.c %D%/env.h \
	%D%/eval.c %D%/eval.h \
	%D%/eval_call.c \
	%D%/eval_cost.c \
	%D%/eval_file.c \
	%D%/eval_function.c %D%/functions.def \
	%D%/eval_match.c \
	%D%/eval_operand.c \
	%D%/eval_private.h \
	%D%/eval_query.c \
	%D%/eval_test.c %D%/eval_test.h \
	%D%/eval_value.c \
	%D%/eval_values.c \
	%D%/strided_bytes.c %D%/strided_bytes.h \
	%D%/emulate.c %D%/emulate.h \
	%D%/fallback.c %D%/fallback.h \
	%D%/observer.h \
	%D%/progress.c %D%/progress.h \
	%D%/loop.c %D%/loop.h \
	%D%/interp.c %D%/interp.h \
	%D%/heat_map.c %D%/heat_map.h \
	%D%/host_tensor.c %D%/host_tensor.h \
	%D%/parameters.c %D%/parameters.h \
	%D%/plan.c %D%/plan.h \
	%D%/plan_decompose.c %D%/plan_private.h %D%/plan_slot.c \
	%D%/cause.c %D%/cause.h %D%/cause_private.h %D%/cause_mate.c %D%/cause_way.c %D%/explain_element.c \
	%D%/explain_call.c %D%/explain_private.h %D%/explain_recurrent.c %D%/explain_sum.c \
	%D%/probe.c %D%/probe.h %D%/probe_private.h \
	%D%/probe_blame.c %D%/probe_search.c \
	%D%/replay.c %D%/replay.h \
	%D%/run.c %D%/run.h \
	%D%/saved.c \
	%D%/size_by_values.c %D%/size_by_values.h \
	%D%/sketch.c %D%/sketch.h \
	%D%/nonfinite.c %D%/nonfinite.h %D%/stats.c %D%/stats.h %D%/stats_private.h \
	%D%/stats_text.c \
	%D%/statistic.c %D%/statistics.def \
	%D%/tensor_file.c %D%/tensor_file.h \
	%D%/distribution.c %D%/distribution.h \
	%D%/storage.c %D%/storage.h \
	%D%/summary.c %D%/summary.h \
	%D%/tensor_text.c %D%/tensor_text.h \
	%D%/ticker.c %D%/ticker.h \
	%D%/timeline.c %D%/timeline.h \
	%D%/trial.c %D%/trial.h %D%/trial_beside.c %D%/trial_pair.c \
	%D%/trial_private.h %D%/trial_written.c \
	%D%/draw_aside.c %D%/draw_aside.h \
	%D%/draws.c %D%/draws.h \
	%D%/widen.c %D%/widen.h \
	%D%/values.c %D%/values.h
