/* override.h - results that the user set, as they are now. */
#ifndef FX_SESSION_OVERRIDE_H
#define FX_SESSION_OVERRIDE_H

#include <stddef.h>

struct fx_datum;
struct fx_graph;
struct fx_model;
struct fx_node;

/* How many nodes have one, those of nested graphs too. */
size_t fx_model_count_overrides(const struct fx_model *model);
/* That of NODE, borrowed; NULL when it has none. */
struct fx_datum *fx_model_get_override(const struct fx_model *model,
	const struct fx_node *node);

/* What stands in for NODE, of COPY, which is the graph of MODEL or one with the
 * same nodes, or nested in that: borrowed, or NULL.
 */
struct fx_datum *fx_model_given_in(const struct fx_model *model,
	struct fx_graph *copy, const struct fx_node *node);

#endif /* FX_SESSION_OVERRIDE_H */
