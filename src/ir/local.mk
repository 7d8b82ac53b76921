# Sources of src/ir: .c, .h and .def alike, so that distcheck misses none.
libfxcore_a_SOURCES += \
	%D%/node_info.c %D%/note.h \
	%D%/value_class.c %D%/value_class.h \
	%D%/align.c %D%/align.h \
	%D%/become.c %D%/become.h %D%/become_groups.c %D%/become_private.h %D%/likeness.c %D%/likeness.h \
	%D%/build.h \
	%D%/build_call.c \
	%D%/build_value.c \
	%D%/clone.c %D%/clone.h \
	%D%/compact.c \
	%D%/decided.c %D%/decided.h \
	%D%/diff.c %D%/diff.h \
	%D%/edit.c %D%/edit.h \
	%D%/edit_check.c %D%/edit_check.h \
	%D%/edit_modules.c \
	%D%/entry.c \
	%D%/control.c %D%/control.h \
	%D%/changed_nodes.c %D%/changed_nodes.h \
	%D%/changes.c %D%/changes.h \
	%D%/decompose.c %D%/decompose.h %D%/decompose_private.h \
	%D%/decompose_call.c \
	%D%/decompose_eval.c \
	%D%/decompose_module.c \
	%D%/decompose_run.c \
	%D%/fold.c %D%/fold.h \
	%D%/fold_call.c \
	%D%/fold_iterable.c \
	%D%/fold_member.c \
	%D%/fold_number.c \
	%D%/fold_private.h \
	%D%/fold_compare.c \
	%D%/fold_sequence.c \
	%D%/fragment.c %D%/fragment.h \
	%D%/form.c %D%/form.h \
	%D%/graft.c %D%/graft.h \
	%D%/graph.c %D%/graph.h \
	%D%/graph_hash.c %D%/graph_hash.h \
	%D%/graph_private.h \
	%D%/pattern.c %D%/pattern.h \
	%D%/pattern_private.h %D%/pattern_read.c \
	%D%/rewrite.c %D%/rewrite.h \
	%D%/rewrite_read.c %D%/rewrite_private.h \
	%D%/side_effects.c %D%/side_effects.h \
	%D%/hash_bytes.c %D%/hash_bytes.h \
	%D%/hash_modules.c \
	%D%/inline.c %D%/inline.h \
	%D%/inline_graph.c %D%/inline_private.h \
	%D%/outline.c %D%/outline.h %D%/outline_private.h \
	%D%/part.c %D%/part.h \
	%D%/reorder.c %D%/reorder.h \
	%D%/split.c \
	%D%/stages.c \
	%D%/journal.c %D%/journal.h \
	%D%/journal_private.h \
	%D%/journal_report.c \
	%D%/match.c %D%/match.h \
	%D%/layer_call.c %D%/layer_call.h \
	%D%/match_layer.c %D%/match_node.c %D%/match_private.h \
	%D%/module.c %D%/module.h \
	%D%/diff_fields.c \
	%D%/pair.c %D%/pair.h %D%/pair_private.h \
	%D%/pair_join.c \
	%D%/pair_names.c \
	%D%/pair_nested.c %D%/pair_nested.h \
	%D%/module_walk.c \
	%D%/names.c %D%/names.h \
	%D%/node.c %D%/node.h \
	%D%/order.c %D%/order.h \
	%D%/dominators.c %D%/dominators.h \
	%D%/module_text.c %D%/module_text.h \
	%D%/signature.c %D%/signature.h \
	%D%/size.c %D%/size.h \
	%D%/size_equation.c %D%/size_equation.h \
	%D%/size_private.h \
	%D%/size_text.c \
	%D%/targets.c %D%/targets.h \
	%D%/tensor_storage.c %D%/tensor_storage.h \
	%D%/tensor_meta.c %D%/tensor_meta.h \
	%D%/uses.c %D%/uses.h \
	%D%/value.c %D%/value.h \
	%D%/value_calls.c \
	%D%/value_read.c %D%/value_read.h \
	%D%/value_text.c %D%/value_text.h \
	%D%/value_walk.c %D%/value_walk.h \
	%D%/written.c %D%/written.h \
	%D%/verify.c %D%/verify.h
