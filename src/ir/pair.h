/* pair.h - which nodes of two graphs are one and the same.
 *
 * Names help where they can be trusted, and are not needed: graphs of one
 * structure are paired whole, whatever their nodes are called.
 */
#ifndef FX_IR_PAIR_H
#define FX_IR_PAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "ir/graph.h"

struct fx_tick;

struct fx_pairs {
	struct fx_graph *graphs[2]; /* before and after; borrowed */
	size_t counts[2];
	/* By position in each graph: the node of the other, or NULL. */
	struct fx_node **mates[2];
	bool is_stopped; /* Ctrl-C: not all are paired */
};

/* Pair the nodes of BEFORE and AFTER, which must not change while the pairs
 * are used.  Nearly linear; TICK, which may be null, can break it off.
 */
void fx_pairs_make(struct fx_graph *before, struct fx_graph *after,
	const struct fx_tick *tick, struct fx_pairs *ret);
void fx_pairs_deinit(struct fx_pairs *pairs);
FX_DEFINE_DEINIT(pairs, struct fx_pairs, fx_pairs_deinit);
#define FX_AUTO_PAIRS FX_AUTO(pairs)

/* The node that NODE, of either graph, is paired with, or NULL. */
struct fx_node *fx_pairs_mate(const struct fx_pairs *pairs,
	const struct fx_node *node);

/* Whether BEFORE, an argument of the first graph, is AFTER, one of the second:
 * nodes are equal to their mates.
 */
bool fx_pairs_equal(const struct fx_pairs *pairs, const struct fx_value *before,
	const struct fx_value *after);

#endif /* FX_IR_PAIR_H */
