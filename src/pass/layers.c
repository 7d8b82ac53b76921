/* layers.c - layers that a pass gives other numbers. */
#include <config.h>

#include "pass/layers.h"

#include <string.h>

#include "base/arena.h"
#include "base/blob.h"
#include "base/intern.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/module.h"

/* --- who holds what ------------------------------------------------------ */

void
fx_holders_add(struct fx_holders *holders, const struct fx_module *module)
{
	fx_map_set(&holders->counts, (uintptr_t)module,
		fx_map_get(&holders->counts, (uintptr_t)module, 0) + 1);
}

/* NODE needs every module on the way to what it names, and what is below. */
static void
hold_path(struct fx_holders *holders, const struct fx_node *node)
{
	struct fx_module *module = node->graph->module;
	struct fx_module_walk *walk;
	const char *rest = node->target;
	const char *path;

	while (module && rest) {
		const char *dot = strchr(rest, '.');
		size_t length = dot ? (size_t)(dot - rest) : strlen(rest);
		struct fx_member *member =
			fx_module_member(module, fx_intern_n(rest, length));

		module = member ? member->child : NULL;
		rest = dot ? dot + 1 : NULL;
		if (module)
			fx_holders_add(holders, module);
	}
	if (!module || !module->member_count)
		return;
	walk = fx_module_walk_new(module, true);
	(void)fx_module_walk_next(walk, &module, &path);
	while (fx_module_walk_next(walk, &module, &path))
		fx_holders_add(holders, module);
	fx_module_walk_free(walk);
}

void
fx_holders_find(struct fx_holders *holders, const struct fx_graph *graph)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (node->opcode == FX_OPCODE_CALL_MODULE ||
			node->opcode == FX_OPCODE_GET_ATTR)
			hold_path(holders, node);
}

void
fx_holders_deinit(struct fx_holders *holders)
{
	fx_map_deinit(&holders->counts);
}

bool
fx_holders_is_only(const struct fx_holders *holders,
	const struct fx_module *module)
{
	return fx_map_get(&holders->counts, (uintptr_t)module, 0) == 1;
}

/* --- edits --------------------------------------------------------------- */

struct fx_error *
fx_layer_change(struct fx_holders *holders, struct fx_node *node,
	struct fx_module *layer)
{
	struct fx_graph *graph = node->graph;
	bool is_own = fx_holders_is_only(holders,
		fx_module_find(graph->module, node->target));
	const char *path =
		is_own ? node->target : fx_layer_free_path(graph, node->target);
	struct fx_error *err = fx_edit_set_module(graph, path, layer);

	if (!err && !is_own)
		err = fx_edit_set_target(node, path);
	if (!err)
		fx_holders_add(holders, layer);
	return err;
}

struct fx_error *
fx_layer_drop(const struct fx_holders *holders, struct fx_graph *graph,
	const char *path)
{
	struct fx_module *module = fx_module_find(graph->module, path);

	return module && fx_holders_is_only(holders, module)
		       ? fx_edit_set_module(graph, path, NULL)
		       : NULL;
}

struct fx_error *
fx_layer_absorb(const struct fx_holders *holders, struct fx_node *node,
	struct fx_node *instead)
{
	const struct fx_value value = fx_value_node(instead);
	bool is_layer = node->opcode == FX_OPCODE_CALL_MODULE;
	struct fx_graph *graph = node->graph;
	const char *path = node->target;
	struct fx_error *err =
		fx_edit_replace_uses(node, &value, NULL, NULL, NULL);

	if (!err)
		err = fx_edit_erase(node);
	return err || !is_layer ? err : fx_layer_drop(holders, graph, path);
}

struct fx_value
fx_layer_with_entry(struct fx_graph *graph, const struct fx_value *config,
	const char *key, int64_t value)
{
	struct fx_value *items = FX_ARENA_ARRAY(graph->permanent,
		struct fx_value, 2 * config->count + 1);

	for (uint32_t i = 0; i < config->count; i++) {
		items[2 * i] = config->items[2 * i];
		items[2 * i + 1] =
			!strcmp(items[2 * i].text, key)
				? (struct fx_value){ .kind = FX_VALUE_INT,
					  .integer = value }
				: config->items[2 * i + 1];
	}
	return fx_value_dict(graph->permanent, items, config->count);
}

/* --- paths and tensors --------------------------------------------------- */

const char *
fx_layer_free_path(struct fx_graph *graph, const char *path)
{
	const char *found = fx_intern_format("%s_fused", path);

	for (int i = 1; fx_module_find(graph->module, found) ||
			fx_module_find_tensor(graph->module, found);
		i++)
		found = fx_intern_format("%s_fused_%d", path, i);
	return found;
}

const struct fx_tensor *
fx_layer_tensor(const struct fx_module *module, const char *name)
{
	struct fx_member *member = fx_module_member(module, fx_intern(name));

	return member ? member->tensor : NULL;
}

bool
fx_tensor_is_usable(const struct fx_tensor *tensor, enum fx_dtype dtype,
	int64_t count)
{
	uint64_t reach;

	return tensor && tensor->dtype == dtype && tensor->storage &&
	       tensor->storage->blob && fx_tensor_is_contiguous(tensor) &&
	       fx_tensor_reach(tensor, &reach) &&
	       reach <= fx_blob_size(tensor->storage->blob) &&
	       (!count || fx_tensor_numel(tensor) == count);
}
