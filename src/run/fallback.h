/* fallback.h - what one backend cannot run, run by another.
 *
 * Tensors go over as their bytes, and so do results come back; what only the
 * other understands stays there, as a handle or as a tensor of its own.
 */
#ifndef FX_RUN_FALLBACK_H
#define FX_RUN_FALLBACK_H

#include <stdbool.h>

#include "base/error.h"

struct fx_backend;
struct fx_call_site;
struct fx_datum;
struct fx_plan_watch;

/* DATUM with its tensors in BACKEND: the same tensors where they are there
 * already.  *RET is new.  NO_SPACE, TYPE when there are no values.
 */
FX_NODISCARD struct fx_error *fx_fallback_move(struct fx_backend *backend,
	struct fx_datum *datum, struct fx_datum **ret);

/* Return the first value in VALUE, borrowed, that cannot go to BACKEND: an
 * unknown value, or another backend's tensor without values.  NULL if there is
 * none, or if BACKEND computes no values itself.
 */
const struct fx_value *fx_fallback_find_shape(const struct fx_backend *backend,
	const struct fx_value *value);

/* Write the elements of FROM into TO, a tensor of BACKEND, in its dtype. */
FX_NODISCARD struct fx_error *fx_fallback_copy_over(struct fx_backend *backend,
	struct fx_datum *to, struct fx_datum *from);

struct fx_fallback_call {
	const struct fx_call_site *site;
	struct fx_datum *const *data;
	const struct fx_plan_watch *watch; /* may be NULL */
	bool may_draw;
};

/* Run CALL on the fallback of BACKEND, which draws random numbers where
 * BACKEND would.  UNSUPPORTED when that cannot either, or when it would write a
 * tensor in place, which is a copy there.
 */
FX_NODISCARD struct fx_error *fx_fallback_call(struct fx_backend *backend,
	const struct fx_fallback_call *call, struct fx_datum **ret);

#endif /* FX_RUN_FALLBACK_H */
