/* invalidate.c - which values an edit makes stale, and where execution then
 * stands.
 *
 * Stale is what depends on a change by its arguments; where nodes write in
 * place or draw random numbers also what reads a storage that is now written
 * differently, and whoever draws later.
 */
#include <config.h>

#include <stdlib.h>

#include "base/bitset.h"
#include "ir/changed_nodes.h"
#include "ir/changes.h"
#include "ir/control.h"
#include "ir/module.h"
#include "ir/order.h"
#include "run/backend.h"
#include "run/datum.h"
#include "run/storage.h"
#include "session/session_private.h"

/* --- what spreads through storages and the generator --------------------- */

struct nodes {
	struct fx_node **items;
	size_t count;
	size_t capacity;
};

struct spread {
	struct fx_model *model;
	struct fx_activation *place;
	const struct fx_graph_change *change;
	struct fx_bitset stale; /* by the low half of the id */
	struct fx_map storages; /* written differently now */
	struct fx_bitset added; /* nodes whose storages are among them */
	bool draws;             /* the generator is elsewhere now */
	struct nodes nodes;     /* stale, in order */
};

static void
spread_deinit(struct spread *spread)
{
	fx_bitset_deinit(&spread->stale);
	fx_bitset_deinit(&spread->added);
	fx_map_deinit(&spread->storages);
	fx_vec_deinit(&spread->nodes);
}
FX_DEFINE_DEINIT(spread, struct spread, spread_deinit);

static bool
is_stale(const struct spread *spread, const struct fx_node *node)
{
	return fx_bitset_has(&spread->stale, (uint32_t)node->id);
}

static void
add_once(struct nodes *waiting, struct fx_bitset *seen, struct fx_node *node)
{
	if (fx_bitset_has(seen, (uint32_t)node->id))
		return;
	fx_bitset_add(seen, (uint32_t)node->id);
	fx_vec_push(waiting, node);
}

static void
add_inputs(struct nodes *waiting, struct fx_bitset *seen,
	const struct fx_node *node)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		add_once(waiting, seen, fx_node_input(node, i));
}

static void
add_views(struct nodes *waiting, struct fx_bitset *seen,
	const struct fx_node *node)
{
	const struct fx_use *use;

	fx_node_for_each_user (use, node)
		if (fx_may_alias(use->user))
			add_once(waiting, seen, use->user);
}

/* Stands for the storage of NODE's value, which is not held; those that are
 * have even addresses.
 */
static uintptr_t
unknown_storage(const struct fx_node *node)
{
	return (uintptr_t)(uint32_t)node->id << 1 | 1;
}

/* Whether what NODE's value lies in is written differently; or, with ADDS, it
 * is from now on.
 */
static bool
see_storages(struct spread *spread, const struct fx_node *node, bool adds)
{
	const struct fx_datum *datum =
		fx_env_get(&spread->place->env, node->id);

	/* A stray value was dropped, so nobody knows where it lay when other
	 * nodes wrote.
	 */
	if (!adds && fx_map_has(&spread->model->run->timeline.strays,
			     (uintptr_t)node->id))
		return true;
	if (datum && !adds)
		return fx_datum_lies_in(datum, &spread->storages);
	if (!adds)
		return fx_map_has(&spread->storages, unknown_storage(node));
	if (datum)
		fx_datum_add_storages(datum, &spread->storages);
	else
		fx_map_set(&spread->storages, unknown_storage(node), 1);
	return false;
}

/* Whether NODE's value may not lie where it did when others ran. */
static bool
is_elsewhere(const struct spread *spread, const struct fx_node *node)
{
	return !fx_env_get(&spread->place->env, node->id) ||
	       is_stale(spread, node) ||
	       spread->model->run->timeline.strays.count;
}

/* Call see_storages for NODE, for the nodes that NODE's value may be a view of
 * if that value is not known or will change, and for the views of a value that
 * is not known.
 */
static bool
see_value(struct spread *spread, struct fx_node *node, bool adds)
{
	FX_AUTO_BITSET struct fx_bitset visited = { 0 };
	struct fx_bitset *seen = adds ? &spread->added : &visited;
	struct nodes waiting = { 0 };
	bool found = false;

	add_once(&waiting, seen, node);
	while (waiting.count && !found) {
		node = fx_vec_pop(&waiting);
		found = see_storages(spread, node, adds);
		if (is_elsewhere(spread, node) && fx_may_alias(node))
			add_inputs(&waiting, seen, node);
		if (!fx_env_get(&spread->place->env, node->id))
			add_views(&waiting, seen, node);
	}
	fx_vec_deinit(&waiting);
	return found;
}

static bool
see_inputs(struct spread *spread, const struct fx_node *node, bool adds)
{
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (see_value(spread, fx_node_input(node, i), adds))
			return true;
	return false;
}

static bool
has_run(const struct spread *spread, const struct fx_node *node)
{
	const struct fx_timeline *timeline = &spread->model->run->timeline;

	if (fx_env_get(&spread->place->env, node->id) ||
		fx_map_has(&timeline->dropped, (uintptr_t)node->id))
		return true;
	for (size_t i = timeline->effects.count; i-- > 0;)
		if (timeline->effects.items[i].node == node->id)
			return true;
	return false;
}

/* Whether a parameter or buffer that NODE's module reads is written
 * differently; also where that is not known.
 */
static bool
see_parameters(struct spread *spread, const struct fx_node *node)
{
	struct fx_backend *backend = spread->model->backend;
	struct fx_module *root =
		node->opcode == FX_OPCODE_CALL_MODULE
			? fx_module_find(node->graph->module, node->target)
			: NULL;
	struct fx_module_walk *walk;
	struct fx_module *module;
	bool found = false;
	const char *path;

	if (!root)
		return false;
	walk = fx_module_walk_new(root, true);
	while (!found && fx_module_walk_next(walk, &module, &path))
		for (size_t i = 0; i < module->member_count && !found; i++) {
			const struct fx_tensor *tensor =
				module->members[i].tensor;
			struct fx_datum *datum = NULL;
			struct fx_error *err;

			if (!tensor)
				continue;
			err = backend->ops->from_tensor(backend, tensor,
				&datum);
			found = err ||
				fx_datum_lies_in(datum, &spread->storages);
			fx_error_free(err);
			fx_datum_unref(datum);
		}
	fx_module_walk_free(walk);
	return found;
}

/* What the node with ID did when it ran last is no longer so. */
static void
spread_past(struct spread *spread, uint64_t id)
{
	const struct fx_timeline *timeline = &spread->model->run->timeline;
	const uintptr_t *storage =
		(const uintptr_t *)fx_map_get(&timeline->written, (uintptr_t)id,
			0);

	if (fx_timeline_kinds(timeline, id) & FX_SIDE_EFFECT_DRAWS)
		spread->draws = true;
	for (; storage && *storage; storage++)
		fx_map_set(&spread->storages, *storage, 1);
}

static bool
is_changed(const struct spread *spread, const struct fx_node *node)
{
	return fx_bitset_has(&spread->change->ids, (uint32_t)node->id) ||
	       fx_bitset_has(&spread->change->moved, (uint32_t)node->id);
}

/* Record the side effects that NODE, which is stale, may have when it runs
 * again.
 */
static void
spread_from(struct spread *spread, const struct fx_node *node)
{
	unsigned kinds =
		fx_timeline_kinds(&spread->model->run->timeline, node->id);

	spread_past(spread, node->id);
	if (is_changed(spread, node))
		kinds |= fx_side_effects(node);
	if (kinds & FX_SIDE_EFFECT_DRAWS)
		spread->draws = true;
	if (kinds & FX_SIDE_EFFECT_WRITES)
		see_inputs(spread, node, true);
}

static bool
becomes_stale(struct spread *spread, const struct fx_node *node)
{
	const struct fx_timeline *timeline = &spread->model->run->timeline;

	if (is_stale(spread, node))
		return true;
	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (is_stale(spread, fx_node_input(node, i)))
			return true;
	if (spread->draws &&
		fx_timeline_kinds(timeline, node->id) & FX_SIDE_EFFECT_DRAWS)
		return true;
	return spread->storages.count &&
	       (see_inputs(spread, node, false) ||
		       (has_run(spread, node) && see_parameters(spread, node)));
}

/* Nodes that are gone or stand elsewhere: where they stood is not known, so
 * what they did holds from the beginning.
 */
static void
begin(struct spread *spread)
{
	const struct fx_graph_change *change = spread->change;
	struct fx_graph *graph = spread->place->graph;

	for (size_t i = 0; i < change->count; i++)
		fx_bitset_add(&spread->stale, (uint32_t)change->cone[i]->id);
	for (size_t at = 0; fx_bitset_next(&change->ids, &at); at++)
		if (!fx_graph_find_id(graph, fx_graph_id_at(graph, at)))
			spread_past(spread, fx_graph_id_at(graph, at));
	for (size_t at = 0; fx_bitset_next(&change->moved, &at); at++) {
		fx_bitset_add(&spread->stale, at);
		spread_past(spread, fx_graph_id_at(graph, at));
	}
}

/* Whether a node with one of IDS may write in place or draw. */
static bool
has_effect(const struct fx_graph *graph, const struct fx_bitset *ids)
{
	for (size_t at = 0; fx_bitset_next(ids, &at); at++) {
		const struct fx_node *node =
			fx_graph_find_id(graph, fx_graph_id_at(graph, at));

		if (node && fx_side_effects(node))
			return true;
	}
	return false;
}

static bool
has_any_effect(const struct fx_graph *graph)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (fx_side_effects(node))
			return true;
	return false;
}

/* Whether no effect is involved: then it is the cone alone.  What was moved may
 * stand behind one that is still to come.
 */
static bool
is_simple(const struct spread *spread)
{
	const struct fx_graph_change *change = spread->change;
	const struct fx_model *model = spread->model;
	const struct fx_graph *graph = spread->place->graph;

	if (!model->backend->ops->has_values)
		return true;
	return !model->run->timeline.kinds.count &&
	       !has_effect(graph, &change->ids) &&
	       !(fx_bitset_count(&change->moved) && has_any_effect(graph));
}

static void
spread_all(struct spread *spread)
{
	struct fx_node *node;

	if (is_simple(spread)) {
		for (size_t i = 0; i < spread->change->count; i++)
			fx_vec_push(&spread->nodes, spread->change->cone[i]);
		return;
	}
	begin(spread);
	fx_graph_for_each_node (node, spread->place->graph)
		if (becomes_stale(spread, node)) {
			fx_bitset_add(&spread->stale, (uint32_t)node->id);
			fx_vec_push(&spread->nodes, node);
			spread_from(spread, node);
		}
}

/* --- values and position ------------------------------------------------- */

/* The stop node may be gone: execution stands before what came after it. */
static void
settle_stop(struct fx_model *model, struct fx_activation *place)
{
	struct fx_node *node =
		place->held ? place->held : fx_activation_stop(place);

	place->held = NULL;
	while (node && node->opcode != FX_OPCODE_COUNT && !node->is_in_graph)
		node = node->next;
	if (node && node->opcode == FX_OPCODE_COUNT)
		node = NULL;
	fx_run_set_stop(model->run, place, node);
}

static void
drop_value(struct fx_model *model, struct fx_activation *place, uint64_t id)
{
	if (fx_env_get(&place->env, id) ||
		fx_map_has(&model->run->timeline.dropped, (uintptr_t)id))
		fx_map_set(&model->run->dirty, (uintptr_t)id, 1);
	fx_undo_cache_keep(model, id, fx_env_get(&place->env, id));
	fx_env_drop(&place->env, id);
	fx_timeline_undrop(&model->run->timeline, id);
	fx_map_erase(&model->run->failures, (uintptr_t)id);
}

/* Take back effects down to the lowest of a stale node or one that is gone.
 * The first node that has to run again for that, or NULL.
 */
static struct fx_node *
take_back_effects(struct spread *spread)
{
	struct fx_timeline *timeline = &spread->model->run->timeline;
	size_t lowest = timeline->effects.count;
	struct fx_node *first = NULL;

	for (size_t i = 0; i < timeline->effects.count; i++) {
		uint64_t id = timeline->effects.items[i].node;

		if (timeline->effects.items[i].graph != spread->place->graph)
			continue;
		if (fx_bitset_has(&spread->stale, (uint32_t)id) ||
			fx_bitset_has(&spread->change->ids, (uint32_t)id)) {
			lowest = i;
			break;
		}
	}
	while (timeline->effects.count > lowest) {
		uint64_t id = fx_vec_last(&timeline->effects).node;
		struct fx_node *node =
			fx_graph_find_id(spread->place->graph, id);

		fx_timeline_take_back(timeline, &spread->place->env);
		if (!node || !node->is_in_graph)
			continue;
		fx_map_set(&spread->model->run->dirty, (uintptr_t)id, 1);
		if (!first || fx_node_is_before(node, first))
			first = node;
	}
	return first;
}

static void
go_back_to(struct fx_model *model, struct fx_activation *place,
	struct fx_node *node, struct fx_edit_report *report)
{
	if (!node || !fx_activation_is_above(place, node))
		return;
	fx_run_set_stop(model->run, place, node);
	report->position_moved = true;
	report->position = fx_graph_position(place->graph, node);
}

size_t
fx_model_dirty_count(const struct fx_model *model)
{
	size_t count = 0;
	size_t at = 0;
	uintptr_t id;
	uintptr_t one;

	while (fx_map_next(&model->run->dirty, &at, &id, &one)) {
		count += fx_graph_find_id(model->graph, id) != NULL;
		for (size_t i = 1; i < model->run->activations.count; i++)
			count += fx_graph_find_id(model->run->activations
							  .items[i]
							  ->graph,
					 id) != NULL;
	}
	return count;
}

/* Where nodes were moved, one that writes in place or draws may have come to
 * stand above the stop without having run: the first such.
 */
static struct fx_node *
find_passed(const struct spread *spread)
{
	const struct fx_model *model = spread->model;
	const struct fx_node *stop = fx_activation_stop(spread->place);
	struct fx_node *node;

	if (!fx_bitset_count(&spread->change->moved) ||
		!model->backend->ops->has_values)
		return NULL;
	fx_graph_for_each_node (node, spread->place->graph) {
		if (node == stop)
			return NULL;
		if ((fx_side_effects(node) |
			    fx_timeline_kinds(&model->run->timeline,
				    node->id)) &&
			!has_run(spread, node))
			return node;
	}
	return NULL;
}

void
fx_model_invalidate(struct fx_model *model,
	const struct fx_graph_change *change, struct fx_edit_report *report)
{
	report->has_left_graph = model->run->activations.count > 1;
	/* A nested graph has arguments that may be stale. */
	while (model->run->activations.count > 1)
		fx_run_pop(model->run);
	if (model->run->activations.count)
		fx_activation_invalidate(model,
			model->run->activations.items[0], change, report);
	if (report->has_left_graph) {
		report->position_moved = true;
		report->position = fx_position_get(model);
	}
}

void
fx_activation_invalidate(struct fx_model *model, struct fx_activation *place,
	const struct fx_graph_change *change, struct fx_edit_report *report)
{
	FX_AUTO(spread)
	struct spread spread = {
		.model = model,
		.place = place,
		.change = change,
	};
	struct fx_node *again;

	if (!model->run->leaves)
		fx_undo_cache_clear(model);
	spread_all(&spread);
	again = take_back_effects(&spread);
	fx_timeline_doubt(&model->run->timeline, &spread.stale);
	for (size_t i = 0; i < spread.nodes.count; i++)
		drop_value(model, place, spread.nodes.items[i]->id);
	/* The values of nodes that are no longer in the graph are dropped as
	 * well.
	 */
	for (size_t at = 0; fx_bitset_next(&change->ids, &at); at++) {
		uint64_t id = fx_graph_id_at(place->graph, at);

		fx_plans_drop(&place->plans, id);
		drop_value(model, place, id);
	}
	settle_stop(model, place);
	go_back_to(model, place, again, report);
	if (spread.nodes.count)
		go_back_to(model, place, spread.nodes.items[0], report);
	go_back_to(model, place, find_passed(&spread), report);
	report->dirty = fx_model_dirty_count(model);
}

/* --- values that are set -------------------------------------------------- */

/* The calls of the graph of the place DEPTH give something else now.  Where one
 * was passed already, execution leaves for it; it leaves loops, of which
 * earlier turns give something else too.
 */
static void
spread_to_calls(struct fx_model *model, size_t depth,
	struct fx_edit_report *report)
{
	FX_AUTO(graph_change) struct fx_graph_change change = { .cone = NULL };
	const struct fx_activation *inner =
		model->run->activations.items[depth];
	const struct fx_graph *graph = inner->graph;
	bool leaves = inner->loop != NULL;
	struct fx_activation *outer = model->run->activations.items[depth - 1];
	const struct fx_node *stop = fx_activation_stop(outer);
	struct fx_node *node;

	fx_graph_for_each_node (node, outer->graph) {
		if (!fx_control_runs(node, graph))
			continue;
		fx_bitset_add(&change.ids, (uint32_t)node->id);
		leaves = leaves || fx_node_is_before(node, stop);
		while (leaves && model->run->activations.count > depth)
			fx_run_pop(model->run);
	}
	fx_order_cone_of(outer->graph, &change.ids, &change.cone,
		&change.count);
	fx_activation_invalidate(model, outer, &change, report);
	if (leaves) {
		report->position_moved = true;
		report->position = fx_position_get(model);
	}
}

void
fx_model_invalidate_value(struct fx_model *model, const struct fx_node *node,
	struct fx_edit_report *report)
{
	FX_AUTO(graph_change) struct fx_graph_change change = { .cone = NULL };
	struct fx_activation *place = fx_run_activation(model->run);

	if (!place)
		return;
	fx_bitset_add(&change.ids, (uint32_t)node->id);
	fx_order_cone_of(place->graph, &change.ids, &change.cone,
		&change.count);
	fx_activation_invalidate(model, place, &change, report);
	for (size_t depth = model->run->activations.count - 1; depth > 0;
		depth--)
		spread_to_calls(model, depth, report);
}
