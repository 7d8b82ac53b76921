/* weights.c - the storages of a graph, each once. */
#include <config.h>

#include "emit/weights.h"

#include "base/blob.h"
#include "base/intern.h"
#include "base/vec.h"
#include "emit/jsonl.h"
#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "ir/module.h"

struct collector {
	struct fx_weights *weights;
	struct fx_map keys; /* interned keys that are taken */
	int depth;
};

static bool
is_whole(const struct fx_tensor *t)
{
	const struct fx_dtype_info *info = fx_dtype_info(t->dtype);

	return *info->safetensors && t->offset == 0 && t->storage->blob &&
	       fx_tensor_is_contiguous(t) &&
	       (uint64_t)fx_tensor_numel(t) * info->size ==
		       fx_blob_size(t->storage->blob);
}

/* PATH (interned), or with a number when something else is called so already.
 */
static const char *
free_key(struct collector *c, const char *path)
{
	const char *key = path;

	for (int i = 2; !fx_map_set(&c->keys, (uintptr_t)key, 1); i++)
		key = fx_intern_format("%s#%d", path, i);
	return key;
}

static void
add_tensor(struct collector *c, const struct fx_tensor *tensor,
	const char *module_path, const char *name)
{
	struct fx_weights *weights = c->weights;
	struct fx_weight weight = { .storage = tensor->storage };

	fx_map_set(&weights->index, (uintptr_t)tensor->storage,
		weights->count + 1);
	weight.key = free_key(c, fx_module_path(module_path, name));
	weight.whole = is_whole(tensor) ? tensor : NULL;
	fx_vec_push(weights, weight);
}

/* Of GRAPH, nested at OUTER or "". */
static void
collect(struct collector *c, struct fx_graph *graph, const char *outer)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module *module;
	const char *path;

	c->depth++;
	while (fx_module_walk_next(walk, &module, &path)) {
		if (*outer)
			path = *path ? fx_module_path(outer, path) : outer;
		for (size_t i = 0; i < module->member_count; i++) {
			const struct fx_tensor *t = module->members[i].tensor;

			if (t && t->storage &&
				!fx_map_has(&c->weights->index,
					(uintptr_t)t->storage))
				add_tensor(c, t, path, module->members[i].name);
		}
		if (module->graph && module->graph != graph &&
			c->depth < FX_FXG_GRAPH_LIMIT)
			collect(c, module->graph, path);
	}
	fx_module_walk_free(walk);
	c->depth--;
}

void
fx_weights_collect(struct fx_weights *weights, struct fx_graph *graph)
{
	struct collector c = { .weights = weights };

	collect(&c, graph, "");
	fx_map_deinit(&c.keys);
}

void
fx_weights_deinit(struct fx_weights *weights)
{
	fx_vec_deinit(weights);
	fx_map_deinit(&weights->index);
}

const struct fx_weight *
fx_weights_find(const struct fx_weights *weights,
	const struct fx_storage *storage)
{
	size_t at = fx_map_get(&weights->index, (uintptr_t)storage, 0);

	return at ? &weights->items[at - 1] : NULL;
}

bool
fx_weights_have_bytes(const struct fx_weights *weights)
{
	for (size_t i = 0; i < weights->count; i++)
		if (weights->items[i].storage->blob)
			return true;
	return false;
}

struct fx_hash
fx_weights_digest(const struct fx_weights *weights)
{
	struct fx_hasher *hasher = fx_hasher_new();

	for (size_t i = 0; i < weights->count; i++) {
		const struct fx_weight *weight = &weights->items[i];
		char text[33];

		if (!weight->storage->blob)
			continue;
		fx_storage_compute_digest(weight->storage);
		fx_hasher_add_text(hasher, weight->key);
		fx_hasher_add_text(hasher,
			weight->whole
				? fx_dtype_info(weight->whole->dtype)->name
				: "");
		fx_hash_text(weight->storage->digest, text);
		fx_hasher_add_text(hasher, text);
	}
	return fx_hasher_free(hasher);
}
