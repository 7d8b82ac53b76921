/* written.h - which results somebody may write into.
 *
 * A result that is never written is the same number wherever it is read, so
 * that an equal one can stand for it.
 */
#ifndef FX_IR_WRITTEN_H
#define FX_IR_WRITTEN_H

#include <stdbool.h>

#include "base/map.h"

struct fx_graph;
struct fx_node;

/* Nodes whose result may lie in memory that some node writes. */
struct fx_written {
	struct fx_map nodes;
	bool parameters; /* of layers, by nodes that read them */
};

/* Of GRAPH as it is now.  fx_written_deinit releases it. */
void fx_written_find(struct fx_written *written, struct fx_graph *graph);
void fx_written_deinit(struct fx_written *written);

/* Whether NODE's result may be written, or that of an input of NODE. */
bool fx_written_touches(const struct fx_written *written,
	const struct fx_node *node);

#endif /* FX_IR_WRITTEN_H */
