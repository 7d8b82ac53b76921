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
#include "ir/graph_hash.h"
#include "ir/module.h"
#include "ir/pair.h"

struct becoming {
	struct fx_graph *graph;
	struct fx_graph *other;
	struct fx_map nodes;   /* of OTHER -> of GRAPH */
	struct fx_map modules; /* of OTHER -> the copy in GRAPH */
	struct fx_map paths;   /* that were seen */
};

/* Modules and tensors. */

enum likeness {
	SAME,
	OTHER_VALUES, /* of tensors alone */
	DIFFERENT,
};

/* Apart from members.  Whether something is a leaf is the tracer's choice, and
 * what a graph is called that.
 */
static bool
is_like(const struct fx_module *a, const struct fx_module *b)
{
	if (a->graph && b->graph)
		return a->training == b->training &&
		       fx_graph_hash_equal(a->graph, b->graph);
	return a->class_name == b->class_name && a->training == b->training &&
	       a->own_code == b->own_code &&
	       fx_graph_hash_equal(a->graph, b->graph) &&
	       fx_value_equal(&a->config, &b->config);
}

static bool
is_laid_alike(const struct fx_tensor *a, const struct fx_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       a->is_buffer == b->is_buffer &&
	       a->requires_grad == b->requires_grad &&
	       !memcmp(a->sizes, b->sizes, a->rank * sizeof(*a->sizes));
}

/* Of two modules, members aside, or two tensors, which may be null. */
static enum likeness
compare_tensors(const struct fx_tensor *a, const struct fx_tensor *b)
{
	if (!a || !b)
		return a == b ? SAME : DIFFERENT;
	if (fx_tensor_equal(a, b))
		return SAME;
	return is_laid_alike(a, b) ? OTHER_VALUES : DIFFERENT;
}

static enum likeness compare_modules(struct fx_module *mine,
	struct fx_module *other);

/* MODULE and INNER, which OTHER has at the same place, by their own members. */
static enum likeness
compare_members(const struct fx_module *module, const struct fx_module *inner)
{
	enum likeness all = SAME;

	if (!is_like(module, inner) ||
		module->member_count != inner->member_count)
		return DIFFERENT;
	if (module->graph && compare_modules(module->graph->module,
				     inner->graph->module) != SAME)
		return DIFFERENT;
	for (size_t i = 0; i < inner->member_count; i++) {
		const struct fx_member *m = &inner->members[i];
		const struct fx_member *mine =
			fx_module_member(module, m->name);
		enum likeness one;

		if (!mine || !mine->child != !m->child)
			return DIFFERENT;
		one = compare_tensors(mine->tensor, m->tensor);
		all = one > all ? one : all;
	}
	return all;
}

static enum likeness
compare_modules(struct fx_module *mine, struct fx_module *other)
{
	struct fx_module_walk *walk;
	enum likeness all = mine ? SAME : DIFFERENT;
	struct fx_module *inner;
	const char *path;

	if (!mine)
		return DIFFERENT;
	walk = fx_module_walk_new(other, true);
	while (all != DIFFERENT && fx_module_walk_next(walk, &inner, &path)) {
		struct fx_module *at = fx_module_find(mine, path);
		enum likeness one = at ? compare_members(at, inner) : DIFFERENT;

		all = one > all ? one : all;
	}
	fx_module_walk_free(walk);
	return all;
}

FX_NODISCARD static struct fx_error *
take_tensor(struct becoming *b, const struct fx_tensor *tensor,
	const char *path)
{
	const struct fx_tensor *mine =
		fx_module_find_tensor(b->graph->module, path);

	if (mine && compare_tensors(mine, tensor) == SAME)
		return NULL;
	return fx_edit_bind_tensor(b->graph, path,
		fx_tensor_clone(b->graph, tensor, tensor->storage));
}

/* Only values differ: bind those, and leave the module. */
FX_NODISCARD static struct fx_error *
take_values(struct becoming *b, struct fx_module *module, const char *path)
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
keep_tensors(struct becoming *b, struct fx_module *copy, const char *path)
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

			if (m->tensor &&
				compare_tensors(mine, m->tensor) == SAME)
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
take_module(struct becoming *b, struct fx_module *module, const char *path)
{
	struct fx_module *mine = fx_module_find(b->graph->module, path);
	struct fx_module *copy = fx_map_get_pointer(&b->modules, module);
	uint32_t highest;

	if (copy)
		return fx_edit_set_module(b->graph, path, copy);
	switch (compare_modules(mine, module)) {
	case SAME:
		fx_map_set_pointer(&b->modules, module, mine);
		return NULL;
	case OTHER_VALUES:
		fx_map_set_pointer(&b->modules, module, mine);
		return take_values(b, module, path);
	case DIFFERENT:
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
take_target(struct becoming *b, const struct fx_node *node)
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
create(struct becoming *b, const struct fx_node *other, struct fx_node *last,
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
change(struct becoming *b, struct fx_node *node, const struct fx_node *other)
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

/* One row of what differs; *LAST is the node that the new one stands after. */
FX_NODISCARD static struct fx_error *
take_row(struct becoming *b, const struct fx_change *row, struct fx_node **last)
{
	struct fx_node *node = row->before;
	struct fx_error *err = NULL;

	if (row->kind == FX_CHANGE_ADDED)
		err = create(b, row->after, *last, &node);
	else if (row->has_moved)
		err = move_after(node, *last);
	if (err)
		return err;
	fx_map_set_pointer(&b->nodes, row->after, node);
	*last = node;
	return row->kind == FX_CHANGE_CHANGED ? change(b, node, row->after)
					      : NULL;
}

FX_NODISCARD static struct fx_error *
take_rows(struct becoming *b, const struct fx_change *rows, size_t count)
{
	struct fx_node *last = NULL;
	struct fx_error *err = NULL;

	for (size_t i = 0; i < count && !err; i++)
		if (rows[i].kind != FX_CHANGE_REMOVED)
			err = take_row(b, &rows[i], &last);
	for (size_t i = count; i-- > 0 && !err;)
		if (rows[i].kind == FX_CHANGE_REMOVED)
			err = fx_edit_erase(rows[i].before);
	return err;
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

struct fx_error *
fx_graph_become(struct fx_graph *graph, struct fx_graph *other)
{
	struct becoming b = { .graph = graph, .other = other };
	FX_AUTO_PAIRS struct fx_pairs pairs = { .counts = { 0 } };
	FX_AUTO_FREE struct fx_change *rows = NULL;
	struct fx_error *err = NULL;
	struct fx_node *node;
	size_t count;

	fx_edit_relax(graph);
	fx_graph_for_each_node (node, other)
		if (!err)
			err = take_target(&b, node);
	pair(graph, other, &pairs);
	fx_graph_diff(&pairs, &rows, &count);
	if (!err)
		err = take_rows(&b, rows, count);
	fx_map_deinit(&b.nodes);
	fx_map_deinit(&b.modules);
	fx_map_deinit(&b.paths);
	return err;
}
