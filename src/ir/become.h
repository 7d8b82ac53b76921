/* become.h - a graph is made equal to another one by edits.
 *
 * Nodes of one name are the same node, which keeps its id and whatever refers
 * to it; modules and tensors are compared by their paths, with their values.
 */
#ifndef FX_IR_BECOME_H
#define FX_IR_BECOME_H

#include "base/error.h"

struct fx_graph;

/* Inside the open transaction of GRAPH: edits after which it has the nodes of
 * OTHER in their order, and at the paths that these name the modules and
 * tensors of OTHER.  What stands at other paths stays; so do
 * annotations of nodes that OTHER does not annotate.  Fails as the edits do;
 * the caller takes the transaction back then.
 */
FX_NODISCARD struct fx_error *fx_graph_become(struct fx_graph *graph,
	struct fx_graph *other);

#endif /* FX_IR_BECOME_H */
