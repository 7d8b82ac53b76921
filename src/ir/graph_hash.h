/* graph_hash.h - when are two graphs the same.
 *
 * The graph hash covers canonical nodes (with types and wrap flags), signature
 * form, module tree, tensor digests; not ids, provenance, sources, notes,
 * metadata, users' order.  The text hash covers opcode, name, target,
 * arguments and order only: what Python code keeps.
 */
#ifndef FX_IR_GRAPH_HASH_H
#define FX_IR_GRAPH_HASH_H

#include "base/hash.h"
#include "ir/graph.h"

struct fx_hash fx_graph_hash(struct fx_graph *graph);
struct fx_hash fx_graph_text_hash(const struct fx_graph *graph);

#endif /* FX_IR_GRAPH_HASH_H */
