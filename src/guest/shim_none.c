/* shim_none.c - built without libtorch. */
#include <config.h>

#include "guest/shim.h"

struct fx_error *
fx_backend_torch_new(const struct fx_shim_options *options,
	struct fx_backend **ret)
{
	(void)options;
	(void)ret;
	return fx_error_hint(fx_error_new(FX_ERR_UNSUPPORTED,
				     "this fxdb is built without libtorch"),
		"install libtorch (Debian package: libtorch-dev) and build "
		"again");
}

void
fx_shim_describe(fx_shim_fact_fn *fact, void *context)
{
	fact(context, "libtorch", "not built in: only shapes run here",
		"install libtorch-dev and configure again");
}
