# The man page and what is installed or packed beside it.
dist_man_MANS += %D%/fxdb.1
EXTRA_DIST += %D%/bench.md %D%/commands.md %D%/json.md %D%/fxg.md %D%/python.md %D%/recording.md %D%/differences.md %D%/architecture.md \
	%D%/glossary.md %D%/internals.md %D%/loading.md %D%/passes.md %D%/patterns.md %D%/reduce.md %D%/running.md \
	%D%/pictures/demo.svg %D%/pictures/nan.svg %D%/pictures/own.svg %D%/pictures/pass.svg \
	%D%/stops.md %D%/screen.md %D%/security.md %D%/why.md %D%/values.md %D%/lessons/words.txt \
	%D%/lessons/1-look.lesson %D%/lessons/2-change.lesson \
	%D%/lessons/3-own.lesson %D%/lessons/4-why.lesson

# Graphs to open first, with the models they were traced from; made by
# scripts/make-examples.
examplesdir = $(pkgdatadir)/examples
dist_examples_DATA = \
	%D%/examples/mlp.fxg %D%/examples/mlp.py \
	%D%/examples/mlp-adcc78beb8c8.safetensors \
	%D%/examples/mistakes.fxg %D%/examples/mistakes.py \
	%D%/examples/mistakes-0da9fbe44764.safetensors \
	%D%/examples/resnet18.fxg \
	%D%/examples/transformer.fxg %D%/examples/transformer.py \
	%D%/examples/transformer-82e927f8db99.safetensors
