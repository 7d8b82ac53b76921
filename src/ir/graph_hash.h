/* graph_hash.h - when are two graphs the same.
 *
 * The graph hash covers canonical nodes (with types and wrap flags), signature
 * form, module tree with the tensors' shapes and which share memory; not what
 * these hold (fx_storage_compute_digest), ids, provenance, sources, notes,
 * metadata, users' order.  The text hash covers opcode, name, target,
 * arguments and order only: what Python code keeps.
 */
#ifndef FX_IR_GRAPH_HASH_H
#define FX_IR_GRAPH_HASH_H

#include <stdbool.h>

#include "base/hash.h"
#include "ir/graph.h"

struct fx_storage;

/* Both are computed whenever they are asked for; nothing keeps them. */
struct fx_hash fx_graph_hash(const struct fx_graph *graph);
struct fx_hash fx_graph_text_hash(const struct fx_graph *graph);
/* Whether A and B, which may be null, have the same graph hash or are none. */
bool fx_graph_hash_equal(const struct fx_graph *a, const struct fx_graph *b);

/* A node's part: its contents, without the place it stands at; inputs by name.
 * Equal for nodes of different graphs that read the same.
 */
struct fx_hash fx_node_hash(const struct fx_node *node);

/* Set the digest of what STORAGE holds, once; nothing when that is not there.
 */
void fx_storage_compute_digest(struct fx_storage *storage);

/* Whether A and B, parameters or buffers, have the same metadata and hold the
 * same values, as far as values are loaded.
 */
struct fx_tensor;
bool fx_tensor_equal(const struct fx_tensor *a, const struct fx_tensor *b);

#endif /* FX_IR_GRAPH_HASH_H */
