# What a person, the tests and .ci/run call.
EXTRA_DIST += %D%/bench %D%/check %D%/check-format %D%/check-headers \
	%D%/check-layers %D%/check-size %D%/check-tests %D%/check-warnings \
	%D%/check-words %D%/common.sh %D%/count-tests %D%/embed %D%/embed-index %D%/fuzz \
	%D%/gen-commands %D%/make-examples %D%/gdb %D%/fxdb-gdb.py %D%/picture \
	%D%/picture.py %D%/run %D%/test %D%/torch2 \
	%D%/wheel %D%/wheel.py \
	.ci/run

# Demonstrations, and an example of checks that a CI job runs.
demodir = $(pkgdatadir)/demo
dist_demo_DATA = %D%/demo/check_model.fxdb %D%/demo/resnet.fxdb \
	%D%/demo/wrong.fxdb

# Cheap enough for every `make check`.
TESTS += %D%/check-layers
