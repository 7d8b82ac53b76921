# The shim: the only C++, compiled for the configured libtorch.  Its sources are
# installed too, for torches that are met later.
shimsourcedir = $(pkgdatadir)/shim/torch
dist_shimsource_DATA = %D%/shim.h %D%/shim.cc \
	%D%/apart.hh %D%/bounds.hh %D%/convert.hh %D%/literal.hh %D%/match.hh %D%/memory.hh \
	%D%/plan.hh %D%/private.hh %D%/tensor.hh

# Their identity is made by configure, so that a program and a shim that differ
# are told apart.
CONFIG_STATUS_DEPENDENCIES = $(dist_shimsource_DATA)

if WITH_TORCH
shimdir = $(pkglibexecdir)
shim_DATA = fxdb-torch-$(TORCH_VERSION).so

fxdb-torch-$(TORCH_VERSION).so: $(dist_shimsource_DATA) config.status
	$(AM_V_GEN)$(CXX) -O2 $(TORCH_STD) -fPIC -fvisibility=hidden -shared \
		-Wall -Wextra -Wpedantic -Wshadow $(SHIM_WERROR) \
		-DFXS_SOURCE_ID='"$(SHIM_ID)"' -I$(top_srcdir)/src \
		$(TORCH_CPPFLAGS) $(SHIM_SANITIZE) \
		$(srcdir)/%D%/shim.cc $(TORCH_LIBS) -o $@.tmp && \
	mv $@.tmp $@
CLEANFILES += fxdb-torch-$(TORCH_VERSION).so
endif
