/* match_private.h - one try to match, shared by match.c and match_node.c. */
#ifndef FX_IR_MATCH_PRIVATE_H
#define FX_IR_MATCH_PRIVATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "ir/match.h"
#include "ir/pattern_private.h"

struct fx_try {
	struct fx_graph *graph;
	const struct fx_pattern *pattern;
	struct fx_arena *scratch; /* rolled back after each try */
	struct fx_value *values;  /* by slot */
	bool *is_bound;           /* by slot */
	FX_VEC(size_t) bound;     /* slots, in the order they were bound */
	/* Gets the first thing that does not fit, when not null. */
	struct fx_buf *why;
};

/* Bind the pattern from SLOT upwards to what stands above NODE.  False when it
 * does not fit: what was bound meanwhile is for fx_try_release.
 */
bool fx_try_node(struct fx_try *try, size_t slot, struct fx_node *node);
/* Unbind all but the first COUNT slots that were bound. */
void fx_try_release(struct fx_try *try, size_t count);
/* Whether NODE may be what SLOT calls, by its target alone. */
bool fx_try_is_candidate(const struct fx_try *try, size_t slot,
	const struct fx_node *node);
/* Say why, if that is asked and was not said. */
FX_PRINTF(2, 3)
bool fx_try_differs(struct fx_try *try, const char *format, ...);
/* Put before what was said of a value, but not of a node, where that stands. */
bool fx_try_differs_in(struct fx_try *try, const char *place);

/* Whether FOUND, of the graph, is what the pattern has at its place: a value, a
 * part of a configuration (a number is the same for each dimension), the items
 * of two sequences, the first arguments of a call.
 */
bool fx_try_value(struct fx_try *try, const struct fx_value *wanted,
	const struct fx_value *found);
bool fx_try_setting(struct fx_try *try, const struct fx_value *wanted,
	const struct fx_value *found);
bool fx_try_items(struct fx_try *try, const struct fx_value *wanted,
	const struct fx_value *found);
bool fx_try_beginning(struct fx_try *try, const struct fx_node *wanted,
	const struct fx_node *found);
/* match_layer.c: whether NODE calls a module of the class that LAYER names, and
 * then whether it is what SLOT says of one.
 */
bool fx_try_is_of_class(const struct fx_pattern_layer *layer,
	const struct fx_node *node);
bool fx_try_layer(struct fx_try *try, const struct fx_pattern_slot *slot,
	const struct fx_node *node);

#endif /* FX_IR_MATCH_PRIVATE_H */
