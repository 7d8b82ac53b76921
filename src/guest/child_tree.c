/* child_tree.c - what the process that traced a graph still agrees with. */
#include <config.h>

#include "guest/child_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "load/safetensors.h"

/* Graphs within graphs deeper than this were not captured. */
#define DEPTH_LIMIT 50

struct fx_child_tree {
	struct fx_map modules;   /* module -> hash of its own state */
	struct fx_map paths;     /* module -> interned path */
	struct fx_map tensors;   /* tensor -> interned path */
	struct fx_map module_at; /* interned path -> module */
	struct fx_map tensor_at; /* interned path -> tensor */
};

/* Return a hash of MODULE's class, mode and configuration, which leaves out
 * what its members hold.  The hash is never 0.
 */
static uintptr_t
state_of(const struct fx_module *module)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	fx_buf_addf(&text, "%s %d %zu ", module->class_name, module->training,
		module->member_count);
	fx_value_print_as(&text, &module->config, FX_STYLE_EXACT);
	return (uintptr_t)fx_hash_quick(fx_buf_text(&text), text.length) | 1;
}

static void
note_module(struct fx_child_tree *tree, struct fx_module *module,
	const char *path)
{
	fx_map_set(&tree->modules, (uintptr_t)module, state_of(module));
	fx_map_set_pointer(&tree->paths, module, path);
	fx_map_set_pointer(&tree->module_at, path, module);
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_member *member = &module->members[i];

		const char *whole = fx_module_path(path, member->name);

		if (!member->tensor)
			continue;
		fx_map_set_pointer(&tree->tensors, member->tensor, whole);
		fx_map_set_pointer(&tree->tensor_at, whole, member->tensor);
	}
}

/* Note the modules of GRAPH, which is that of the module at PREFIX, and of the
 * graphs within it, which are DEPTH graphs deep.
 */
static void
note_graph(struct fx_child_tree *tree, const struct fx_graph *graph,
	const char *prefix, int depth)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path)) {
		const char *whole = *path ? fx_module_path(prefix, path)
					  : fx_intern(prefix);

		note_module(tree, module, whole);
		if (module->graph && depth < DEPTH_LIMIT)
			note_graph(tree, module->graph, whole, depth + 1);
	}
	fx_module_walk_free(walk);
}

struct fx_child_tree *
fx_child_tree_new(const struct fx_graph *graph)
{
	struct fx_child_tree *tree = FX_NEW(struct fx_child_tree);

	note_graph(tree, graph, "", 0);
	return tree;
}

/* Note COPY, the clone of MODULE, as FROM has that. */
static void
note_copy(struct fx_child_tree *tree, const struct fx_child_tree *from,
	const struct fx_module *module, struct fx_module *copy)
{
	const char *path = fx_child_tree_current_path(from, module);

	if (path) {
		fx_map_set(&tree->modules, (uintptr_t)copy, state_of(copy));
		fx_map_set_pointer(&tree->paths, copy, path);
		fx_map_set_pointer(&tree->module_at, path, copy);
	}
	for (size_t i = 0; i < copy->member_count; i++) {
		const struct fx_tensor *tensor = copy->members[i].tensor;
		const char *whole =
			fx_child_tree_path(from, module->members[i].tensor);

		if (!tensor || !whole)
			continue;
		fx_map_set_pointer(&tree->tensors, tensor, whole);
		fx_map_set_pointer(&tree->tensor_at, whole, (void *)tensor);
	}
}

static void
note_copies(struct fx_child_tree *tree, const struct fx_child_tree *from,
	const struct fx_graph *graph, const struct fx_graph *copy, int depth)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	struct fx_module_walk *other = fx_module_walk_new(copy->module, true);
	struct fx_module *module, *clone;
	const char *path;

	while (fx_module_walk_next(walk, &module, &path) &&
		fx_module_walk_next(other, &clone, &path)) {
		note_copy(tree, from, module, clone);
		if (module->graph && clone->graph && depth < DEPTH_LIMIT)
			note_copies(tree, from, module->graph, clone->graph,
				depth + 1);
	}
	fx_module_walk_free(walk);
	fx_module_walk_free(other);
}

struct fx_child_tree *
fx_child_tree_copy(const struct fx_child_tree *tree,
	const struct fx_graph *graph, const struct fx_graph *copy)
{
	struct fx_child_tree *ret = FX_NEW(struct fx_child_tree);

	note_copies(ret, tree, graph, copy, 0);
	return ret;
}

void
fx_child_tree_free(struct fx_child_tree *tree)
{
	if (!tree)
		return;
	fx_map_deinit(&tree->modules);
	fx_map_deinit(&tree->paths);
	fx_map_deinit(&tree->tensors);
	fx_map_deinit(&tree->module_at);
	fx_map_deinit(&tree->tensor_at);
	free(tree);
}

static bool
is_as_captured(const struct fx_child_tree *tree, struct fx_module *module)
{
	uintptr_t state = fx_map_get(&tree->modules, (uintptr_t)module, 0);

	if (!state || state != state_of(module))
		return false;
	for (size_t i = 0; i < module->member_count; i++)
		if (module->members[i].tensor &&
			!fx_map_has(&tree->tensors,
				(uintptr_t)module->members[i].tensor))
			return false;
	return true;
}

bool
fx_child_tree_has(const struct fx_child_tree *tree,
	const struct fx_module *module)
{
	struct fx_module_walk *walk =
		fx_module_walk_new((struct fx_module *)module, true);
	struct fx_module *inner;
	const char *path;
	bool answer = true;

	while (answer && fx_module_walk_next(walk, &inner, &path))
		answer = is_as_captured(tree, inner);
	fx_module_walk_free(walk);
	return answer;
}

static bool
are_same(const int64_t *a, const int64_t *b, size_t count)
{
	return a == b || (a && b && !memcmp(a, b, count * sizeof(*a)));
}

/* Whether COPY has the bytes of the tensor that was captured. */
static bool
is_copy_of_tensor(const struct fx_tensor *captured,
	const struct fx_tensor *copy)
{
	return captured && captured->storage &&
	       captured->storage == copy->storage &&
	       captured->offset == copy->offset &&
	       captured->dtype == copy->dtype && captured->rank == copy->rank &&
	       !copy->is_buffer &&
	       are_same(captured->sizes, copy->sizes, copy->rank) &&
	       are_same(captured->strides, copy->strides, copy->rank);
}

static bool
is_copy_of_module(const struct fx_child_tree *tree, const char *path,
	const struct fx_module *copy)
{
	const struct fx_module *captured =
		fx_map_get_pointer(&tree->module_at, path);

	if (!captured || fx_map_get(&tree->modules, (uintptr_t)captured, 0) !=
				 state_of(copy))
		return false;
	for (size_t i = 0; i < copy->member_count; i++) {
		const struct fx_member *member = &copy->members[i];

		if (member->tensor &&
			!is_copy_of_tensor(fx_map_get_pointer(&tree->tensor_at,
						   fx_module_path(path,
							   member->name)),
				member->tensor))
			return false;
	}
	return true;
}

bool
fx_child_tree_has_like(const struct fx_child_tree *tree,
	const struct fx_module *module, const char *path)
{
	struct fx_module_walk *walk =
		fx_module_walk_new((struct fx_module *)module, true);
	struct fx_module *inner;
	const char *below;
	bool answer = true;

	while (answer && fx_module_walk_next(walk, &inner, &below))
		answer = is_copy_of_module(tree,
			*below ? fx_module_path(path, below) : fx_intern(path),
			inner);
	fx_module_walk_free(walk);
	return answer;
}

const char *
fx_child_tree_module_path(const struct fx_child_tree *tree,
	const struct fx_module *module)
{
	return fx_map_get_pointer(&tree->paths, module);
}

const char *
fx_child_tree_current_path(const struct fx_child_tree *tree,
	const struct fx_module *module)
{
	uintptr_t state = fx_map_get(&tree->modules, (uintptr_t)module, 0);

	return state && state == state_of(module)
		       ? fx_child_tree_module_path(tree, module)
		       : NULL;
}

const char *
fx_child_tree_path(const struct fx_child_tree *tree,
	const struct fx_tensor *tensor)
{
	return fx_map_get_pointer(&tree->tensors, tensor);
}

/* Give the storage of TENSOR the bytes that FILE has of PATH. */
static void
attach(const struct fx_safetensors *file, const struct fx_tensor *tensor,
	const char *path)
{
	const struct fx_safetensors_entry *entry =
		fx_safetensors_find(file, path);

	if (entry && tensor->storage && !tensor->storage->blob)
		tensor->storage->blob = fx_safetensors_blob(file, entry);
}

void
fx_child_tree_attach(const struct fx_child_tree *tree,
	const struct fx_safetensors *file)
{
	size_t at = 0;
	uintptr_t tensor;
	uintptr_t path;

	while (fx_map_next(&tree->tensors, &at, &tensor, &path))
		attach(file, (const struct fx_tensor *)tensor,
			(const char *)path);
}
