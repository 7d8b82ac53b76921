/* weights.h - the storages of a graph, each once, and what a weights file calls
 * them.
 */
#ifndef FX_EMIT_WEIGHTS_H
#define FX_EMIT_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "base/map.h"

struct fx_graph;
struct fx_storage;
struct fx_tensor;

struct fx_weight {
	struct fx_storage *storage;
	const char *key; /* interned: the path of the first tensor in it */
	/* The tensor that is the whole storage, in order, and whose dtype
	 * safetensors knows; null when the storage is kept as plain bytes.
	 */
	const struct fx_tensor *whole;
};

struct fx_weights {
	struct fx_weight *items;
	size_t count;
	size_t capacity;
	struct fx_map index; /* storage -> position + 1 */
};

/* The storages below GRAPH and the graphs in it, in the order of the module
 * walk.  Borrowed from the graph.
 */
void fx_weights_collect(struct fx_weights *weights, struct fx_graph *graph);
void fx_weights_deinit(struct fx_weights *weights);

FX_DEFINE_DEINIT(weights, struct fx_weights, fx_weights_deinit);
#define FX_AUTO_WEIGHTS FX_AUTO(weights)

const struct fx_weight *fx_weights_find(const struct fx_weights *weights,
	const struct fx_storage *storage);

/* One digest of all names and bytes; each storage has its own after. */
struct fx_hash fx_weights_digest(const struct fx_weights *weights);

/* Whether the bytes of any are there, or only names and shapes. */
bool fx_weights_have_bytes(const struct fx_weights *weights);

#endif /* FX_EMIT_WEIGHTS_H */
