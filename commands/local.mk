# Sources of commands: .c, .h and .def alike, so that distcheck misses none.
libfxcmd_a_SOURCES += \
	%D%/shell/beside.h \
	%D%/shell/cmd.h %D%/shell/front.h %D%/shell/panes.def %D%/shell/layouts.def \
	%D%/learn/apropos.c \
	%D%/shell/args.c \
	%D%/verbs/assert.c \
	%D%/verbs/attach.c \
	%D%/shell/data_files.c %D%/shell/data_files.h \
	%D%/shell/complete.c \
	%D%/shell/complete_pass.c %D%/shell/complete_pass.h \
	%D%/verbs/condition.c \
	%D%/shell/value_log.c %D%/shell/value_log.h \
	%D%/learn/document.c %D%/learn/json.def %D%/learn/options.def \
	%D%/learn/demo.c \
	%D%/verbs/diff.c %D%/verbs/diff.h \
	%D%/verbs/diff_replay.c \
	%D%/verbs/diff_script.c \
	%D%/verbs/draw.c \
	%D%/verbs/dump_folder.c \
	%D%/verbs/dump_script.c %D%/verbs/dump_value.c \
	%D%/verbs/edit.c %D%/verbs/edit.h \
	%D%/verbs/elements.c %D%/verbs/elements.h %D%/verbs/find.c %D%/verbs/spread.c \
	%D%/verbs/statistics.c %D%/verbs/reach.c %D%/verbs/parameters.c %D%/verbs/summary.c \
	%D%/verbs/examine.c %D%/verbs/heat_map.c \
	%D%/learn/help.c %D%/learn/help.h %D%/learn/help_topics.def %D%/learn/subjects.def \
	%D%/learn/everyday.def \
	%D%/verbs/info.c %D%/verbs/info_run.c \
	%D%/learn/lesson.c %D%/learn/lesson.h \
	%D%/shell/canonical.c %D%/shell/canonical.h \
	%D%/shell/crash.c %D%/shell/crash.h \
	%D%/shell/line.c %D%/shell/line.h \
	%D%/verbs/context.c \
	%D%/verbs/list.c \
	%D%/shell/log.c %D%/shell/log.h \
	%D%/verbs/node.c \
	%D%/shell/overwrite_guard.c %D%/shell/overwrite_guard.h \
	%D%/shell/arg_at_cursor.c \
	%D%/shell/model_stdout.c %D%/shell/model_stdout.h \
	%D%/shell/process.c %D%/shell/process.h \
	%D%/verbs/python_pass.c %D%/verbs/python_pass.h \
	%D%/verbs/replace.c \
	%D%/shell/prompt.c %D%/shell/prompt.h \
	%D%/verbs/rewrite.c %D%/verbs/rewrite.h \
	%D%/shell/run.c \
	%D%/verbs/scope.c \
	%D%/shell/script.c \
	%D%/verbs/describe_node.c \
	%D%/verbs/set.c %D%/verbs/set.h \
	%D%/verbs/set_field.c \
	%D%/verbs/set_element.c %D%/verbs/set_value.c \
	%D%/shell/shell.c %D%/shell/shell.h \
	%D%/verbs/shapes.c %D%/verbs/shapes.h \
	%D%/verbs/show.c %D%/verbs/show_default.c %D%/verbs/show.h \
	%D%/shell/recovery.c %D%/shell/recovery.h %D%/shell/recovery_setup.c \
	%D%/shell/recovery_values.c %D%/shell/recovery_folder.c \
	%D%/shell/recovery_weights.c \
	%D%/verbs/recover.c %D%/verbs/lost.c %D%/verbs/lost.h \
	%D%/shell/split.c %D%/shell/split.h \
	%D%/shell/split_error.c \
	%D%/verbs/trace.c %D%/verbs/trace.h \
	%D%/verbs/specialisations.c %D%/verbs/nonfinite.c %D%/verbs/stop.c \
	%D%/shell/table.c %D%/shell/habits.def %D%/shell/groups.def %D%/shell/groups.h \
	%D%/verbs/tensor_rows.c %D%/verbs/tensor_rows.h \
	%D%/learn/tutorial.c %D%/learn/tutorial.h \
	%D%/learn/tutorial_graph.c \
	%D%/verbs/value.c \
	%D%/verbs/weights.c \
	%D%/verbs/write_tensors.c %D%/verbs/write_tensors.h \
	%D%/verbs/graphs.c %D%/verbs/graphs.h \
	%D%/verbs/grp_around.c \
	%D%/verbs/grp_break.c %D%/verbs/grp_watch.c \
	%D%/verbs/checkpoint.c %D%/verbs/skip.c %D%/verbs/grp_past.c \
	%D%/verbs/breakpoint.c %D%/verbs/breakpoint.h %D%/verbs/printf.c %D%/verbs/save_breakpoints.c %D%/verbs/save.c \
	%D%/shell/stop_commands.c %D%/shell/stop_commands.h \
	%D%/verbs/grp_edit.c \
	%D%/learn/grp_help.c \
	%D%/verbs/grp_journal.c \
	%D%/learn/grp_learn.c \
	%D%/verbs/grp_look.c \
	%D%/verbs/grp_pass.c \
	%D%/verbs/grp_cause.c %D%/verbs/why.c %D%/verbs/why.h %D%/verbs/read_element.c %D%/verbs/say_cause.c %D%/verbs/explain.c %D%/verbs/explain_node.c \
	%D%/verbs/grp_compare.c \
	%D%/verbs/beside.c \
	%D%/verbs/compare.c \
	%D%/verbs/reduce.c \
	%D%/verbs/bisect.c %D%/verbs/verify.c %D%/verbs/verify.h \
	%D%/verbs/grp_rewrite.c \
	%D%/verbs/pass_run.c %D%/verbs/pass_run.h \
	%D%/verbs/passing.c %D%/verbs/passing.h \
	%D%/verbs/grp_run.c \
	%D%/verbs/grp_screen.c \
	%D%/verbs/grp_script.c \
	%D%/verbs/grp_session.c \
	%D%/verbs/grp_setting.c \
	%D%/verbs/cut.c %D%/verbs/cut.h \
	%D%/verbs/grp_structure.c \
	%D%/verbs/grp_value.c \
	%D%/verbs/grp_write.c \
	%D%/out/out.c %D%/out/out.h %D%/out/private.h \
	%D%/out/arrange.c %D%/out/build.c \
	%D%/out/error.c \
	%D%/out/json.c \
	%D%/out/lay.c \
	%D%/out/lay_table.c \
	%D%/out/put.h \
	%D%/out/plain.c \
	%D%/out/record.c %D%/out/record.h \
	%D%/out/stream.c \
	%D%/out/wrap.c %D%/out/wrap.h
# Help and lessons, embedded as text by the rules in Makefile.am.
nodist_libfxcmd_a_SOURCES += %D%/learn/words_text.c %D%/learn/lessons_text.c
