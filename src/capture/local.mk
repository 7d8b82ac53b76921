# The capture extension: one file for every CPython from 3.9, with its own copy
# of the core; beside it the Python package that drives it.
capture_python = %D%/fxdb/__init__.py %D%/fxdb/_autocast.py \
	%D%/fxdb/_backend.py %D%/fxdb/_check.py %D%/fxdb/_copies.py \
	%D%/fxdb/_debug.py %D%/fxdb/_decisions.py %D%/fxdb/_edited.py \
	%D%/fxdb/_effects.py \
	%D%/fxdb/_example.py %D%/fxdb/_export.py %D%/fxdb/_failed.py \
	%D%/fxdb/_file.py \
	%D%/fxdb/_find.py \
	%D%/fxdb/_frame.py %D%/fxdb/_gradients.py %D%/fxdb/_home.py \
	%D%/fxdb/_inputs.py %D%/fxdb/_memory.py %D%/fxdb/_numbers.py %D%/fxdb/_partial.py \
	%D%/fxdb/_named.py %D%/fxdb/_objects.py \
	%D%/fxdb/_pass.py \
	%D%/fxdb/_remedy.py %D%/fxdb/_report.py \
	%D%/fxdb/_results.py %D%/fxdb/_run.py %D%/fxdb/_torch.py %D%/fxdb/_unseen.py \
	%D%/fxdb/_vary.py \
	%D%/fxdb/_values.py \
	%D%/fxdb/_weights.py %D%/fxdb/_whole.py %D%/fxdb/_worker.py
EXTRA_DIST += $(capture_python)
if WITH_PYTHON
fxdbdir = $(pkglibexecdir)/fxdb
fxdb_PROGRAMS = %D%/fxdb/_capture.abi3.so
fxdb_DATA = $(capture_python)

%C%_fxdb__capture_abi3_so_SOURCES = \
	%D%/capture.h %D%/strings.h %D%/trace.h \
	%D%/copy.h %D%/example.h %D%/graph.h \
	%D%/ext_args.c \
	%D%/ext_copy.c \
	%D%/ext_dispatch.c \
	%D%/ext_example.c \
	%D%/ext_file.c \
	%D%/ext_graph.c \
	%D%/ext_module.c \
	%D%/ext_modules.c \
	%D%/ext_object.c \
	%D%/ext_patch.c \
	%D%/ext_proxy.c \
	%D%/ext_record.c \
	%D%/ext_source.c \
	%D%/ext_target.c \
	%D%/ext_unicode.c \
	%D%/ext_value.c \
	%D%/ext_wrapped.c
%C%_fxdb__capture_abi3_so_CPPFLAGS = $(AM_CPPFLAGS) $(PYTHON_CPPFLAGS)
%C%_fxdb__capture_abi3_so_LDFLAGS = $(AM_LDFLAGS) -shared \
	-Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-z,now
%C%_fxdb__capture_abi3_so_LDADD = libfxcore.a -lm

# In the build folder the package stands whole beside the extension, so that
# fxdb runs uninstalled.
all-local: %D%/fxdb/stamp
# (From the sources: the copies would be found first and never be old.)
%D%/fxdb/stamp: $(srcdir)/%D%/fxdb/__init__.py \
		$(srcdir)/%D%/fxdb/_autocast.py $(srcdir)/%D%/fxdb/_backend.py \
		$(srcdir)/%D%/fxdb/_check.py $(srcdir)/%D%/fxdb/_copies.py \
		$(srcdir)/%D%/fxdb/_decisions.py \
		$(srcdir)/%D%/fxdb/_debug.py $(srcdir)/%D%/fxdb/_edited.py \
		$(srcdir)/%D%/fxdb/_effects.py \
		$(srcdir)/%D%/fxdb/_example.py \
		$(srcdir)/%D%/fxdb/_export.py \
		$(srcdir)/%D%/fxdb/_failed.py \
		$(srcdir)/%D%/fxdb/_file.py \
		$(srcdir)/%D%/fxdb/_find.py $(srcdir)/%D%/fxdb/_frame.py \
		$(srcdir)/%D%/fxdb/_gradients.py $(srcdir)/%D%/fxdb/_home.py \
		$(srcdir)/%D%/fxdb/_inputs.py \
		$(srcdir)/%D%/fxdb/_memory.py $(srcdir)/%D%/fxdb/_numbers.py \
		$(srcdir)/%D%/fxdb/_named.py $(srcdir)/%D%/fxdb/_objects.py \
		$(srcdir)/%D%/fxdb/_partial.py $(srcdir)/%D%/fxdb/_pass.py \
		$(srcdir)/%D%/fxdb/_remedy.py \
		$(srcdir)/%D%/fxdb/_report.py $(srcdir)/%D%/fxdb/_results.py \
		$(srcdir)/%D%/fxdb/_run.py \
		$(srcdir)/%D%/fxdb/_torch.py $(srcdir)/%D%/fxdb/_unseen.py \
		$(srcdir)/%D%/fxdb/_vary.py \
		$(srcdir)/%D%/fxdb/_values.py \
		$(srcdir)/%D%/fxdb/_weights.py $(srcdir)/%D%/fxdb/_whole.py \
		$(srcdir)/%D%/fxdb/_worker.py
	$(AM_V_GEN)$(MKDIR_P) %D%/fxdb && \
	{ test $(srcdir) = . || \
		for file in $(capture_python); do \
			cp -f $(srcdir)/$$file $$file || exit 1; \
		done; } && \
	touch $@
CLEANFILES += %D%/fxdb/stamp

clean-local:
	test $(srcdir) = . || rm -rf $(capture_python) %D%/fxdb/__pycache__
endif
