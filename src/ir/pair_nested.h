/* pair_nested.h - two graphs and the graphs nested in them, in pairs.
 *
 * Nested graphs are paired when their modules stand at the same path, and else
 * when nodes that are paired run them.
 */
#ifndef FX_IR_PAIR_NESTED_H
#define FX_IR_PAIR_NESTED_H

#include <stddef.h>

#include "base/cleanup.h"
#include "ir/pair.h"

struct fx_nested_pair {
	struct fx_pairs pairs;
	/* Where the two are nested, as fx_control_path says it; "" for the
	 * outermost.  Interned.
	 */
	const char *paths[2];
};

/* The outermost graphs first, outer ones before those nested in them. */
struct fx_nested_pairs {
	struct fx_nested_pair *items;
	size_t count;
	size_t capacity;
	bool is_stopped;
};

/* As fx_pairs_make.  A nested graph without a partner is in no pair. */
void fx_nested_pairs_make(struct fx_graph *before, struct fx_graph *after,
	const struct fx_tick *tick, struct fx_nested_pairs *ret);
void fx_nested_pairs_deinit(struct fx_nested_pairs *pairs);
FX_DEFINE_DEINIT(nested_pairs, struct fx_nested_pairs, fx_nested_pairs_deinit);
#define FX_AUTO_NESTED_PAIRS FX_AUTO(nested_pairs)

#endif /* FX_IR_PAIR_NESTED_H */
