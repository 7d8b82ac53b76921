/* outline.c - nodes as calls of graphs nested in theirs. */
#include <config.h>

#include "ir/outline.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/edit.h"
#include "ir/graph_private.h"
#include "ir/module.h"
#include "ir/names.h"
#include "ir/order.h"
#include "ir/outline_private.h"
#include "ir/reorder.h"

static const char graph_class[] = "torch.fx.graph_module.GraphModule";

/* --- modules ------------------------------------------------------------- */

static uint32_t
highest_number(const struct fx_graph *graph)
{
	const struct fx_graph_private *p = graph->private_;
	uint32_t highest = graph->serial >> 16;

	for (size_t i = 0; i < p->modules.count; i++) {
		const struct fx_graph *inner = p->modules.items[i]->graph;
		uint32_t number = inner ? highest_number(inner) : 0;

		highest = number > highest ? number : highest;
	}
	return highest;
}

struct fx_error *
fx_outlining_check_name(struct fx_graph *graph, const char *name)
{
	if (!fx_str_is_identifier(name) || fx_names_is_illegal(name))
		return fx_error_new(FX_ERR_BAD_NAME,
			"\"%s\" is no name of a module: ASCII letters, digits "
			"and _, no digit first, no word of Python",
			name);
	if (fx_module_member(graph->module, fx_intern(name)))
		return fx_error_new(FX_ERR_NAME_TAKEN,
			"there is a module or parameter \"%s\" already", name);
	return NULL;
}

/* Put a module with the graph of PART into the tree. */
static FX_NODISCARD struct fx_error *
add_module(const struct fx_partition *partition, const struct fx_part *part,
	bool renames)
{
	struct fx_graph *graph = partition->graph;
	const struct fx_graph *root = graph;
	uint32_t number;
	struct fx_module *module;
	struct fx_error *err = fx_outlining_check_name(graph, part->name);

	if (err)
		return err;
	while (root->outer)
		root = root->outer;
	number = highest_number(root) + 1;
	if (number > UINT16_MAX)
		return fx_error_new(FX_ERR_LIMIT,
			"more than %d graphs within one", UINT16_MAX);
	module = fx_module_new(graph, graph_class);
	module->training = graph->module->training;
	module->graph =
		fx_graph_new((graph->serial & UINT16_MAX) | number << 16);
	module->graph->class_name = fx_intern(graph_class);
	module->graph->module->class_name = fx_intern(graph_class);
	fx_part_build(partition, part, module->graph, module, renames);
	return fx_edit_set_module(graph, part->name, module);
}

/* --- calls --------------------------------------------------------------- */

void
fx_outlining_deinit(struct fx_outlining *outlining)
{
	fx_map_deinit(&outlining->made);
	fx_vec_deinit(&outlining->calls);
}

/* The innermost scope that all nodes of PART lie in. */
static const struct fx_scope *
common_scope(const struct fx_part *part)
{
	const struct fx_scope *scope = part->nodes.items[0]->scope;

	for (size_t i = 1; i < part->nodes.count && scope;) {
		const struct fx_scope *at = part->nodes.items[i]->scope;

		while (at && at != scope)
			at = at->parent;
		if (at)
			i++;
		else
			scope = scope->parent;
	}
	return scope;
}

/* What is known of the results of PART: of one as it is, of several a tuple. */
static const struct fx_value *
result_meta(struct fx_arena *arena, const struct fx_part *part,
	struct fx_value *tuple)
{
	size_t count = part->results.count;
	FX_AUTO_FREE struct fx_value *items =
		fx_xcalloc(count + 1, sizeof(*items));

	if (count == 1)
		return part->results.items[0]->meta;
	for (size_t i = 0; i < count; i++) {
		if (!part->results.items[i]->meta)
			return NULL;
		items[i] = *part->results.items[i]->meta;
	}
	*tuple = fx_value_sequence(arena, FX_VALUE_TUPLE, items, count);
	return count ? tuple : NULL;
}

static FX_NODISCARD struct fx_error *
create(struct fx_outlining *outlining, struct fx_node_spec *spec,
	struct fx_node **ret)
{
	struct fx_error *err = fx_edit_create(outlining->partition->graph, spec,
		outlining->before, ret);

	if (!err)
		fx_vec_push(&outlining->calls, *ret);
	return err;
}

static FX_NODISCARD struct fx_error *
create_call(struct fx_outlining *outlining, const struct fx_part *part,
	struct fx_node **ret)
{
	struct fx_graph *graph = outlining->partition->graph;
	size_t count = part->inputs.count;
	FX_AUTO_FREE struct fx_value *items =
		fx_xcalloc(count + 1, sizeof(*items));
	FX_AUTO_FREE uint64_t *ids =
		fx_xcalloc(part->nodes.count, sizeof(*ids));
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_MODULE,
		.target = part->name,
		.scope = common_scope(part),
		.derived = ids,
		.derived_count = (uint32_t)part->nodes.count };
	struct fx_value tuple;

	for (size_t i = 0; i < count; i++) {
		struct fx_node *input = part->inputs.items[i];
		struct fx_node *now =
			fx_map_get_pointer(&outlining->made, input);

		items[i] = fx_value_node(now ? now : input);
	}
	for (size_t i = 0; i < part->nodes.count; i++)
		ids[i] = part->nodes.items[i]->id;
	spec.args =
		fx_value_sequence(graph->values, FX_VALUE_TUPLE, items, count);
	spec.meta = result_meta(graph->values, part, &tuple);
	return create(outlining, &spec, ret);
}

/* CALL[INDEX] stands for RESULT. */
static FX_NODISCARD struct fx_error *
create_item(struct fx_outlining *outlining, struct fx_node *call, size_t index,
	const struct fx_node *result, struct fx_node **ret)
{
	struct fx_value items[2] = { fx_value_node(call),
		fx_value_int((int64_t)index) };
	struct fx_node_spec spec = { .opcode = FX_OPCODE_CALL_FUNCTION,
		.target = "operator.getitem",
		.args = fx_value_sequence(call->graph->values, FX_VALUE_TUPLE,
			items, 2),
		.scope = call->scope,
		.meta = result->meta,
		.derived = &result->id,
		.derived_count = 1 };

	return create(outlining, &spec, ret);
}

/* The call of PART, and a node for each of its results. */
static FX_NODISCARD struct fx_error *
call_part(struct fx_outlining *outlining, const struct fx_part *part)
{
	size_t count = part->results.count;
	struct fx_node *call;
	struct fx_error *err = create_call(outlining, part, &call);

	for (size_t i = 0; i < count && !err; i++) {
		const struct fx_node *result = part->results.items[i];
		struct fx_node *node = call;

		if (count > 1)
			err = create_item(outlining, call, i, result, &node);
		if (!err)
			fx_map_set_pointer(&outlining->made, result, node);
	}
	return err;
}

static bool
is_outside(void *context, struct fx_node *user)
{
	return !fx_partition_part(context, user);
}

struct fx_error *
fx_outlining_add(struct fx_outlining *outlining, const struct fx_part *part,
	bool renames)
{
	struct fx_error *err = add_module(outlining->partition, part, renames);

	return err ? err : call_part(outlining, part);
}

/* Those outside of all parts get the results from the calls. */
static FX_NODISCARD struct fx_error *
rewire(struct fx_outlining *outlining, const struct fx_part *part)
{
	struct fx_error *err = NULL;

	for (size_t i = 0; i < part->results.count && !err; i++) {
		struct fx_node *result = part->results.items[i];
		struct fx_value now =
			fx_value_node(fx_map_get_pointer(&outlining->made,
				result));

		err = fx_edit_replace_uses(result, &now, is_outside,
			outlining->partition, NULL);
	}
	return err;
}

/* And what only they read and now have of their own: the modules that cond
 * calls.
 */
static FX_NODISCARD struct fx_error *
erase_nodes(struct fx_outlining *outlining)
{
	struct fx_partition *partition = outlining->partition;
	struct fx_node *node = fx_graph_last(partition->graph);
	struct fx_error *err = NULL;

	while (node && !err) {
		struct fx_node *previous = fx_graph_previous(node);
		bool was_carried =
			fx_map_has(&partition->is_carried, (uintptr_t)node) &&
			!node->user_count;

		if (fx_partition_part(partition, node) || was_carried)
			err = fx_edit_erase(node);
		node = previous;
	}
	return err;
}

struct fx_error *
fx_outlining_end(struct fx_outlining *outlining)
{
	struct fx_partition *partition = outlining->partition;
	struct fx_error *err = NULL;

	for (size_t i = 0; i < partition->parts.count && !err; i++)
		err = rewire(outlining, &partition->parts.items[i]);
	return err ? err : erase_nodes(outlining);
}

/* --- what could be outlined instead -------------------------------------- */

#define HINT_LIMIT 8

/* Append NODE to the query of OUT, one of those with WORD. */
static void
add_end(struct fx_buf *out, size_t *count, const char *word,
	const struct fx_node *node)
{
	fx_buf_addf(out, "%s%s(%s)", *count ? " or " : "", word, node->name);
	++*count;
}

/* Append to OUT those of NODES, which are marked, that nothing marked is
 * above, or with IS_UP below.  Returns how many there are.
 */
static size_t
add_ends(struct fx_buf *out, const struct fx_graph *graph,
	const struct fx_map *nodes, bool is_up)
{
	FX_AUTO_MAP struct fx_map reached = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_node *node =
		is_up ? fx_graph_last(graph) : fx_graph_first(graph);
	size_t count = 0;

	for (; node;
		node = is_up ? fx_graph_previous(node) : fx_graph_next(node)) {
		bool is_reached = fx_map_has(&reached, (uintptr_t)node);
		bool is_in = fx_map_has(nodes, (uintptr_t)node);

		for (size_t i = 0; i < fx_node_input_count(node); i++) {
			struct fx_node *input = fx_node_input(node, i);

			if (is_up && (is_in || is_reached))
				fx_map_set(&reached, (uintptr_t)input, 1);
			is_reached |= !is_up &&
				      fx_map_has(&reached, (uintptr_t)input);
		}
		if (!is_up && (is_in || is_reached))
			fx_map_set(&reached, (uintptr_t)node, 1);
		if (is_in && !is_reached)
			add_end(&text, &count, is_up ? "up" : "down", node);
	}
	fx_buf_addf(out, count > 1 ? "(%s)" : "%s", fx_buf_text(&text));
	return count;
}

/* Hint at a set as small as can be that has what PARTITION has and what lies
 * between.
 */
static FX_NODISCARD struct fx_error *
hint_whole(const struct fx_partition *partition, bool is_named,
	struct fx_error *err_taken)
{
	const struct fx_part *part = &partition->parts.items[0];
	const char *as = is_named ? " as " : "";
	const char *as_name = is_named ? part->name : "";
	FX_AUTO_MAP struct fx_map nodes = { 0 };
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t count;

	if (part->nodes.count == 1)
		return fx_error_hint(err_taken, "outline %%%s%s%s",
			part->nodes.items[0]->name, as, as_name);
	for (size_t i = 0; i < part->nodes.count; i++)
		fx_map_set(&nodes, (uintptr_t)part->nodes.items[i], 1);
	count = add_ends(&text, partition->graph, &nodes, true);
	fx_buf_add(&text, " and ");
	count += add_ends(&text, partition->graph, &nodes, false);
	if (!part->nodes.count || count > HINT_LIMIT)
		return err_taken;
	return fx_error_hint(err_taken, "outline {%s}%s%s", fx_buf_text(&text),
		as, as_name);
}

/* --- outline ------------------------------------------------------------- */

enum {
	ABOVE, /* of a node outside: it stays before the call */
	INSIDE,
	BELOW, /* it depends on a node of the set */
};

/* The nodes between the first and last of the set that depend on one. */
struct span {
	const struct fx_partition *partition;
	bool is_named; /* by who asks */
	struct fx_node *first;
	struct fx_node *last;
	struct fx_map below; /* node -> 1 */
	FX_VEC(struct fx_node *) moved;
};

static void
span_deinit(struct span *span)
{
	fx_map_deinit(&span->below);
	fx_vec_deinit(&span->moved);
}
FX_DEFINE_DEINIT(span, struct span, span_deinit);

static size_t
span_rank(const void *context, const struct fx_node *node)
{
	const struct span *span = context;

	if (fx_partition_part(span->partition, node))
		return INSIDE;
	return fx_map_has(&span->below, (uintptr_t)node) ? BELOW : ABOVE;
}

/* NODE of the set depends on a node outside that depends on the set. */
static FX_NODISCARD struct fx_error *
not_convex(const struct span *span, struct fx_node *node,
	struct fx_node *between)
{
	const struct fx_part *part = &span->partition->parts.items[0];
	FX_AUTO_FREE struct fx_node **path = NULL;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < part->nodes.count && !count; i++)
		fx_order_path(part->nodes.items[i], between, &path, &count);
	for (size_t i = 0; i < count; i++)
		fx_buf_addf(&text, "%%%s -> ", path[i]->name);
	return hint_whole(span->partition, span->is_named,
		fx_error_new(FX_ERR_VALUE,
			"%%%s is outside and lies between: %s%%%s",
			between->name, fx_buf_text(&text), node->name));
}

static FX_NODISCARD struct fx_error *
look_at(struct span *span, struct fx_node *node)
{
	bool is_inside = fx_partition_part(span->partition, node);
	bool is_below = false;

	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		struct fx_node *input = fx_node_input(node, i);

		if (is_inside && fx_map_has(&span->below, (uintptr_t)input))
			return not_convex(span, node, input);
		is_below |= fx_partition_part(span->partition, input) ||
			    fx_map_has(&span->below, (uintptr_t)input);
	}
	if (!is_inside && is_below) {
		fx_map_set(&span->below, (uintptr_t)node, 1);
		fx_vec_push(&span->moved, node);
	}
	return NULL;
}

/* Make one block of the set: what depends on it goes behind. */
static FX_NODISCARD struct fx_error *
gather(struct span *span, struct fx_node **before_ret)
{
	struct fx_node *node = span->first;
	struct fx_error *err = NULL;

	for (; node && !err; node = fx_graph_next(node)) {
		err = look_at(span, node);
		if (node == span->last)
			break;
	}
	if (!err)
		err = fx_reorder_check(span->first, span->last, span_rank,
			span);
	*before_ret = fx_graph_next(span->last);
	while (!err && span->moved.count) {
		node = fx_vec_pop(&span->moved);
		err = fx_edit_move(node, *before_ret);
		*before_ret = node;
	}
	return err;
}

static const char *
free_name(const struct fx_graph *graph)
{
	const char *name;
	unsigned number = 0;

	do
		name = fx_intern_format("submod_%u", number++);
	while (fx_module_member(graph->module, name) ||
		fx_graph_find(graph, name));
	return name;
}

static FX_NODISCARD struct fx_error *
give_all(struct fx_partition *partition, struct fx_node *const *nodes,
	size_t count)
{
	FX_AUTO_FREE struct fx_node **sorted =
		fx_xcalloc(count + 1, sizeof(*sorted));
	struct fx_error *err = NULL;

	memcpy(sorted, nodes, count * sizeof(*nodes));
	qsort(sorted, count, sizeof(*sorted), fx_order_compare);
	for (size_t i = 0; i < count; i++) {
		struct fx_error *refused =
			fx_partition_give(partition, 0, sorted[i]);

		if (err)
			fx_error_free(refused);
		else
			err = refused;
	}
	if (!err && !partition->parts.items[0].nodes.count)
		err = fx_error_new(FX_ERR_VALUE,
			"there is no operation in the set");
	return err;
}

struct fx_error *
fx_outline(struct fx_graph *graph, struct fx_node *const *nodes, size_t count,
	const char *name, struct fx_node **call_ret)
{
	FX_AUTO_PARTITION struct fx_partition partition = { .graph = graph };
	FX_AUTO_OUTLINING struct fx_outlining outlining = {
		.partition = &partition
	};
	FX_AUTO(span)
	struct span span = { .partition = &partition,
		.is_named = name != NULL };
	const struct fx_part *part;
	struct fx_error *err =
		name ? fx_outlining_check_name(graph, name) : NULL;

	if (err)
		return err;
	fx_partition_add(&partition, name ? name : free_name(graph));
	err = give_all(&partition, nodes, count);
	if (err)
		return hint_whole(&partition, span.is_named, err);
	part = &partition.parts.items[0];
	span.first = part->nodes.items[0];
	span.last = fx_vec_last(&part->nodes);
	err = gather(&span, &outlining.before);
	if (err)
		return err;
	fx_partition_find(&partition);
	err = fx_outlining_add(&outlining, part, false);
	if (!err)
		err = fx_outlining_end(&outlining);
	if (!err)
		*call_ret = outlining.calls.items[0];
	return err;
}

/* --- where nodes went ---------------------------------------------------- */

/* Whether NODE came from another graph, where it was the one with ID or became
 * it.
 */
static bool
came_from(const struct fx_node *node, uint64_t id)
{
	uint32_t count;
	const uint64_t *ids = fx_graph_derived(node, &count);
	bool is_it = false;

	if (!count || (uint32_t)(ids[0] >> 32) == node->graph->serial)
		return false;
	for (uint32_t i = 0; i < count; i++)
		is_it |= ids[i] == id;
	return is_it;
}

static const struct fx_node *
find_moved(struct fx_graph *graph, uint64_t id, int depth)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, true);
	const struct fx_node *found = NULL;
	struct fx_module *module;
	struct fx_node *node;
	const char *path;

	while (!found && fx_module_walk_next(walk, &module, &path))
		if (module->graph && module->graph != graph &&
			depth < FX_DEPTH_LIMIT)
			found = find_moved(module->graph, id, depth + 1);
	fx_module_walk_free(walk);
	if (found)
		return found;
	fx_graph_for_each_node (node, graph)
		if (came_from(node, id))
			return node;
	return NULL;
}

const struct fx_node *
fx_outline_find(struct fx_graph *root, uint64_t id)
{
	return id ? find_moved(root, id, 0) : NULL;
}
