/* become.c - a graph is made equal to another one by edits. */
#include <config.h>

#include "ir/become.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/clone.h"
#include "ir/control.h"
#include "ir/diff.h"
#include "ir/edit.h"
#include "ir/graph.h"
#include "ir/likeness.h"
#include "ir/module.h"
#include "ir/pair.h"

/* Nodes of a group that are named. */
#define PRINTED_NODES 6

struct fx_becoming {
	struct fx_graph *graph;
	struct fx_graph *other;
	struct fx_map nodes;   /* of OTHER -> of GRAPH */
	struct fx_map modules; /* of OTHER -> the copy in GRAPH */
	struct fx_map paths;   /* that were seen */
	struct fx_pairs pairs;
	struct fx_change *rows;
	size_t count;
	/* By row: the number of its group; NO_GROUP: nothing changes there.
	 * NULL: not divided yet.
	 */
	size_t *groups;
	size_t group_count;
};

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

#define NO_GROUP SIZE_MAX

/* Groups from FIRST to before END are made. */
struct range {
	size_t first;
	size_t end;
};

static bool
is_in(const struct fx_becoming *b, size_t row, struct range range)
{
	size_t group = b->groups ? b->groups[row] : 0;

	return !b->groups || (group >= range.first && group < range.end);
}

/* Row INDEX; *LAST is the node that the new one stands after. */
FX_NODISCARD static struct fx_error *
take_row(struct fx_becoming *b, size_t index, struct range range,
	struct fx_node **last)
{
	const struct fx_change *row = &b->rows[index];
	struct fx_node *node = row->before;
	bool is_wanted = is_in(b, index, range);
	struct fx_error *err = NULL;

	if (row->kind == FX_CHANGE_ADDED && !is_wanted)
		return NULL;
	if (row->kind == FX_CHANGE_ADDED)
		err = create(b, row->after, *last, &node);
	else if (row->has_moved && is_wanted)
		err = move_after(node, *last);
	if (err)
		return err;
	fx_map_set_pointer(&b->nodes, row->after, node);
	if (!row->has_moved || is_wanted)
		*last = node;
	return row->kind == FX_CHANGE_CHANGED && is_wanted
		       ? change(b, node, row->after)
		       : NULL;
}

FX_NODISCARD static struct fx_error *
take_rows(struct fx_becoming *b, struct range range)
{
	struct fx_node *last = NULL;
	struct fx_error *err = NULL;

	for (size_t i = 0; i < b->count && !err; i++)
		if (b->rows[i].after && is_in(b, i, range))
			err = take_target(b, b->rows[i].after);
	for (size_t i = 0; i < b->count && !err; i++)
		if (b->rows[i].kind != FX_CHANGE_REMOVED)
			err = take_row(b, i, range, &last);
	for (size_t i = b->count; i-- > 0 && !err;)
		if (b->rows[i].kind == FX_CHANGE_REMOVED && is_in(b, i, range))
			err = fx_edit_erase(b->rows[i].before);
	return err;
}

static struct fx_error *
make(struct fx_becoming *b, struct range range)
{
	fx_edit_relax(b->graph);
	fx_map_clear(&b->nodes);
	fx_map_clear(&b->modules);
	fx_map_clear(&b->paths);
	return take_rows(b, range);
}

/* By name. */
static void
pair(struct fx_graph *graph, struct fx_graph *other, struct fx_pairs *ret)
{
	struct fx_graph *graphs[2] = { graph, other };

	for (int i = 0; i < 2; i++) {
		struct fx_node *node;
		size_t at = 0;

		ret->graphs[i] = graphs[i];
		ret->counts[i] = graphs[i]->node_count;
		ret->mates[i] = fx_xcalloc(graphs[i]->node_count + 1,
			sizeof(struct fx_node *));
		fx_graph_for_each_node (node, graphs[i])
			ret->mates[i][at++] =
				fx_graph_find(graphs[1 - i], node->name);
	}
}

struct fx_becoming *
fx_becoming_new(struct fx_graph *graph, struct fx_graph *other)
{
	struct fx_becoming *b = FX_NEW(struct fx_becoming);

	b->graph = graph;
	b->other = other;
	pair(graph, other, &b->pairs);
	fx_graph_diff(&b->pairs, &b->rows, &b->count);
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
	free(b->groups);
	free(b);
}

struct fx_error *
fx_graph_become(struct fx_graph *graph, struct fx_graph *other)
{
	struct fx_becoming *b = fx_becoming_new(graph, other);
	struct fx_error *err = make(b, (struct range){ 0, SIZE_MAX });

	fx_becoming_free(b);
	return err;
}

/* --- groups -------------------------------------------------------------- */

/* What stands at the path that NODE names. */
static const void *
at_path(const struct fx_graph *graph, const struct fx_node *node)
{
	const void *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE &&
		node->opcode != FX_OPCODE_GET_ATTR)
		return NULL;
	module = fx_module_find(graph->module, node->target);
	return module ? module
		      : fx_module_find_tensor(graph->module, node->target);
}

/* Whether a module or tensor that NODE, of the other graph, reads changes. */
static bool
changes_target(const struct fx_becoming *b, const struct fx_node *node)
{
	struct fx_module *module;

	if (!at_path(b->other, node))
		return false;
	module = fx_module_find(b->other->module, node->target);
	if (module)
		return fx_likeness_of_modules(fx_module_find(b->graph->module,
						      node->target),
			       module) != FX_LIKENESS_SAME;
	return fx_likeness_of_tensors(fx_module_find_tensor(b->graph->module,
					      node->target),
		       fx_module_find_tensor(b->other->module, node->target)) !=
	       FX_LIKENESS_SAME;
}

/* The rows form a forest: each knows one above it, or itself. */
static size_t
root_of(size_t *above, size_t row)
{
	while (above[row] != row)
		row = above[row] = above[above[row]];
	return row;
}

static void
join(size_t *above, size_t a, size_t b)
{
	a = root_of(above, a);
	b = root_of(above, b);
	/* The first one of a group names it. */
	above[a > b ? a : b] = a > b ? b : a;
}

/* Join ROW, of NODE, with those of its inputs that change too. */
static void
join_inputs(size_t *above, const struct fx_map *rows, size_t row,
	const struct fx_node *node)
{
	for (size_t i = 0; node && i < fx_node_input_count(node); i++) {
		size_t other =
			fx_map_get(rows, (uintptr_t)fx_node_input(node, i), 0);

		if (other)
			join(above, row, other - 1);
	}
}

/* Rows that change, by their nodes and what these read: number + 1. */
static void
find_changing(const struct fx_becoming *b, size_t *above, struct fx_map *rows)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct fx_change *row = &b->rows[i];
		const void *read =
			row->after ? at_path(b->other, row->after) : NULL;
		bool reads = row->after && changes_target(b, row->after);
		size_t other;

		above[i] = i;
		if (row->kind == FX_CHANGE_SAME && !reads)
			continue;
		if (row->before)
			fx_map_set(rows, (uintptr_t)row->before, i + 1);
		if (row->after)
			fx_map_set(rows, (uintptr_t)row->after, i + 1);
		if (!reads)
			continue;
		other = fx_map_get(rows, (uintptr_t)read, 0);
		if (other)
			join(above, i, other - 1);
		else
			fx_map_set(rows, (uintptr_t)read, i + 1);
	}
}

size_t
fx_becoming_divide(struct fx_becoming *b)
{
	FX_AUTO_FREE size_t *above = fx_xcalloc(b->count + 1, sizeof(*above));
	FX_AUTO_MAP struct fx_map rows = { .slots = NULL };
	size_t *groups;

	if (b->groups)
		return b->group_count;
	groups = fx_xcalloc(b->count + 1, sizeof(*groups));
	find_changing(b, above, &rows);
	for (size_t i = 0; i < b->count; i++) {
		const struct fx_change *row = &b->rows[i];
		const struct fx_node *node =
			row->after ? row->after : row->before;

		if (!fx_map_has(&rows, (uintptr_t)node))
			continue;
		join_inputs(above, &rows, i, row->before);
		join_inputs(above, &rows, i, row->after);
	}
	for (size_t i = 0; i < b->count; i++) {
		const struct fx_change *row = &b->rows[i];
		const struct fx_node *node =
			row->after ? row->after : row->before;
		size_t root = root_of(above, i);

		if (!fx_map_has(&rows, (uintptr_t)node))
			groups[i] = NO_GROUP;
		else
			groups[i] = root == i ? b->group_count++ : groups[root];
	}
	b->groups = groups;
	return b->group_count;
}

struct fx_error *
fx_becoming_make(struct fx_becoming *b, size_t first, size_t end)
{
	(void)fx_becoming_divide(b);
	return make(b, (struct range){ first, end });
}

void
fx_becoming_print(const struct fx_becoming *b, size_t group, struct fx_buf *out)
{
	static const char signs[] = { [FX_CHANGE_ADDED] = '+',
		[FX_CHANGE_REMOVED] = '-',
		[FX_CHANGE_CHANGED] = '~',
		[FX_CHANGE_RENAMED] = '~',
		[FX_CHANGE_MOVED] = '~',
		[FX_CHANGE_SAME] = '~' };
	size_t count = 0;

	for (size_t i = 0; i < b->count; i++) {
		const struct fx_change *row = &b->rows[i];

		if (b->groups[i] != group)
			continue;
		if (count++ < PRINTED_NODES)
			fx_buf_addf(out, "%s%c%%%s", count > 1 ? " " : "",
				signs[row->kind],
				(row->after ? row->after : row->before)->name);
	}
	if (count > PRINTED_NODES)
		fx_buf_addf(out, " and %zu more", count - PRINTED_NODES);
}
