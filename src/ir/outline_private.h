/* outline_private.h - what outline.c and split.c share. */
#ifndef FX_IR_OUTLINE_PRIVATE_H
#define FX_IR_OUTLINE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/part.h"

struct fx_outlining {
	struct fx_partition *partition;
	struct fx_node *before; /* where calls go; NULL: at the end */
	struct fx_map made;     /* result of a part -> what gives it now */
	FX_VEC(struct fx_node *) calls; /* and getitems, in order */
};
void fx_outlining_deinit(struct fx_outlining *outlining);
FX_DEFINE_DEINIT(outlining, struct fx_outlining, fx_outlining_deinit);
#define FX_AUTO_OUTLINING FX_AUTO(outlining)

/* A new module of GRAPH may be called NAME. */
FX_NODISCARD struct fx_error *fx_outlining_check_name(struct fx_graph *graph,
	const char *name);

/* Put the module of PART into the tree, and the call of it with what takes its
 * results apart into the graph.
 */
FX_NODISCARD struct fx_error *fx_outlining_add(struct fx_outlining *outlining,
	const struct fx_part *part, bool renames);

/* Give the users outside what the calls give, and erase the nodes of all
 * parts.
 */
FX_NODISCARD struct fx_error *fx_outlining_end(struct fx_outlining *outlining);

#endif /* FX_IR_OUTLINE_PRIVATE_H */
