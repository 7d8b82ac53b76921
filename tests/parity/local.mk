# Tests beside torch.fx: recorded.json has its answers for the cases of
# oracle.py, which unit/test_emit_parity compares; recorded.sh asks again, and
# torch_fx.sh compares torchvision's models, where there is a Python with torch.
check_PROGRAMS += %D%/dump
%C%_dump_SOURCES = %D%/dump.c
%C%_dump_LDADD = libfxcore.a $(CORE_LIBS) -lm
TESTS += %D%/recorded.sh %D%/torch_fx.sh
EXTRA_DIST += %D%/recorded.sh %D%/torch_fx.sh %D%/oracle.py \
	%D%/export_fxg.py %D%/recorded.json %D%/make_safetensors.py %D%/several.py \
	%D%/threads.py %D%/zoo.py

# Expressions as our parser and Python's understand them.
check_PROGRAMS += %D%/expressions
%C%_expressions_SOURCES = %D%/expressions.c \
	tests/support/ast_print.c tests/support/ast_print.h
%C%_expressions_LDADD = libfxcore.a $(CORE_LIBS) -lm
TESTS += %D%/same_meaning.sh
EXTRA_DIST += %D%/same_meaning.sh %D%/expressions.py

# fxdb's tracer beside torch.fx's, in one Python.
TESTS += %D%/capture.sh
EXTRA_DIST += %D%/capture.sh %D%/capture/api.py %D%/capture/compare.py %D%/capture/files.py \
	%D%/capture/functions.py %D%/capture/nested.py \
	%D%/capture/numbered_models.py %D%/capture/small_models.py tests/data/trace/within.py \
	%D%/capture/torchvision_models.py \
	%D%/capture/without_torch_fx.py

# Rules as torch.fx applies them.
TESTS += %D%/rewrite.sh %D%/matcher.sh
EXTRA_DIST += %D%/rewrite.sh %D%/rewrite.py %D%/matcher.sh %D%/matcher.py

# The debugger in a program of the user's.
TESTS += %D%/debug.sh
EXTRA_DIST += %D%/debug.sh %D%/capture/debug.py %D%/capture/debug_parts.py \
	%D%/capture/debug_states.py

# Recorded runs beside eager PyTorch.
TESTS += %D%/example.sh
EXTRA_DIST += %D%/example.sh %D%/capture/at_once.py %D%/capture/decisions.py %D%/capture/examples.py \
	%D%/capture/example_cache.py %D%/capture/example_torchvision.py \
	%D%/capture/example_transformers.py %D%/capture/exported.py \
	%D%/capture/hooks.py %D%/capture/objects.py %D%/capture/torch_graphs.py \
	%D%/capture/autocast.py tests/data/trace/autocast.py \
	%D%/capture/wholes.py tests/data/trace/wholes.py \
	tests/data/trace/exported.py tests/data/trace/graphs.py \
	tests/data/trace/at_once.py tests/data/trace/on_meta.py tests/data/trace/sizes.py tests/data/trace/cached.py tests/data/trace/held.py

# What is made of a graph runs as it does.
TESTS += %D%/copies.sh %D%/device.sh
EXTRA_DIST += %D%/copies.sh %D%/copies.py %D%/device.sh %D%/device.py

# What a call that leaves something out means.
TESTS += %D%/defaults.sh
EXTRA_DIST += %D%/defaults.sh %D%/defaults.py

# Bits that depend on more than the numbers.
TESTS += %D%/rounding.sh
EXTRA_DIST += %D%/rounding.sh %D%/rounding.py

# Models that do not trace, and the processes around a capture.
TESTS += %D%/trace_errors.sh
EXTRA_DIST += %D%/trace_errors.sh %D%/capture/failures.py \
	%D%/capture/hints.py tests/data/trace/constructs.py \
	%D%/capture/many.py %D%/capture/processes.py %D%/capture/sanitized.sh %D%/capture/state_files.py \
	%D%/capture/session.py %D%/capture/suggest.py tests/data/trace/arguments.py \
	tests/data/trace/causes.py tests/data/trace/ends.py \
	tests/data/trace/good.py tests/data/trace/import_exits.py \
	tests/data/trace/import_fails.py tests/data/trace/import_loops.py \
	tests/data/trace/import_raises.py tests/data/trace/loops.py \
	tests/data/trace/not_models.py tests/data/trace/prints.py \
	tests/data/trace/raises.py tests/data/trace/remedies.py \
	tests/data/trace/syntax_error.py \
	tests/data/trace/tracer.py tests/data/trace/waits.py \
	tests/data/trace/weights.py

# Edits of nested graphs, and passes of Python, beside torch.fx.
TESTS += %D%/nested_edits.sh
EXTRA_DIST += %D%/nested_edits.sh %D%/capture/nested_edits.py

TESTS += %D%/python_pass.sh %D%/wrong_passes.sh
EXTRA_DIST += %D%/wrong_passes.sh %D%/wrong_passes.py \
	%D%/wrong_passes_parts.py
EXTRA_DIST += %D%/python_pass.sh %D%/capture/passes.py \
	tests/data/trace/passes.py tests/data/trace/bad_passes.py

# Passes of our own beside those of torch.fx; sound.py is run by hand.
TESTS += %D%/normalize.sh %D%/passes_fx.sh
EXTRA_DIST += %D%/normalize.sh %D%/normalize.py %D%/passes_fx.sh \
	%D%/passes_fx.py %D%/sound.py %D%/hugging.py tests/data/trace/foldable.py

# Shape rules and layers beside torch's own.
check_PROGRAMS += %D%/meta_eval
%C%_meta_eval_SOURCES = %D%/meta_eval.c
%C%_meta_eval_LDADD = libfxcore.a $(CORE_LIBS) -lm
TESTS += %D%/shapes.sh %D%/writes.sh
EXTRA_DIST += %D%/writes.sh %D%/writes.py %D%/shapes.sh %D%/shapes.py %D%/layers.py %D%/models.py \
	%D%/conditions.py

# Tensors as text, their statistics and comparison beside torch's.
check_PROGRAMS += %D%/values
%C%_values_SOURCES = %D%/values.c
%C%_values_LDADD = libfxcore.a $(CORE_LIBS) -lm
TESTS += %D%/inputs.sh
EXTRA_DIST += %D%/inputs.sh %D%/inputs.py
TESTS += %D%/values.sh %D%/looking.sh %D%/modules.sh
EXTRA_DIST += %D%/values.sh %D%/values.py %D%/looking.sh %D%/looking.py \
	%D%/modules.sh %D%/modules.py

# What their scripts share.
EXTRA_DIST += %D%/python.sh

# The numbers of new modules beside torch's.
TESTS += %D%/initial.sh

# The rows of src/ops/spellings.def, each run in torch.
TESTS += %D%/spellings.sh
EXTRA_DIST += %D%/spellings.sh %D%/spellings.py
EXTRA_DIST += %D%/initial.sh %D%/initial.py

# Models run on libtorch beside eager PyTorch.
if WITH_TORCH
check_PROGRAMS += %D%/run_graph
%C%_run_graph_SOURCES = %D%/run_graph.c
%C%_run_graph_LDADD = libfxcore.a $(CORE_LIBS) -lm
TESTS += %D%/passes.sh %D%/split.sh %D%/fuse.sh %D%/archives.sh %D%/control.sh %D%/run.sh %D%/evaluate.sh %D%/backends.sh %D%/walks.sh \
	%D%/graph_bytes.sh %D%/two_graphs.sh %D%/half.sh %D%/reduce.sh %D%/explain.sh %D%/why_blind.sh %D%/why_against.sh %D%/watched.sh
endif
EXTRA_DIST += %D%/passes.sh %D%/passes.py %D%/split.sh %D%/split.py tests/data/trace/parts.py tests/data/trace/packed.py %D%/fuse.sh %D%/fuse.py tests/data/trace/folding.py %D%/backends.sh %D%/backends.py tests/data/trace/seeded.py \
	%D%/effects.py tests/data/trace/effects.py %D%/walks.sh %D%/walks.py \
	%D%/reduce.sh %D%/reduce.py tests/data/trace/planted.py \
	%D%/why_against.sh %D%/why_against.py %D%/why_elements.py %D%/why_casts.py %D%/why_blind.sh %D%/why_blind.py %D%/why_blind_models.py \
	%D%/explain.sh %D%/explain.py %D%/two_graphs.sh %D%/two_graphs.py %D%/half.sh %D%/half.py tests/data/half.npz \
	%D%/graph_bytes.sh %D%/graph_bytes.py tests/data/trace/graph_bytes.py \
	tests/data/trace/graph_leaf.py
EXTRA_DIST += %D%/archives.py %D%/archives.sh %D%/control.py %D%/control.sh %D%/run.sh %D%/shim.sh %D%/run_models.py %D%/run_own.py

# Expressions over values beside Python's torch.
EXTRA_DIST += %D%/evaluate.sh %D%/evaluate.py %D%/watched.sh %D%/watched.py

# print(gm), read.
TESTS += %D%/printed.sh
EXTRA_DIST += %D%/printed.sh %D%/printed.py

# Folders that Python imports.
TESTS += %D%/folder.sh
EXTRA_DIST += %D%/folder.sh %D%/folder/folder.py %D%/folder/folder_models.py

# Modules that are more than their class, and tensors of odd kinds.
TESTS += %D%/odd.sh
EXTRA_DIST += %D%/odd.sh %D%/odd.py tests/data/trace/odd.py

# Draws behind a node whose value is set.
TESTS += %D%/set_draws.sh
EXTRA_DIST += %D%/set_draws.sh %D%/set_draws.py tests/data/trace/set_draws.py

# Results with names, on two backends.
TESTS += %D%/compiled_operator.sh
EXTRA_DIST += %D%/compiled_operator.sh %D%/compiled_operator.py

TESTS += %D%/named_tuples.sh
EXTRA_DIST += %D%/named_tuples.sh %D%/named_tuples.py \
	tests/data/trace/named_tuples.py

# Modules that are kept whole get what has names.
TESTS += %D%/named_leaves.sh
EXTRA_DIST += %D%/named_leaves.sh %D%/named_leaves.py \
	tests/data/trace/named_leaves.py

# Objects of the user's that leaves give and take.
TESTS += %D%/objects.sh
EXTRA_DIST += %D%/objects.sh %D%/objects.py tests/data/trace/objects.py
