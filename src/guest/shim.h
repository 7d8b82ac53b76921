/* shim.h - libtorch behind run/backend.h.
 *
 * The shim is a shared object of its own, compiled for one libtorch: the one
 * that configure found, or that of a Python's torch, compiled once when it is
 * first asked for and kept in the user's cache.  It is loaded on first need.
 * A process has one libtorch: asking for another is an error.
 */
#ifndef FX_GUEST_SHIM_H
#define FX_GUEST_SHIM_H

#include <stdbool.h>

#include "base/error.h"

struct fx_backend;

/* Told one line before something takes seconds: that a shim is built. */
typedef void fx_shim_tell_fn(void *context, const char *line);

struct fx_shim_options {
	/* The Python whose torch to run on: a path as --python takes it.
	 * NULL: the libtorch of configure.
	 */
	const char *python;
	bool is_built;         /* else UNSUPPORTED: nothing is compiled now */
	fx_shim_tell_fn *tell; /* may be NULL */
	void *context;
};

/* The backend "torch", which the caller frees with fx_backend_free.  OPTIONS
 * may be null.  UNSUPPORTED with a hint when there is none: built without, no
 * libtorch, no compiler, a failed compile; VERSION when the libtorch is not
 * the one the shim was compiled for; LIMIT for a second libtorch.  May take
 * seconds the first time.
 */
FX_NODISCARD struct fx_error *
fx_backend_torch_new(const struct fx_shim_options *options,
	struct fx_backend **ret);

/* For --doctor: tell what libtorch there is, each fact with its remedy ("" when
 * nothing is wrong).  Loads the shim.
 */
typedef void fx_shim_fact_fn(void *context, const char *what, const char *state,
	const char *remedy);
void fx_shim_describe(fx_shim_fact_fn *fact, void *context);

#endif /* FX_GUEST_SHIM_H */
