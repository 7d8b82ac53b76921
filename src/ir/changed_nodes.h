/* changed_nodes.h - whose results a transaction may have changed.
 *
 * Not every touched node computes something else: names, places and
 * annotations do not matter.  On the other hand a node whose module or
 * parameter was replaced is not touched at all, and computes something else.
 */
#ifndef FX_IR_CHANGED_NODES_H
#define FX_IR_CHANGED_NODES_H

#include <stddef.h>
#include <stdint.h>

#include "base/bitset.h"
#include "base/vec.h"
#include "ir/graph.h"

/* A journal is that of a graph and of those nested in it: the functions below
 * tell of GRAPH alone.
 */

/* Add to IDS (low halves, which count the nodes) the nodes that transaction ID
 * created, gave other arguments or another target, or that call or get what it
 * replaced; to MOVED those that were moved: where others write in place or draw
 * random numbers, that matters too.
 */
void fx_changed_nodes_of(struct fx_graph *graph, uint32_t id,
	struct fx_bitset *ids, struct fx_bitset *moved);

/* The same for the open transaction from SAVEPOINT on (ir/savepoint.h). */
void fx_changed_nodes_open(struct fx_graph *graph, size_t savepoint,
	struct fx_bitset *ids, struct fx_bitset *moved);

/* The graphs that were edited and those they are nested in, GRAPH in any case.
 */
struct fx_graphs {
	struct fx_graph **items;
	size_t count;
	size_t capacity;
};
void fx_changed_graphs_of(struct fx_graph *graph, uint32_t id,
	struct fx_graphs *ret);
void fx_changed_graphs_open(struct fx_graph *graph, size_t savepoint,
	struct fx_graphs *ret);

/* Add the nodes of GRAPH that run one of GRAPHS. */
void fx_changed_calls(struct fx_graph *graph, const struct fx_graphs *graphs,
	struct fx_bitset *ids);

/* A node's id from its low half, INDEX. */
static inline uint64_t
fx_graph_id_at(const struct fx_graph *graph, size_t index)
{
	return (uint64_t)graph->serial << 32 | index;
}

#endif /* FX_IR_CHANGED_NODES_H */
