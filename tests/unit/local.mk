# Unit tests: CUnit, one program a module (LDADD is set in Makefile.am).
#	check_PROGRAMS += %D%/test_x
#	TESTS += %D%/test_x
#	%C%_test_x_SOURCES = %D%/test_x.c
# A test of the commands adds: %C%_test_x_LDADD = libfxcmd.a $(LDADD)

check_PROGRAMS += %D%/test_base %D%/test_base_memory %D%/test_base_number \
	%D%/test_base_text %D%/test_base_file
TESTS += %D%/test_base %D%/test_base_memory %D%/test_base_number \
	%D%/test_base_text %D%/test_base_file
%C%_test_base_SOURCES = %D%/test_base.c
%C%_test_base_memory_SOURCES = %D%/test_base_memory.c
%C%_test_base_number_SOURCES = %D%/test_base_number.c
%C%_test_base_text_SOURCES = %D%/test_base_text.c
%C%_test_base_file_SOURCES = %D%/test_base_file.c

check_PROGRAMS += %D%/test_ir_graph %D%/test_ir_edit %D%/test_ir_journal \
	%D%/test_ir_verify %D%/test_ir_copy %D%/test_ir_torch %D%/test_ir_random \
	%D%/test_ir_limits %D%/test_ir_pair
TESTS += %D%/test_ir_graph %D%/test_ir_edit %D%/test_ir_journal \
	%D%/test_ir_verify %D%/test_ir_copy %D%/test_ir_torch %D%/test_ir_random \
	%D%/test_ir_limits %D%/test_ir_pair
%C%_test_ir_graph_SOURCES = %D%/test_ir_graph.c
%C%_test_ir_edit_SOURCES = %D%/test_ir_edit.c
%C%_test_ir_journal_SOURCES = %D%/test_ir_journal.c
%C%_test_ir_limits_SOURCES = %D%/test_ir_limits.c
%C%_test_ir_pair_SOURCES = %D%/test_ir_pair.c
%C%_test_ir_verify_SOURCES = %D%/test_ir_verify.c
%C%_test_ir_copy_SOURCES = %D%/test_ir_copy.c
%C%_test_ir_torch_SOURCES = %D%/test_ir_torch.c
%C%_test_ir_random_SOURCES = %D%/test_ir_random.c

check_PROGRAMS += %D%/test_graft
TESTS += %D%/test_graft
%C%_test_graft_SOURCES = %D%/test_graft.c

check_PROGRAMS += %D%/test_match
TESTS += %D%/test_match
%C%_test_match_SOURCES = %D%/test_match.c

check_PROGRAMS += %D%/test_emit_parity %D%/test_emit_dumps
TESTS += %D%/test_emit_parity %D%/test_emit_dumps
%C%_test_emit_parity_SOURCES = %D%/test_emit_parity.c
%C%_test_emit_dumps_SOURCES = %D%/test_emit_dumps.c

check_PROGRAMS += %D%/test_draw %D%/test_draw_picture
TESTS += %D%/test_draw %D%/test_draw_picture
%C%_test_draw_SOURCES = %D%/test_draw.c
%C%_test_draw_picture_SOURCES = %D%/test_draw_picture.c

check_PROGRAMS += %D%/test_value_text %D%/test_fxg %D%/test_emit_random
TESTS += %D%/test_value_text %D%/test_fxg %D%/test_emit_random
%C%_test_value_text_SOURCES = %D%/test_value_text.c
%C%_test_fxg_SOURCES = %D%/test_fxg.c
%C%_test_emit_random_SOURCES = %D%/test_emit_random.c

check_PROGRAMS += %D%/test_lang %D%/test_lang_query %D%/test_load_python \
	%D%/test_load_python_errors %D%/test_load_modules
TESTS += %D%/test_lang %D%/test_lang_query %D%/test_load_python \
	%D%/test_load_python_errors %D%/test_load_modules
%C%_test_lang_SOURCES = %D%/test_lang.c
%C%_test_lang_query_SOURCES = %D%/test_lang_query.c
%C%_test_load_modules_SOURCES = %D%/test_load_modules.c
%C%_test_load_python_SOURCES = %D%/test_load_python.c
%C%_test_load_python_errors_SOURCES = %D%/test_load_python_errors.c
EXTRA_DIST += tests/data/load

check_PROGRAMS += %D%/test_emit %D%/test_pt2 %D%/test_safetensors
TESTS += %D%/test_emit %D%/test_pt2 %D%/test_safetensors
%C%_test_emit_SOURCES = %D%/test_emit.c
%C%_test_pt2_SOURCES = %D%/test_pt2.c
%C%_test_safetensors_SOURCES = %D%/test_safetensors.c
EXTRA_DIST += tests/samples/numpy.safetensors tests/samples/pt2

check_PROGRAMS += %D%/test_eval %D%/test_run %D%/test_session \
	%D%/test_session_edit
TESTS += %D%/test_eval %D%/test_run %D%/test_session \
	%D%/test_session_edit
%C%_test_session_edit_SOURCES = %D%/test_session_edit.c
%C%_test_run_SOURCES = %D%/test_run.c
%C%_test_eval_SOURCES = %D%/test_eval.c
%C%_test_session_SOURCES = %D%/test_session.c

check_PROGRAMS += %D%/test_theme %D%/test_tui
TESTS += %D%/test_theme %D%/test_tui
%C%_test_theme_SOURCES = %D%/test_theme.c
%C%_test_theme_LDADD = libfxtui.a libfxcmd.a $(LDADD) $(CURSES_LIBS)
%C%_test_tui_SOURCES = %D%/test_tui.c \
	tests/support/line_plain.c tests/support/line_plain.h \
	tests/support/null_screen.c tests/support/null_screen.h
%C%_test_tui_LDADD = libfxtui.a libfxcmd.a $(LDADD) $(CURSES_LIBS)

check_PROGRAMS += %D%/test_cmd_line %D%/test_cmd_table %D%/test_out
TESTS += %D%/test_cmd_line %D%/test_cmd_table %D%/test_out
%C%_test_cmd_table_SOURCES = %D%/test_cmd_table.c
%C%_test_cmd_table_LDADD = libfxcmd.a $(LDADD)
%C%_test_cmd_line_SOURCES = %D%/test_cmd_line.c
%C%_test_cmd_line_LDADD = libfxcmd.a $(LDADD)
%C%_test_out_SOURCES = %D%/test_out.c
%C%_test_out_LDADD = libfxcmd.a $(LDADD)

check_PROGRAMS += %D%/test_script %D%/test_diff_script
TESTS += %D%/test_script %D%/test_diff_script
%C%_random_lines = tests/support/random_lines.c tests/support/random_lines.h
%C%_test_script_SOURCES = %D%/test_script.c $(%C%_random_lines)
%C%_test_script_LDADD = libfxcmd.a $(LDADD)
%C%_test_diff_script_SOURCES = %D%/test_diff_script.c $(%C%_random_lines)
%C%_test_diff_script_LDADD = libfxcmd.a $(LDADD)

check_PROGRAMS += %D%/test_ops %D%/test_size %D%/test_fold %D%/test_expand \
	%D%/test_meta
TESTS += %D%/test_ops %D%/test_size %D%/test_fold %D%/test_expand \
	%D%/test_meta
%C%_test_ops_SOURCES = %D%/test_ops.c
%C%_test_size_SOURCES = %D%/test_size.c
%C%_test_fold_SOURCES = %D%/test_fold.c
%C%_test_expand_SOURCES = %D%/test_expand.c
%C%_test_meta_SOURCES = %D%/test_meta.c

check_PROGRAMS += %D%/test_meta_dumps
TESTS += %D%/test_meta_dumps
%C%_test_meta_dumps_SOURCES = %D%/test_meta_dumps.c

check_PROGRAMS += %D%/test_values %D%/test_sketch %D%/test_npy %D%/test_eval_values \
	%D%/test_look %D%/test_compare
TESTS += %D%/test_values %D%/test_sketch %D%/test_npy %D%/test_eval_values %D%/test_look \
	%D%/test_compare
%C%_test_compare_SOURCES = %D%/test_compare.c
%C%_test_look_SOURCES = %D%/test_look.c
%C%_test_eval_values_SOURCES = %D%/test_eval_values.c
%C%_test_npy_SOURCES = %D%/test_npy.c
%C%_test_sketch_SOURCES = %D%/test_sketch.c
%C%_test_values_SOURCES = %D%/test_values.c

check_PROGRAMS += %D%/test_control %D%/test_timeline %D%/test_timeline_nested
check_PROGRAMS += %D%/test_timeline_random
TESTS += %D%/test_control %D%/test_timeline %D%/test_timeline_nested %D%/test_timeline_random
%C%_test_timeline_SOURCES = %D%/test_timeline.c
%C%_test_control_SOURCES = %D%/test_control.c
%C%_test_timeline_nested_SOURCES = %D%/test_timeline_nested.c
%C%_test_timeline_random_SOURCES = %D%/test_timeline_random.c

check_PROGRAMS += %D%/test_torch %D%/test_torch_effects %D%/test_torch_files
TESTS += %D%/test_torch %D%/test_torch_effects %D%/test_torch_files
%C%_test_torch_effects_SOURCES = %D%/test_torch_effects.c
%C%_test_torch_SOURCES = %D%/test_torch.c
%C%_test_torch_files_SOURCES = %D%/test_torch_files.c

check_PROGRAMS += %D%/test_verify %D%/test_passing
TESTS += %D%/test_verify %D%/test_passing
%C%_test_verify_SOURCES = %D%/test_verify.c
%C%_test_passing_SOURCES = %D%/test_passing.c
check_PROGRAMS += %D%/test_verify_kept
TESTS += %D%/test_verify_kept
%C%_test_verify_kept_SOURCES = %D%/test_verify_kept.c
check_PROGRAMS += %D%/test_preview
TESTS += %D%/test_preview
%C%_test_preview_SOURCES = %D%/test_preview.c

check_PROGRAMS += %D%/test_process
TESTS += %D%/test_process
%C%_test_process_SOURCES = %D%/test_process.c

# What scripts/gdb shows.
TESTS += %D%/gdb.sh
EXTRA_DIST += %D%/gdb.sh
