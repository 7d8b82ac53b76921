# Sources of commands: .c, .h and .def alike, so that distcheck misses none.
libfxcmd_a_SOURCES += \
	%D%/cmd.h %D%/front.h \
	%D%/cmd_apropos.c \
	%D%/cmd_args.c \
	%D%/cmd_assert.c \
	%D%/cmd_bundled.c %D%/cmd_bundled.h \
	%D%/cmd_complete.c \
	%D%/cmd_concept.c \
	%D%/cmd_condition.c \
	%D%/cmd_decided.c %D%/cmd_decided.h \
	%D%/cmd_document.c %D%/json.def %D%/options.def \
	%D%/cmd_demo.c \
	%D%/cmd_diff.c \
	%D%/cmd_draw.c \
	%D%/cmd_dump_folder.c \
	%D%/cmd_dump_script.c %D%/cmd_dump_value.c \
	%D%/cmd_edit.c %D%/cmd_edit.h \
	%D%/cmd_edit_function.c \
	%D%/cmd_help.c %D%/cmd_help.h %D%/concepts.def %D%/subjects.def \
	%D%/cmd_info.c %D%/cmd_info_run.c \
	%D%/cmd_lesson.c %D%/cmd_lesson.h \
	%D%/cmd_line.c %D%/cmd_line.h \
	%D%/cmd_list.c \
	%D%/cmd_log.c %D%/cmd_log.h \
	%D%/cmd_node.c \
	%D%/cmd_output.c %D%/cmd_output.h \
	%D%/cmd_place.c \
	%D%/cmd_placing.c \
	%D%/cmd_printed.c %D%/cmd_printed.h \
	%D%/cmd_process.c %D%/cmd_process.h \
	%D%/cmd_replace.c \
	%D%/cmd_run.c \
	%D%/cmd_scope.c \
	%D%/cmd_script.c \
	%D%/cmd_sentence.c \
	%D%/cmd_set.c %D%/cmd_set.h \
	%D%/cmd_set_field.c \
	%D%/cmd_set_module.c \
	%D%/cmd_set_value.c \
	%D%/cmd_shell.c %D%/cmd_shell.h \
	%D%/cmd_show.c %D%/cmd_show.h \
	%D%/cmd_split.c %D%/cmd_split.h \
	%D%/cmd_split_error.c \
	%D%/cmd_statement.c \
	%D%/cmd_trace.c %D%/cmd_trace.h \
	%D%/cmd_stop.c \
	%D%/cmd_python.c %D%/cmd_python.h \
	%D%/cmd_table.c %D%/habits.def %D%/groups.def %D%/groups.h \
	%D%/cmd_tensor.c %D%/cmd_tensor.h \
	%D%/cmd_tutorial.c \
	%D%/cmd_value.c \
	%D%/cmd_weights.c \
	%D%/grp_around.c \
	%D%/grp_break.c \
	%D%/grp_edit.c \
	%D%/grp_help.c \
	%D%/grp_journal.c \
	%D%/grp_learn.c \
	%D%/grp_look.c \
	%D%/grp_pass.c \
	%D%/grp_run.c \
	%D%/grp_screen.c \
	%D%/grp_script.c \
	%D%/grp_session.c \
	%D%/grp_setting.c \
	%D%/grp_value.c \
	%D%/grp_write.c \
	%D%/out.c %D%/out.h %D%/out_private.h \
	%D%/out_build.c \
	%D%/out_error.c \
	%D%/out_json.c \
	%D%/out_lay.c \
	%D%/out_lay_table.c \
	%D%/out_put.h \
	%D%/out_plain.c \
	%D%/out_record.c %D%/out_record.h \
	%D%/out_stream.c \
	%D%/out_wrap.c %D%/out_wrap.h
# Help and lessons, embedded as text by the rules in Makefile.am.
nodist_libfxcmd_a_SOURCES += %D%/words_text.c %D%/lessons_text.c
