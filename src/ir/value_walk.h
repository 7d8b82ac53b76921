/* value_walk.h - visiting and rebuilding argument trees. */
#ifndef FX_IR_VALUE_WALK_H
#define FX_IR_VALUE_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/value.h"

/* Called for each NODE leaf, depth first, left to right (dict: key then
 * value).  False stops the walk.
 */
typedef bool fx_value_visit_fn(void *context, struct fx_node *node);

/* False if a visit stopped. */
bool fx_value_visit_nodes(const struct fx_value *value,
	fx_value_visit_fn *visit, void *context);

/* Return the value that replaces LEAF. */
typedef struct fx_value fx_value_map_fn(void *context,
	const struct fx_value *leaf);

/* VALUE with every leaf (anything without items, TENSOR and SYMBOL included)
 * replaced by MAP's answer; containers are rebuilt in ARENA only where
 * something changed.
 */
struct fx_value fx_value_map(struct fx_arena *arena,
	const struct fx_value *value, fx_value_map_fn *map, void *context);

/* VALUE with node FROM replaced by TO.  *COUNT_RET is increased for each. */
struct fx_value fx_value_replace_node(struct fx_arena *arena,
	const struct fx_value *value, const struct fx_node *from,
	const struct fx_value *to, size_t *count_ret);

/* A deep copy into ARENA, node pointers kept. */
struct fx_value fx_value_clone(struct fx_arena *arena,
	const struct fx_value *value);

/* Deepest nesting of containers: 0 for a leaf. */
int fx_value_depth(const struct fx_value *value);

/* Whether VALUE has no more than LIMIT items in all, those of items included,
 * and nests no deeper than arguments may.  Costs no more than the limits do,
 * however often one and the same list stands in others.
 */
bool fx_value_is_within(const struct fx_value *value, size_t limit);

#endif /* FX_IR_VALUE_WALK_H */
