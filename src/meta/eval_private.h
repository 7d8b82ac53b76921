/* eval_private.h - what propagate.h's files share. */
#ifndef FX_META_EVAL_PRIVATE_H
#define FX_META_EVAL_PRIVATE_H

#include "base/map.h"
#include "ir/decompose.h"
#include "meta/propagate.h"

struct fx_meta {
	struct fx_expander *expander;
	struct fx_arena *scratch; /* of one node, while propagating */
	struct fx_map names;      /* target -> its last part, interned */
	bool is_strict;           /* of what control is given */
	int depth;                /* of graphs within graphs */
	int steps;                /* nodes of those, in the outermost call */
	struct fx_size_conditions *conditions; /* to note them in, or NULL */
	fx_meta_given_fn *given;               /* or NULL */
	void *given_context;
};

/* Where the metadata of a node's inputs are. */
struct fx_meta_env {
	/* node -> struct fx_value *, or NULL: the nodes' own `meta`. */
	const struct fx_map *values;
};

/* Set *RET to the metadata of NODE's result, given the values in ENV.  NODE is
 * no placeholder.
 */
FX_NODISCARD struct fx_error *fx_meta_eval_node(struct fx_meta *meta,
	struct fx_arena *arena, const struct fx_meta_env *env,
	struct fx_node *node, struct fx_value *ret);

/* Set *RET to the metadata of GRAPH's result.  INPUTS are the metadata of its
 * placeholders in order.
 */
FX_NODISCARD struct fx_error *fx_meta_eval_graph(struct fx_meta *meta,
	struct fx_arena *arena, struct fx_graph *graph,
	const struct fx_value *const *inputs, struct fx_value *ret);

/* control.c: CALL is that of a cond or while_loop. */
FX_NODISCARD struct fx_error *fx_meta_eval_control(struct fx_meta *meta,
	struct fx_arena *arena, const struct fx_meta_call *call,
	struct fx_value *ret);

/* Whether two metadata say the same of dtypes and shapes: strides and devices
 * that only one of them knows do not make a difference.
 */
bool fx_meta_says_the_same(const struct fx_value *old,
	const struct fx_value *new);

#endif /* FX_META_EVAL_PRIVATE_H */
