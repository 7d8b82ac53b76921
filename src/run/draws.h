/* draws.h - the random numbers of one graph in a graph of another dtype.
 *
 * From one state of the generator f32 and f64 get other numbers.  So what gives
 * draws alone (the trait SAMPLES) gives there what it gave here, and what draws
 * beside computing, as dropout does, begins from the state that it began from.
 */
#ifndef FX_RUN_DRAWS_H
#define FX_RUN_DRAWS_H

#include <stdint.h>

#include "base/dtype.h"
#include "base/vec.h"
#include "run/observer.h"

struct fx_backend;
struct fx_blob;
struct fx_graph;
struct fx_pairs;

struct fx_draw {
	const struct fx_node *node;
	struct fx_blob *state;  /* of the generator before it */
	struct fx_datum *value; /* of what gives draws alone, or NULL */
};

/* The owner sets all but the items, which begin as zero. */
struct fx_draws {
	struct fx_backend *backend;
	const struct fx_graph *first; /* whose draws are kept */
	const struct fx_pairs *pairs; /* with the second; for the giver */
	enum fx_dtype to;             /* as fx_widen_datum has it */
	struct fx_error **error;      /* of the owner, for what goes wrong */
	FX_VEC(struct fx_draw) items;
};
void fx_draws_deinit(struct fx_draws *draws);

/* Keeps what the first graph draws; gives it to the second.  Graphs nested in
 * them draw for themselves.
 */
struct fx_observer fx_draws_keeper(struct fx_draws *draws);
struct fx_observer fx_draws_giver(struct fx_draws *draws);

#endif /* FX_RUN_DRAWS_H */
