/* changes.c - what an edit changed, graph by graph. */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/changed_nodes.h"
#include "ir/control.h"
#include "ir/fold.h"
#include "ir/value_text.h"
#include "meta/propagate.h"
#include "session/changes.h"
#include "session/nested.h"
#include "session/session_private.h"

void
fx_changes_deinit(struct fx_changes *changes)
{
	struct fx_change *change;

	fx_vec_for_each (change, &changes->items)
		fx_change_deinit(change);
	fx_vec_deinit(&changes->items);
}

/* --- gathering ----------------------------------------------------------- */

static struct fx_change *
change_of(struct fx_changes *changes, struct fx_graph *graph)
{
	struct fx_change *change;

	fx_vec_for_each (change, &changes->items)
		if (change->graph == graph)
			return change;
	fx_vec_push(&changes->items, ((struct fx_change){ .graph = graph }));
	return &fx_vec_last(&changes->items);
}

void
fx_changes_gather_open(struct fx_changes *changes, struct fx_graph *root,
	size_t savepoint)
{
	struct fx_graphs graphs = { .count = 0 };

	fx_changed_graphs_open(root, savepoint, &graphs);
	for (size_t i = 0; i < graphs.count; i++) {
		struct fx_graph *graph = graphs.items[i];
		struct fx_change *change = change_of(changes, graph);

		fx_changed_nodes_open(graph, savepoint, &change->ids,
			&change->moved);
	}
	fx_vec_deinit(&graphs);
}

void
fx_changes_gather(struct fx_changes *changes, struct fx_graph *root,
	uint32_t id)
{
	struct fx_graphs graphs = { .count = 0 };

	fx_changed_graphs_of(root, id, &graphs);
	for (size_t i = 0; i < graphs.count; i++) {
		struct fx_graph *graph = graphs.items[i];
		struct fx_change *change = change_of(changes, graph);

		fx_changed_nodes_of(graph, id, &change->ids, &change->moved);
	}
	fx_vec_deinit(&graphs);
}

static size_t
depth_of(const struct fx_graph *graph)
{
	size_t depth = 0;

	while ((graph = graph->outer))
		depth++;
	return depth;
}

static int
compare_depths(const void *a, const void *b)
{
	size_t first = depth_of(((const struct fx_change *)a)->graph);
	size_t second = depth_of(((const struct fx_change *)b)->graph);

	return (first < second) - (first > second);
}

/* Whether an edit of CHANGE's graph changes what it gives: names do not. */
static bool
matters(const struct fx_change *change)
{
	return fx_bitset_count(&change->ids) || fx_bitset_count(&change->moved);
}

/* The calls of the graphs before CHANGE, which are nested deeper. */
static void
add_calls(struct fx_changes *changes, struct fx_change *change)
{
	struct fx_graphs graphs = { .count = 0 };
	FX_AUTO_BITSET struct fx_bitset calls = { 0 };

	for (struct fx_change *inner = changes->items.items; inner < change;
		inner++)
		if (matters(inner))
			fx_vec_push(&graphs, inner->graph);
	fx_changed_calls(change->graph, &graphs, &calls);
	fx_vec_deinit(&graphs);
	for (size_t at = 0; fx_bitset_next(&calls, &at); at++)
		if (!fx_bitset_has(&change->ids, at)) {
			fx_bitset_add(&change->ids, at);
			fx_bitset_add(&change->calls, at);
		}
}

void
fx_changes_finish(struct fx_changes *changes)
{
	struct fx_change *change;

	if (changes->items.count > 1)
		qsort(changes->items.items, changes->items.count,
			sizeof(*changes->items.items), compare_depths);
	fx_vec_for_each (change, &changes->items) {
		add_calls(changes, change);
		fx_cone_in(change->graph, &change->ids, &change->cone,
			&change->count);
	}
}

/* --- who sees them ------------------------------------------------------- */

/* Append that GRAPH, at PATH, is run by several nodes, if it is. */
static void
add_shared(struct fx_buf *out, const char *path, const struct fx_graph *graph)
{
	const struct fx_node *first = fx_control_first_caller(graph);
	const struct fx_node *call =
		first ? fx_control_next_caller(graph, first) : NULL;

	if (!call)
		return;
	fx_buf_addf(out, "%s%s is run by %%%s", out->length ? "; " : "", path,
		first->name);
	while (call) {
		const struct fx_node *next =
			fx_control_next_caller(graph, call);

		fx_buf_addf(out, "%s%%%s", next ? ", " : " and ", call->name);
		call = next;
	}
}

char *
fx_changes_say_shared(const struct fx_model *model,
	const struct fx_changes *changes)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	const struct fx_change *change;

	fx_vec_for_each (change, &changes->items)
		if (change->graph->outer && matters(change))
			add_shared(&text,
				fx_model_graph_path(model, change->graph),
				change->graph);
	return text.length ? fx_buf_take(&text) : NULL;
}

/* --- shapes -------------------------------------------------------------- */

/* What a call gave before the edit. */
struct gave {
	struct fx_node *node;
	const struct fx_value *meta;
};
typedef FX_VEC(struct gave) gave_vec;

static gave_vec
what_calls_gave(const struct fx_change *change)
{
	gave_vec all = { 0 };

	for (size_t at = 0; fx_bitset_next(&change->calls, &at); at++) {
		struct fx_node *node = fx_graph_find_id(change->graph,
			fx_graph_id_at(change->graph, at));

		if (node)
			fx_vec_push(&all, ((struct gave){ node, node->meta }));
	}
	return all;
}

static bool
is_known(const struct fx_value *meta)
{
	return meta && !fx_fold_has(meta, FX_VALUE_UNKNOWN);
}

/* A graph is held to what torch wants of it where it kept to that before. */
static bool
are_all_known(const gave_vec *calls)
{
	const struct gave *gave;

	fx_vec_for_each (gave, calls)
		if (!is_known(gave->meta))
			return false;
	return calls->count > 0;
}

/* How many results META tells of; 0: one that is no sequence. */
static size_t
result_count(const struct fx_value *meta)
{
	return fx_value_is_sequence(meta) ? 1 + meta->count : 0;
}

static void
add_results(struct fx_buf *out, const struct fx_value *meta)
{
	size_t count = result_count(meta);

	if (!count)
		fx_buf_add(out, "one result that is no tuple");
	else
		fx_buf_addf(out, "%zu result%s in a tuple", count - 1,
			count == 2 ? "" : "s");
}

/* Users of CALL take as many results as it gave. */
static void
check_results(const struct gave *call, struct fx_edit_report *ret)
{
	const struct fx_value *now = call->node->meta;
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (!call->node->user_count || !is_known(now) ||
		!is_known(call->meta) ||
		result_count(now) == result_count(call->meta))
		return;
	fx_buf_addf(&text, "%%%s: gives ", call->node->name);
	add_results(&text, now);
	fx_buf_add(&text, ", gave ");
	add_results(&text, call->meta);
	if (!ret->bad_shapes++)
		ret->bad_shape_text = fx_buf_take(&text);
}

/* Where a bad shape is, when several graphs are about. */
static void
say_where(const struct fx_model *model, const struct fx_change *change,
	struct fx_edit_report *ret)
{
	FX_AUTO_FREE char *text = ret->bad_shape_text;
	const char *path = fx_model_graph_path(model, change->graph);

	ret->bad_shape_text =
		fx_xasprintf("%s (in %s)", text, *path ? path : model->name);
}

void
fx_changes_reshape(struct fx_model *model, const struct fx_changes *changes,
	struct fx_edit_report *ret)
{
	const struct fx_change *change;
	const struct gave *gave;

	fx_vec_for_each (change, &changes->items) {
		gave_vec calls = what_calls_gave(change);
		bool had_bad = ret->bad_shapes;

		fx_meta_set_strict(model->session->meta, are_all_known(&calls));
		fx_model_reshape(model, change, ret);
		fx_meta_set_strict(model->session->meta, false);
		fx_vec_for_each (gave, &calls)
			check_results(gave, ret);
		if (changes->items.count > 1 && !had_bad && ret->bad_shape_text)
			say_where(model, change, ret);
		fx_vec_deinit(&calls);
	}
}

/* --- values -------------------------------------------------------------- */

static const struct fx_change *
find_change(const struct fx_changes *changes, const struct fx_graph *graph)
{
	const struct fx_change *change;

	fx_vec_for_each (change, &changes->items)
		if (change->graph == graph)
			return change;
	return NULL;
}

/* Whether execution may stay in the graph that PLACE, of which CHANGE tells,
 * has entered: nothing else has changed in PLACE, and what it gives is not out.
 */
static bool
may_stay(const struct fx_activation *place, const struct fx_activation *inner,
	const struct fx_change *change)
{
	const struct fx_node *call =
		fx_graph_find_id(place->graph, inner->call);

	if (!call || place->stop != inner->call ||
		fx_bitset_count(&change->moved) ||
		fx_bitset_count(&change->ids) !=
			fx_bitset_count(&change->calls))
		return false;
	return !fx_bitset_has(&change->calls, (uint32_t)call->id) ||
	       !inner->loop;
}

void
fx_changes_invalidate(struct fx_model *model, const struct fx_changes *changes,
	struct fx_edit_report *report)
{
	struct fx_run *run = model->run;

	for (size_t depth = 0; depth < run->activations.count; depth++) {
		struct fx_activation *place = run->activations.items[depth];
		const struct fx_change *change =
			find_change(changes, place->graph);
		bool has_inner = depth + 1 < run->activations.count;

		if (!change)
			continue;
		fx_activation_invalidate(model, place, change, report);
		if (!has_inner ||
			may_stay(place, run->activations.items[depth + 1],
				change))
			continue;
		report->has_left_graph = true;
		while (run->activations.count > depth + 1)
			fx_run_pop(run);
	}
	if (!report->has_left_graph)
		return;
	report->position_moved = true;
	report->position = fx_position_get(model);
}
