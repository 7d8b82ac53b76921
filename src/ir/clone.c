/* clone.c - copies of graphs, modules and values. */
#include <config.h>

#include "ir/clone.h"

#include <string.h>

#include "base/arena.h"
#include "base/buf.h"
#include "ir/decided.h"
#include "ir/graph_private.h"
#include "ir/module.h"
#include "ir/note.h"
#include "ir/value_walk.h"

/* What is met while copying modules: each distinct one is copied once, so that
 * shared modules and tied tensors stay shared.
 */
struct copying {
	struct fx_graph *graph;
	struct fx_map modules;
	struct fx_map tensors;
	struct fx_map shared; /* copies that have what they share */
};

static const struct fx_tensor *
clone_tensor(struct copying *c, const struct fx_tensor *tensor)
{
	struct fx_tensor *copy = fx_map_get_pointer(&c->tensors, tensor);

	if (copy || !tensor)
		return copy;
	copy = fx_tensor_clone(c->graph, tensor, tensor->storage);
	fx_map_set_pointer(&c->tensors, tensor, copy);
	return copy;
}

/* For the copy of INNER, a graph within the one copied: its number among such
 * graphs stands in the high half (load/open.h), so that ids differ.
 */
static uint32_t
inner_serial(const struct copying *c, const struct fx_graph *inner)
{
	return (c->graph->serial & UINT16_MAX) |
	       (inner->serial & ~(uint32_t)UINT16_MAX);
}

/* MODULE's own fields; its members follow when all modules exist. */
static void
copy_fields(struct copying *c, struct fx_module *copy,
	const struct fx_module *module)
{
	copy->class_name = module->class_name;
	copy->config = fx_value_clone(c->graph->permanent, &module->config);
	copy->training = module->training;
	copy->is_leaf = module->is_leaf;
	copy->own_code = module->own_code;
	if (module->graph)
		copy->graph = fx_graph_clone(module->graph,
			inner_serial(c, module->graph), NULL);
}

static void
copy_members(struct copying *c, struct fx_module *copy,
	const struct fx_module *module)
{
	for (size_t i = 0; i < module->member_count; i++) {
		struct fx_member member = module->members[i];

		if (member.child)
			member.child =
				fx_map_get_pointer(&c->modules, member.child);
		member.tensor = clone_tensor(c, member.tensor);
		fx_module_insert_member(copy, i, &member);
	}
}

/* What COPY, the copy of MODULE in a nested graph, has of modules of the tree
 * that is copied are the very same (ir/part.h).
 */
static void
share_modules(struct copying *c, struct fx_module *copy,
	const struct fx_module *module)
{
	if (!fx_map_set(&c->shared, (uintptr_t)copy, 1))
		return;
	for (size_t i = 0; i < module->member_count; i++) {
		const struct fx_member *member = &module->members[i];
		struct fx_module *mine = copy->members[i].child;
		struct fx_module *same;

		if (!member->child)
			continue;
		same = fx_map_get_pointer(&c->modules, member->child);
		if (same && same != mine)
			fx_module_add_child(copy, member->name, same);
		else if (!same)
			share_modules(c, mine, member->child);
	}
	if (module->graph)
		share_modules(c, copy->graph->module, module->graph->module);
}

/* Copy MODULE and all below it into ROOT, a new module. */
static void
clone_tree(struct copying *c, struct fx_module *root,
	const struct fx_module *module)
{
	struct fx_module *old = (struct fx_module *)module;
	struct fx_module_walk *walk = fx_module_walk_new(old, true);
	struct fx_module *at;
	const char *path;

	while (fx_module_walk_next(walk, &at, &path)) {
		struct fx_module *copy = root;

		if (at != module)
			copy = fx_module_new(c->graph, at->class_name);
		copy_fields(c, copy, at);
		fx_map_set_pointer(&c->modules, at, copy);
	}
	fx_module_walk_free(walk);
	walk = fx_module_walk_new(old, true);
	while (fx_module_walk_next(walk, &at, &path)) {
		struct fx_module *copy = fx_map_get_pointer(&c->modules, at);

		copy_members(c, copy, at);
		if (at->graph)
			share_modules(c, copy->graph->module,
				at->graph->module);
	}
	fx_module_walk_free(walk);
	fx_map_deinit(&c->modules);
	fx_map_deinit(&c->tensors);
	fx_map_deinit(&c->shared);
}

struct fx_module *
fx_module_clone(struct fx_graph *graph, const struct fx_module *module)
{
	struct copying c = { .graph = graph };
	struct fx_module *root = fx_module_new(graph, module->class_name);

	clone_tree(&c, root, module);
	return root;
}

/* Let the nodes in VALUE, a copy that nobody else has yet, be those of MAP. */
static void
lead_to_copies(struct fx_value *value, const struct fx_map *map)
{
	size_t count = fx_value_item_count(value);
	struct fx_value *items = (struct fx_value *)value->items;
	struct fx_node *node;

	for (size_t i = 0; i < count; i++)
		lead_to_copies(&items[i], map);
	if (value->kind != FX_VALUE_NODE)
		return;
	node = fx_map_get_pointer(map, value->node);
	*value = node ? fx_value_node(node) : fx_value_none();
}

struct fx_value
fx_graph_import(struct fx_graph *graph, const struct fx_value *value,
	const struct fx_map *map)
{
	struct fx_value copy = fx_value_clone(graph->values, value);

	lead_to_copies(&copy, map);
	return copy;
}

/* All names are taken in COPY too, by nobody yet. */
static void
copy_names(struct fx_names *copy, const struct fx_names *names)
{
	fx_map_copy(&copy->taken, &names->taken);
	for (size_t i = 0; i < copy->taken.capacity; i++)
		if (copy->taken.slots[2 * i])
			copy->taken.slots[2 * i + 1] = 1;
	fx_map_copy(&copy->hints, &names->hints);
}

const struct fx_scope *
fx_graph_import_scope(struct fx_graph *graph, const struct fx_scope *scope)
{
	const struct fx_scope *parent;

	if (!scope)
		return NULL;
	parent = fx_graph_import_scope(graph, scope->parent);
	return fx_graph_scope(graph, parent, scope->path, scope->class_name);
}

struct fx_node_spec
fx_graph_import_node(struct fx_graph *graph, const struct fx_node *node,
	const struct fx_map *map)
{
	struct fx_node_spec spec = { .opcode = (enum fx_opcode)node->opcode,
		.target = node->target,
		.args = fx_graph_import(graph, &node->args, map),
		.kwargs = fx_graph_import(graph, &node->kwargs, map),
		.type = node->type,
		.is_wrapped = node->is_wrapped,
		.scope = fx_graph_import_scope(graph, node->scope),
		.meta = node->meta };

	if (node->source)
		spec.source = fx_graph_source(graph, node->source->frames,
			node->source->count);
	return spec;
}

static struct fx_node *
copy_node(struct fx_graph *graph, const struct fx_node *node,
	const struct fx_map *map)
{
	FX_AUTO_BUF struct fx_buf derived = { 0 };
	struct fx_node_spec spec = fx_graph_import_node(graph, node, map);
	struct fx_node *copy;
	const char *key;
	const char *text;

	copy = fx_graph_make_node(graph, &spec, node->name);
	fx_graph_link(graph, copy, graph->root.previous);
	fx_graph_own_name(graph, copy->name, copy);
	for (size_t i = 0; fx_graph_note_at(node, i, &key, &text); i++)
		fx_graph_set_note(copy, key, text);
	fx_graph_print_derived(node, &derived);
	if (derived.length)
		fx_graph_set_note(copy, FX_NOTE_DERIVED, fx_buf_text(&derived));
	return copy;
}

/* The edge of the copy of USE's user that is USE's. */
static struct fx_use *
copied_use(const struct fx_use *use, const struct fx_map *map)
{
	struct fx_node *user = fx_map_get_pointer(map, use->user);

	return &user->uses[use - use->user->uses];
}

/* The users of COPY, in NODE's order. */
static void
copy_users(struct fx_node *copy, const struct fx_node *node,
	const struct fx_map *map)
{
	struct fx_use *last = NULL;
	struct fx_use *use;

	fx_node_for_each_user (use, node) {
		struct fx_use *mine = copied_use(use, map);

		mine->previous = last;
		mine->next = NULL;
		if (last)
			last->next = mine;
		else
			copy->first_user = mine;
		last = mine;
	}
	copy->last_user = last;
	copy->user_count = node->user_count;
}

static const struct fx_pytree *
copy_pytree(struct fx_graph *graph, const struct fx_pytree *pytree)
{
	struct fx_pytree *copy;
	const char **inputs;

	if (!pytree)
		return NULL;
	copy = FX_ARENA_NEW(graph->permanent, struct fx_pytree);
	*copy = *pytree;
	inputs = FX_ARENA_ARRAY(graph->permanent, const char *,
		pytree->input_count);
	for (size_t i = 0; i < pytree->input_count; i++)
		inputs[i] = pytree->inputs[i];
	copy->inputs = inputs;
	if (pytree->in_text)
		copy->in_text = fx_arena_strndup(graph->permanent,
			pytree->in_text, strlen(pytree->in_text));
	return copy;
}

struct fx_graph *
fx_graph_clone(const struct fx_graph *graph, uint32_t serial,
	struct fx_map *map)
{
	FX_AUTO_MAP struct fx_map own = { 0 };
	struct fx_graph *copy = fx_graph_new(serial);
	struct copying c = { .graph = copy };
	struct fx_node *node;

	if (!map)
		map = &own;
	copy->name = graph->name;
	copy->class_name = graph->class_name;
	fx_graph_set_dialect(copy, graph->dialect);
	copy->origin = graph->origin;
	copy->pytree = copy_pytree(copy, graph->pytree);
	copy->private_->is_bare = graph->private_->is_bare;
	clone_tree(&c, copy->module, graph->module);
	copy_names(&copy->names, &graph->names);
	fx_graph_for_each_node (node, graph)
		fx_map_set_pointer(map, node, copy_node(copy, node, map));
	fx_graph_for_each_node (node, graph)
		copy_users(fx_map_get_pointer(map, node), node, map);
	fx_graph_copy_decided(copy, graph);
	return copy;
}
