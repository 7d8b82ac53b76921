/* changes.c - what an edit changed, graph by graph. */
#include <config.h>

#include "ir/changes.h"

#include <stdlib.h>

#include "ir/changed_nodes.h"
#include "ir/order.h"

void
fx_graph_change_deinit(struct fx_graph_change *change)
{
	fx_bitset_deinit(&change->ids);
	fx_bitset_deinit(&change->moved);
	fx_bitset_deinit(&change->calls);
	free(change->cone);
}

void
fx_changes_deinit(struct fx_changes *changes)
{
	struct fx_graph_change *change;

	fx_vec_for_each (change, &changes->items)
		fx_graph_change_deinit(change);
	fx_vec_deinit(&changes->items);
}

void
fx_changes_gather_open(struct fx_changes *changes, struct fx_graph *root,
	size_t savepoint)
{
	struct fx_graphs graphs = { .count = 0 };

	fx_changed_graphs_open(root, savepoint, &graphs);
	for (size_t i = 0; i < graphs.count; i++) {
		struct fx_graph_change change = { .graph = graphs.items[i] };

		fx_changed_nodes_open(change.graph, savepoint, &change.ids,
			&change.moved);
		fx_vec_push(&changes->items, change);
	}
	fx_vec_deinit(&graphs);
}

static struct fx_graph_change *
change_of(struct fx_changes *changes, struct fx_graph *graph)
{
	struct fx_graph_change *change;

	fx_vec_for_each (change, &changes->items)
		if (change->graph == graph)
			return change;
	fx_vec_push(&changes->items,
		((struct fx_graph_change){ .graph = graph }));
	return &fx_vec_last(&changes->items);
}

void
fx_changes_gather(struct fx_changes *changes, struct fx_graph *root,
	uint32_t id)
{
	struct fx_graphs graphs = { .count = 0 };

	fx_changed_graphs_of(root, id, &graphs);
	for (size_t i = 0; i < graphs.count; i++) {
		struct fx_graph *graph = graphs.items[i];
		struct fx_graph_change *change = change_of(changes, graph);

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
	size_t first = depth_of(((const struct fx_graph_change *)a)->graph);
	size_t second = depth_of(((const struct fx_graph_change *)b)->graph);

	return (first < second) - (first > second);
}

bool
fx_graph_change_matters(const struct fx_graph_change *change)
{
	return fx_bitset_count(&change->ids) || fx_bitset_count(&change->moved);
}

/* The calls of the graphs before CHANGE, which are nested deeper. */
static void
add_calls(struct fx_changes *changes, struct fx_graph_change *change)
{
	struct fx_graphs graphs = { .count = 0 };
	FX_AUTO_BITSET struct fx_bitset calls = { 0 };

	for (struct fx_graph_change *inner = changes->items.items;
		inner < change; inner++)
		if (fx_graph_change_matters(inner))
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
	struct fx_graph_change *change;

	if (changes->items.count > 1)
		qsort(changes->items.items, changes->items.count,
			sizeof(*changes->items.items), compare_depths);
	fx_vec_for_each (change, &changes->items) {
		add_calls(changes, change);
		fx_order_cone_of(change->graph, &change->ids, &change->cone,
			&change->count);
	}
}
