/* become.c - a graph is made equal to another one by edits. */
#include <config.h>

#include "ir/become.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "ir/become_private.h"
#include "ir/clone.h"
#include "ir/control.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/likeness.h"
#include "ir/module.h"

/* Modules and tensors. */

FX_NODISCARD static struct fx_error *
take_tensor(struct fx_becoming *b, const struct fx_tensor *tensor,
	const char *path)
{
	const struct fx_tensor *mine =
		fx_module_find_tensor(b->graph->module, path);

	if (mine && fx_likeness_of_tensors(mine, tensor) == FX_LIKENESS_SAME)
		return NULL;
	return fx_edit_bind_tensor(b->graph, path,
		fx_tensor_clone(b->graph, tensor, tensor->storage));
}

/* Only values differ: bind those, and leave the module. */
FX_NODISCARD static struct fx_error *
take_values(struct fx_becoming *b, struct fx_module *module, const char *path)
{
	struct fx_module_walk *walk = fx_module_walk_new(module, true);
	struct fx_error *err = NULL;
	struct fx_module *inner;
	const char *below;

	while (!err && fx_module_walk_next(walk, &inner, &below))
		for (size_t i = 0; i < inner->member_count && !err; i++) {
			const struct fx_member *m = &inner->members[i];
			const char *at = fx_module_path(below, m->name);

			if (m->tensor)
				err = take_tensor(b, m->tensor,
					fx_module_path(path, at));
		}
	fx_module_walk_free(walk);
	return err;
}

/* In COPY, which is to stand at PATH, the tensors that are there already. */
static void
keep_tensors(struct fx_becoming *b, struct fx_module *copy, const char *path)
{
	struct fx_module_walk *walk = fx_module_walk_new(copy, true);
	struct fx_module *inner;
	const char *below;

	while (fx_module_walk_next(walk, &inner, &below))
		for (size_t i = 0; i < inner->member_count; i++) {
			struct fx_member *m = &inner->members[i];
			const char *at = fx_module_path(path,
				fx_module_path(below, m->name));
			const struct fx_tensor *mine =
				fx_module_find_tensor(b->graph->module, at);

			if (m->tensor && fx_likeness_of_tensors(mine,
						 m->tensor) == FX_LIKENESS_SAME)
				m->tensor = mine;
		}
	fx_module_walk_free(walk);
}

/* Number the graphs in MODULE and in these after *HIGHEST (load/open.h). */
static void
number_graphs(struct fx_module *module, uint32_t *highest)
{
	struct fx_module_walk *walk = fx_module_walk_new(module, true);
	struct fx_module *inner;
	const char *path;

	while (fx_module_walk_next(walk, &inner, &path)) {
		if (!inner->graph)
			continue;
		inner->graph->serial =
			(inner->graph->serial & UINT16_MAX) | ++*highest << 16;
		number_graphs(inner->graph->module, highest);
	}
	fx_module_walk_free(walk);
}

static struct fx_graph *
outermost(struct fx_graph *graph)
{
	while (graph->outer)
		graph = graph->outer;
	return graph;
}

FX_NODISCARD static struct fx_error *
take_module(struct fx_becoming *b, struct fx_module *module, const char *path)
{
	struct fx_module *mine = fx_module_find(b->graph->module, path);
	struct fx_module *copy = fx_map_get_pointer(&b->modules, module);
	uint32_t highest;

	if (copy)
		return fx_edit_set_module(b->graph, path, copy);
	switch (fx_likeness_of_modules(mine, module)) {
	case FX_LIKENESS_SAME:
		fx_map_set_pointer(&b->modules, module, mine);
		return NULL;
	case FX_LIKENESS_OTHER_VALUES:
		fx_map_set_pointer(&b->modules, module, mine);
		return take_values(b, module, path);
	case FX_LIKENESS_DIFFERENT:
		break;
	}
	highest = fx_control_highest_number(outermost(b->graph));
	number_graphs(module, &highest);
	copy = fx_module_clone(b->graph, module);
	keep_tensors(b, copy, path);
	fx_map_set_pointer(&b->modules, module, copy);
	return fx_edit_set_module(b->graph, path, copy);
}

/* What NODE, of OTHER, calls or reads. */
FX_NODISCARD static struct fx_error *
take_target(struct fx_becoming *b, const struct fx_node *node)
{
	const struct fx_tensor *tensor;
	struct fx_module *module;

	if ((node->opcode != FX_OPCODE_CALL_MODULE &&
		    node->opcode != FX_OPCODE_GET_ATTR) ||
		!fx_map_set(&b->paths, (uintptr_t)node->target, 1))
		return NULL;
	module = fx_module_find(b->other->module, node->target);
	if (module && fx_module_find(b->graph->module, node->target) == NULL &&
		fx_module_find_tensor(b->graph->module, node->target))
		return fx_error_new(FX_ERR_NO_MODULE,
			"\"%s\" was a tensor and became a module",
			node->target);
	if (module)
		return take_module(b, module, node->target);
	tensor = fx_module_find_tensor(b->other->module, node->target);
	return tensor ? take_tensor(b, tensor, node->target) : NULL;
}

/* Nodes. */

/* A copy of OTHER, a node of the other graph, after LAST. */
FX_NODISCARD static struct fx_error *
create(struct fx_becoming *b, const struct fx_node *other, struct fx_node *last,
	struct fx_node **ret)
{
	struct fx_node_spec spec = {
		.opcode = (enum fx_opcode)other->opcode,
		.target = other->target,
		.name = other->name,
		.args = fx_graph_import(b->graph, &other->args, &b->nodes),
		.kwargs = fx_graph_import(b->graph, &other->kwargs, &b->nodes),
		.type = other->type,
		.is_wrapped = other->is_wrapped,
		.scope = fx_graph_import_scope(b->graph, other->scope),
		.meta = other->meta,
	};
	struct fx_node *before =
		last ? fx_graph_next(last) : fx_graph_first(b->graph);

	spec.name_is_exact = !fx_graph_find(b->graph, other->name);
	if (other->source)
		spec.source = fx_graph_source(b->graph, other->source->frames,
			other->source->count);
	return fx_edit_create(b->graph, &spec, before, ret);
}

/* NODE becomes what OTHER is. */
FX_NODISCARD static struct fx_error *
change(struct fx_becoming *b, struct fx_node *node, const struct fx_node *other)
{
	struct fx_value args = { .kind = FX_VALUE_NONE };
	struct fx_value kwargs;
	struct fx_error *err = NULL;

	if (node->opcode != other->opcode || node->target != other->target)
		err = fx_edit_set_opcode(node, (enum fx_opcode)other->opcode,
			other->target);
	if (!err && other->type && other->type != node->type)
		err = fx_edit_set_type(node, other->type);
	if (err)
		return err;
	args = fx_graph_import(b->graph, &other->args, &b->nodes);
	kwargs = fx_graph_import(b->graph, &other->kwargs, &b->nodes);
	if (fx_value_equal(&args, &node->args) &&
		fx_value_equal(&kwargs, &node->kwargs))
		return NULL;
	return fx_edit_set_args(node, args, kwargs);
}

FX_NODISCARD static struct fx_error *
move_after(struct fx_node *node, struct fx_node *last)
{
	struct fx_node *before =
		last ? fx_graph_next(last) : fx_graph_first(node->graph);

	return before == node ? NULL : fx_edit_move(node, before);
}

/* --- rows of what differs ------------------------------------------------ */

/* The node of GRAPH that ROW leaves in its place, or NULL: it is not there, or
 * not there yet.
 */
static struct fx_node *
settled(const struct fx_becoming *b, size_t row)
{
	const struct fx_change *change = &b->rows[row];
	bool waits = change->has_moved || change->kind == FX_CHANGE_ADDED;

	if (change->kind == FX_CHANGE_REMOVED || (waits && !b->is_made[row]))
		return NULL;
	return fx_map_get_pointer(&b->nodes, change->after);
}

/* What the node of ROW stands after, or NULL: it is the first. */
static struct fx_node *
place_of(const struct fx_becoming *b, size_t row)
{
	while (row-- > 0) {
		struct fx_node *node = settled(b, row);

		if (node)
			return node;
	}
	return NULL;
}

FX_NODISCARD static struct fx_error *
take_row(struct fx_becoming *b, size_t index)
{
	const struct fx_change *row = &b->rows[index];
	struct fx_node *node = row->before;
	struct fx_error *err = NULL;

	if (row->kind == FX_CHANGE_ADDED)
		err = create(b, row->after, place_of(b, index), &node);
	else if (row->has_moved)
		err = move_after(node, place_of(b, index));
	if (err)
		return err;
	fx_map_set_pointer(&b->nodes, row->after, node);
	b->is_made[index] = true;
	return row->kind == FX_CHANGE_CHANGED ? change(b, node, row->after)
					      : NULL;
}

static bool
is_renamed(const struct fx_becoming *b, const struct fx_change *row)
{
	return row->before && row->after &&
	       row->before->name != row->after->name &&
	       !fx_graph_find(b->graph, row->after->name);
}

/* Names that are free, and those that become so. */
FX_NODISCARD static struct fx_error *
take_names(struct fx_becoming *b, const size_t *rows, size_t count)
{
	struct fx_error *err = NULL;
	bool goes_on;

	do {
		goes_on = false;
		for (size_t i = 0; i < count && !err; i++) {
			const struct fx_change *row = &b->rows[rows[i]];

			if (!is_renamed(b, row))
				continue;
			err = fx_edit_set_name(row->before, row->after->name);
			goes_on = true;
		}
	} while (goes_on && !err);
	return err;
}

/* ROWS, in order: others may have been taken before. */
FX_NODISCARD static struct fx_error *
take_rows(struct fx_becoming *b, const size_t *rows, size_t count)
{
	struct fx_error *err;

	fx_edit_relax(b->graph);
	err = take_names(b, rows, count);
	for (size_t i = 0; i < count && !err; i++)
		if (b->rows[rows[i]].after)
			err = take_target(b, b->rows[rows[i]].after);
	for (size_t i = 0; i < count && !err; i++)
		if (b->rows[rows[i]].kind != FX_CHANGE_REMOVED)
			err = take_row(b, rows[i]);
	for (size_t i = count; i-- > 0 && !err;)
		if (b->rows[rows[i]].kind == FX_CHANGE_REMOVED)
			err = fx_edit_erase(b->rows[rows[i]].before);
	return err;
}

/* GRAPH is as it was. */
static void
begin(struct fx_becoming *b)
{
	fx_map_clear(&b->nodes);
	fx_map_clear(&b->modules);
	fx_map_clear(&b->paths);
	memset(b->is_made, 0, b->count * sizeof(*b->is_made));
	for (size_t i = 0; i < b->count; i++)
		if (b->rows[i].before && b->rows[i].after)
			fx_map_set_pointer(&b->nodes, b->rows[i].after,
				b->rows[i].before);
	b->has_begun = true;
}

/* The node of B's other graph that NODE becomes, or NULL.  A name that is there
 * already was given before.
 */
static struct fx_node *
mate_of(const struct fx_becoming *b, const struct fx_map *renamed,
	const struct fx_node *node)
{
	const char *to =
		renamed ? fx_map_get_pointer(renamed, node->name) : NULL;

	if (to && (!fx_graph_find(b->graph, to) ||
			  fx_map_has(renamed, (uintptr_t)to)))
		return fx_graph_find(b->other, to);
	return fx_graph_find(b->other, node->name);
}

static void
pair(struct fx_becoming *b, const struct fx_map *renamed)
{
	FX_AUTO_MAP struct fx_map mates = { .slots = NULL };
	struct fx_pairs *ret = &b->pairs;
	struct fx_node *node;
	size_t at = 0;

	ret->graphs[0] = b->graph;
	ret->graphs[1] = b->other;
	for (int i = 0; i < 2; i++) {
		ret->counts[i] = ret->graphs[i]->node_count;
		ret->mates[i] = fx_xcalloc(ret->counts[i] + 1,
			sizeof(struct fx_node *));
	}
	fx_graph_for_each_node (node, b->graph) {
		struct fx_node *mate = mate_of(b, renamed, node);

		if (mate && fx_map_set_pointer(&mates, mate, node))
			ret->mates[0][at] = mate;
		at++;
	}
	at = 0;
	fx_graph_for_each_node (node, b->other)
		ret->mates[1][at++] = fx_map_get_pointer(&mates, node);
}

struct fx_becoming *
fx_becoming_new(struct fx_graph *graph, struct fx_graph *other,
	const struct fx_map *renamed)
{
	struct fx_becoming *b = FX_NEW(struct fx_becoming);

	b->graph = graph;
	b->other = other;
	pair(b, renamed);
	fx_graph_diff(&b->pairs, &b->rows, &b->count);
	b->is_made = fx_xcalloc(b->count + 1, sizeof(*b->is_made));
	return b;
}

void
fx_becoming_free(struct fx_becoming *b)
{
	if (!b)
		return;
	fx_map_deinit(&b->nodes);
	fx_map_deinit(&b->modules);
	fx_map_deinit(&b->paths);
	fx_pairs_deinit(&b->pairs);
	free(b->rows);
	free(b->is_made);
	free(b->groups);
	free(b->sorted);
	free(b->begins);
	free(b);
}

struct fx_error *
fx_graph_become(struct fx_graph *graph, struct fx_graph *other,
	const struct fx_map *renamed)
{
	struct fx_becoming *b = fx_becoming_new(graph, other, renamed);
	FX_AUTO_FREE size_t *all = fx_xcalloc(b->count + 1, sizeof(*all));
	struct fx_error *err;

	for (size_t i = 0; i < b->count; i++)
		all[i] = i;
	begin(b);
	err = take_rows(b, all, b->count);
	fx_becoming_free(b);
	return err;
}

struct fx_error *
fx_becoming_add(struct fx_becoming *b, size_t group)
{
	(void)fx_becoming_divide(b);
	if (!b->has_begun)
		begin(b);
	return take_rows(b, b->sorted + b->begins[group],
		b->begins[group + 1] - b->begins[group]);
}

struct fx_error *
fx_becoming_make(struct fx_becoming *b, size_t first, size_t end)
{
	struct fx_error *err = NULL;

	begin(b);
	for (size_t i = first; i < end && !err; i++)
		err = fx_becoming_add(b, i);
	return err;
}
