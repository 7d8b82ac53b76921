/* made_up.h - the value of an input of which only the shape is known.
 *
 * Floats are normal, as the backend draws them.  Integers are rows of the table
 * that looks them up, where that is all that is done with them; else 0 or 1,
 * which most of what a model does with integers and truths takes.
 */
#ifndef FX_SESSION_MADE_UP_H
#define FX_SESSION_MADE_UP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct fx_backend;
struct fx_datum;
struct fx_extent;
struct fx_node;
struct fx_tensor_meta;

/* A tensor of BACKEND with the metadata META for PLACEHOLDER, made up from
 * SEED.
 */
FX_NODISCARD struct fx_error *fx_made_up(struct fx_backend *backend,
	const struct fx_node *placeholder, const struct fx_tensor_meta *meta,
	uint64_t seed, struct fx_datum **ret);

/* Rows of the smallest table in which the integers of PLACEHOLDER are looked
 * up as they are; 0 where there is none, or where they are also computed with
 * (ALSO_COMPUTED: what is computed of them counts as them).
 */
int64_t fx_made_up_rows(const struct fx_node *placeholder, bool also_computed);

/* Elements from 0 to before END, at random from SEED. */
FX_NODISCARD struct fx_error *fx_made_up_integers(struct fx_backend *backend,
	const struct fx_extent *extent, int64_t end, uint64_t seed,
	struct fx_datum **ret);

#endif /* FX_SESSION_MADE_UP_H */
