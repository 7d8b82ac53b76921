/* changes.h - what an edit changed, graph by graph, and what depends on it.
 *
 * An edit may change several graphs: nested ones, and through their calls those
 * around them.
 */
#ifndef FX_IR_CHANGES_H
#define FX_IR_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bitset.h"
#include "base/cleanup.h"
#include "base/vec.h"

struct fx_graph;
struct fx_node;

/* The nodes of GRAPH that an edit or a new input changed, and those that depend
 * on them.
 */
struct fx_graph_change {
	struct fx_graph *graph;
	/* Low halves of the ids of nodes, in the graph or no longer. */
	struct fx_bitset ids;
	struct fx_bitset moved; /* only that */
	/* Of IDS, those that run a nested graph which was changed, and were not
	 * changed themselves.
	 */
	struct fx_bitset calls;
	struct fx_node **cone;
	size_t count;
};
void fx_graph_change_deinit(struct fx_graph_change *change);
FX_DEFINE_DEINIT(graph_change, struct fx_graph_change, fx_graph_change_deinit);
/* Whether the graph gives something else: names do not matter. */
bool fx_graph_change_matters(const struct fx_graph_change *change);

/* What an edit changed in the graphs that it edited and in those around them,
 * the innermost first, that of ROOT last.  GATHER_OPEN, once, those of the open
 * transaction from SAVEPOINT on, or GATHER those of transaction ID, of several
 * one after the other; then FINISH when the graphs are as they will be.
 */
struct fx_changes {
	FX_VEC(struct fx_graph_change) items;
};
void fx_changes_deinit(struct fx_changes *changes);
FX_DEFINE_DEINIT(changes, struct fx_changes, fx_changes_deinit);
void fx_changes_gather_open(struct fx_changes *changes, struct fx_graph *root,
	size_t savepoint);
void fx_changes_gather(struct fx_changes *changes, struct fx_graph *root,
	uint32_t id);
void fx_changes_finish(struct fx_changes *changes);

#endif /* FX_IR_CHANGES_H */
