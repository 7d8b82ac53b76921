/* changes.c - what the session makes of an edit's changes. */
#include <config.h>

#include "session/changes.h"

#include "base/buf.h"
#include "ir/changed_nodes.h"
#include "ir/control.h"
#include "session/nested.h"
#include "session/session_private.h"

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
	const struct fx_graph_change *change;

	fx_vec_for_each (change, &changes->items)
		if (change->graph->outer && fx_graph_change_matters(change))
			add_shared(&text,
				fx_model_graph_path(model, change->graph),
				change->graph);
	return text.length ? fx_buf_take(&text) : NULL;
}

static const struct fx_graph_change *
find_change(const struct fx_changes *changes, const struct fx_graph *graph)
{
	const struct fx_graph_change *change;

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
	const struct fx_graph_change *change)
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
		const struct fx_graph_change *change =
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
