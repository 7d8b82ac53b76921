# Transcripts: what a user sees, a fact a file.  run.c runs each through the
# plain, the recorded and the JSON sink; FXDB_UPDATE=1 rewrites them.
#	TESTS += %D%/x.fxt
#	EXTRA_DIST += %D%/x.fxt
check_PROGRAMS += %D%/run
%C%_run_SOURCES = %D%/run.c %D%/meta.h \
	tests/support/folder.c tests/support/folder.h \
	tests/support/golden.c tests/support/golden.h
%C%_run_LDADD = libfxcmd.a libfxcore.a $(CORE_LIBS) -lm
FXT_LOG_COMPILER = $(builddir)/%D%/run
transcripts = \
	%D%/alias.fxt \
	%D%/arrange.fxt \
	%D%/apropos.fxt %D%/attach.fxt \
	%D%/assert.fxt \
	%D%/at_end.fxt \
	%D%/break.fxt \
	%D%/break_erased.fxt \
	%D%/break_large_numbers.fxt \
	%D%/break_numbers.fxt \
	%D%/break_on_breakpoints.fxt \
	%D%/break_range.fxt \
	%D%/close.fxt \
	%D%/complete_words.fxt \
	%D%/condition.fxt \
	%D%/const_fold.fxt %D%/fuse_linear.fxt %D%/merge_linear.fxt %D%/normalize.fxt \
	%D%/condition_ignored.fxt \
	%D%/condition_late.fxt \
	%D%/context.fxt \
	%D%/continue.fxt \
	%D%/define.fxt \
	%D%/compare.fxt %D%/reduce.fxt %D%/diff.fxt %D%/diff_script.fxt \
	%D%/display.fxt \
	%D%/draw.fxt \
	%D%/draw_bad_format.fxt \
	%D%/draw_limits.fxt \
	%D%/dry_run.fxt \
	%D%/dump_exact.fxt \
	%D%/dump_file.fxt \
	%D%/dump_folder.fxt \
	%D%/dump_folder_refused.fxt \
	%D%/dump_forms.fxt \
	%D%/dump_python.fxt \
	%D%/dump_script.fxt \
	%D%/dump_script_input.fxt \
	%D%/dump_script_value.fxt \
	%D%/dump_value.fxt \
	%D%/echo.fxt \
	%D%/edit_moves_stop.fxt \
	%D%/edit_words.fxt \
	%D%/erase.fxt \
	%D%/error_help.fxt \
	%D%/error_words.fxt \
	%D%/error_words_edits.fxt \
	%D%/error_words_files.fxt \
	%D%/error_words_names.fxt \
	%D%/error_words_values.fxt \
	%D%/expect.fxt \
	%D%/fig1_listing.fxt \
	%D%/fig2_transform.fxt \
	%D%/fig3_code.fxt \
	%D%/info_locals.fxt %D%/frame_names.fxt %D%/dump_value_files.fxt %D%/x.fxt %D%/find.fxt %D%/freq.fxt %D%/params.fxt %D%/slice.fxt \
	%D%/summary.fxt %D%/hist.fxt %D%/stats.fxt \
	%D%/finish.fxt \
	%D%/flags.fxt \
	%D%/force.fxt \
	%D%/force_commit.fxt \
	%D%/force_shapeless.fxt \
	%D%/gdb_habits.fxt \
	%D%/gdb_manual.fxt \
	%D%/fuse_conv_bn.fxt \
	%D%/goto.fxt \
	%D%/graph.fxt \
	%D%/help.fxt \
	%D%/help_documents.fxt \
	%D%/help_edits.fxt \
	%D%/help_expressions.fxt \
	%D%/help_files.fxt \
	%D%/help_flags.fxt \
	%D%/help_group.fxt \
	%D%/help_json.fxt \
	%D%/help_nodes_and_names.fxt \
	%D%/help_pages.fxt \
	%D%/help_scopes.fxt \
	%D%/help_scripts.fxt \
	%D%/help_settings.fxt \
	%D%/help_shapes.fxt \
	%D%/help_time.fxt \
	%D%/help_word_argument.fxt \
	%D%/help_word_graph.fxt \
	%D%/help_word_graphmodule.fxt \
	%D%/help_word_node.fxt \
	%D%/help_word_opcode.fxt \
	%D%/help_word_placeholder.fxt \
	%D%/help_word_proxy.fxt \
	%D%/help_word_scope.fxt \
	%D%/help_word_target.fxt \
	%D%/help_word_user.fxt \
	%D%/habits.fxt %D%/history.fxt \
	%D%/ignore.fxt \
	%D%/info.fxt \
	%D%/info_params.fxt \
	%D%/info_record.fxt \
	%D%/input.fxt \
	%D%/input_rest.fxt \
	%D%/input_words.fxt \
	%D%/inline.fxt %D%/inline_scope.fxt %D%/calls.fxt \
	%D%/outline.fxt \
	%D%/extract.fxt \
	%D%/split.fxt \
	%D%/insert.fxt \
	%D%/insert_errors.fxt \
	%D%/insert_input.fxt \
	%D%/insert_fresh.fxt \
	%D%/insert_module.fxt \
	%D%/insert_nested.fxt \
	%D%/json_errors.fxt \
	%D%/kill.fxt \
	%D%/layer_arguments.fxt \
	%D%/lint.fxt \
	%D%/lint_broken.fxt \
	%D%/lint_shapes.fxt \
	%D%/list.fxt \
	%D%/list_forms.fxt \
	%D%/list_repeat.fxt \
	%D%/ll.fxt \
	%D%/load.fxt \
	%D%/load_bad.fxt \
	%D%/load_log.fxt %D%/load_missing.fxt %D%/load_paste.fxt \
	%D%/load_python.fxt \
	%D%/load_source.fxt \
	%D%/load_version1.fxt \
	%D%/log.fxt \
	%D%/match.fxt %D%/match_why.fxt \
	%D%/missing_words.fxt \
	%D%/move.fxt \
	%D%/rewrite.fxt %D%/rewrite_rules.fxt %D%/rewrite_step.fxt \
	%D%/rewrite_refused.fxt \
	%D%/needs.fxt \
	%D%/node.fxt \
	%D%/node_json.fxt \
	%D%/node_looked_at.fxt \
	%D%/node_missing.fxt \
	%D%/node_missing_many.fxt \
	%D%/nodes.fxt %D%/nodes_python.fxt \
	%D%/nodes_json.fxt \
	%D%/nodes_sort.fxt \
	%D%/not_found.fxt \
	%D%/nested_deep.fxt \
	%D%/nested_diff.fxt \
	%D%/nested_edits.fxt \
	%D%/nested_inside.fxt \
	%D%/pass.fxt \
	%D%/pattern_rest.fxt \
	%D%/pass_several.fxt \
	%D%/pass_step.fxt \
	%D%/pipe.fxt \
	%D%/pipe_words.fxt \
	%D%/place_words.fxt \
	%D%/pt2.fxt %D%/printed.fxt %D%/print.fxt %D%/print_plain.fxt \
	%D%/print_json.fxt \
	%D%/print_near.fxt \
	%D%/print_no_value.fxt \
	%D%/print_shared.fxt \
	%D%/python_habits.fxt \
	%D%/query_errors.fxt \
	%D%/quit.fxt \
	%D%/rauw.fxt \
	%D%/readable.fxt \
	%D%/recover.fxt \
	%D%/rename.fxt \
	%D%/reorder.fxt \
	%D%/replace_derived.fxt %D%/replace_script.fxt %D%/replace_input.fxt \
	%D%/replace.fxt %D%/replace_set.fxt %D%/replace_wrap.fxt \
	%D%/run.fxt \
	%D%/save.fxt \
	%D%/save_needs_name.fxt \
	%D%/scope.fxt \
	%D%/search.fxt \
	%D%/seed.fxt \
	%D%/set_bool.fxt \
	%D%/set_field.fxt \
	%D%/set_module.fxt \
	%D%/set_module_fresh.fxt \
	%D%/set_module_in_use.fxt \
	%D%/set_number.fxt \
	%D%/set_record_values.fxt \
	%D%/set_setting.fxt \
	%D%/set_size.fxt \
	%D%/set_text.fxt \
	%D%/set_verify.fxt \
	%D%/set_value.fxt \
	%D%/set_variable.fxt \
	%D%/set_word.fxt \
	%D%/shape_refused.fxt \
	%D%/shapes.fxt \
	%D%/shapes_conditions.fxt \
	%D%/shapes_max.fxt \
	%D%/shapes_only.fxt \
	%D%/shell.fxt \
	%D%/show.fxt \
	%D%/source.fxt \
	%D%/source_frames.fxt \
	%D%/start_step.fxt %D%/stops_gdb.fxt %D%/stop_names.fxt %D%/past_gdb.fxt \
	%D%/tbreak.fxt \
	%D%/tbreak_pending.fxt \
	%D%/trace_usage.fxt \
	%D%/transaction.fxt \
	%D%/tree.fxt \
	%D%/tag.fxt %D%/break_nested_sets.fxt \
	%D%/tui.fxt \
	%D%/tutorial.fxt \
	%D%/uncalled.fxt \
	%D%/undo_redo.fxt \
	%D%/unknown.fxt \
	%D%/until.fxt \
	%D%/values.fxt \
	%D%/weights.fxt %D%/weights_file.fxt \
	%D%/why.fxt %D%/explain.fxt \
	%D%/when.fxt \
	%D%/where.fxt \
	%D%/with.fxt \
	%D%/wrong_shape.fxt
TESTS += $(transcripts)
EXTRA_DIST += $(transcripts) \
	%D%/samples/bad.fxdb \
	%D%/samples/rules/branch.py \
	%D%/samples/rules/broken.py %D%/samples/rules/imports.py \
	%D%/samples/rules/decides.py %D%/samples/rules/decorated.py \
	%D%/samples/rules/defaults.py %D%/samples/rules/raises.py \
	%D%/samples/rules/count.py \
	%D%/samples/rules/empty.py \
	%D%/samples/rules/good.py \
	%D%/samples/rules/half.py \
	%D%/samples/rules/headless.py \
	%D%/samples/rules/loop.py \
	%D%/samples/rules/other.py \
	%D%/samples/rules/prints.py \
	%D%/samples/rules/runs.py \
	%D%/samples/rules/unused.py \
	%D%/samples/bad_view.py \
	%D%/samples/binary.dat \
	%D%/samples/broken.fxg %D%/samples/cells.fxg %D%/samples/cells.py \
	%D%/samples/code.py %D%/samples/calls.py \
	%D%/samples/cut.fxg \
	%D%/samples/cut.py \
	%D%/samples/edited.fxg \
	%D%/samples/fig1.py \
	%D%/samples/modules.txt %D%/samples/printed.txt \
	%D%/samples/printed_quoted.txt %D%/samples/runnable.py %D%/samples/runnable_quoted.txt %D%/samples/printed_tab.txt %D%/samples/tabular.txt \
	%D%/samples/good.fxdb \
	%D%/samples/imported.py \
	%D%/samples/listing.txt \
	%D%/samples/loop.fxdb \
	%D%/samples/looping.py \
	%D%/samples/far_newer.fxg \
	%D%/samples/newer.fxg \
	%D%/samples/one_model.py \
	%D%/samples/refused.fxdb \
	%D%/samples/parts.py %D%/samples/writes.py \
	%D%/samples/relus.py %D%/samples/rest.py %D%/samples/syntax.py \
	%D%/samples/trailing.fxg \
	%D%/samples/turns.py \
	%D%/samples/paste_bad.md %D%/samples/paste_issue.md \
	%D%/samples/paste_mail.txt %D%/samples/paste_exported.txt \
	%D%/samples/paste_exported_code.md %D%/samples/paste_table.md \
	%D%/samples/paste_terminal.txt %D%/samples/paste_two.md \
	%D%/samples/two_graphs.log %D%/samples/two_quoted.log %D%/samples/two_models.py \
	%D%/samples/version1.fxg

# Every example that help shows.
TESTS += %D%/examples.sh %D%/reach.sh
EXTRA_DIST += %D%/why_random.py %D%/examples.sh %D%/examples.py %D%/reach.sh %D%/reach.py

# The program as a whole: options, exit statuses, pipes.
program_tests = \
	%D%/program.sh \
	%D%/errors.sh \
	%D%/live.sh \
	%D%/prompt.sh \
	%D%/recovery.sh \
	%D%/recovered.sh \
	%D%/run_again.sh \
	%D%/words.sh \
	%D%/lessons.sh \
	%D%/demo.sh \
	%D%/check_model.sh \
	%D%/readme.sh \
	%D%/script_values.sh \
	%D%/nested.sh \
	%D%/bad_input.sh \
	%D%/nonfinite.sh %D%/engine.sh %D%/verify_opaque.sh %D%/watch.sh %D%/why_two.sh \
	%D%/set_value_draws.sh \
	%D%/checkpoint.sh \
	%D%/reduce.sh %D%/diff_keeps.sh \
	%D%/nested_edits.sh \
	%D%/why.sh %D%/why_apart.sh %D%/why_assert.sh %D%/why_random.sh \
	%D%/overwritten.sh \
	%D%/threads.sh \
	%D%/leave.sh \
	%D%/forged.sh \
	%D%/bounds.sh \
	%D%/stranger.sh \
	%D%/edit_mode.sh %D%/example.sh
TESTS += $(program_tests)
EXTRA_DIST += $(program_tests) \
	%D%/stranger.py \
	%D%/home.sh \
	%D%/prompt.py \
	%D%/forged.py \
	%D%/died.py %D%/recovery.py %D%/recovered.py %D%/diff_keeps.py

# Signals and the terminal.
TESTS += %D%/ctrl_c.sh
EXTRA_DIST += %D%/bad_input.py tests/data/trace/gives.py tests/data/trace/learns.py tests/data/trace/differs.py
EXTRA_DIST += %D%/ctrl_c.sh %D%/ctrl_c.py tests/data/trace/slow.py
TESTS += %D%/signals.sh
EXTRA_DIST += %D%/signals.sh %D%/signals.py %D%/terminal.py
