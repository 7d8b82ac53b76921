/* dominators.c - nodes that every path passes.
 *
 * A graph in order has no cycles, so one sweep from where paths begin finds the
 * nearest dominator of each node of the cone: the deepest that the nearest
 * dominators of all nodes before it share (Cooper, Harvey, Kennedy, "A Simple,
 * Fast Dominance Algorithm", without the iteration).
 */
#include <config.h>

#include "ir/dominators.h"

#include <stdlib.h>

#include "base/bitset.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "ir/graph.h"
#include "ir/order.h"

/* Where all paths begin: before the first node. */
#define BEGIN ((size_t)0)

struct sweep {
	bool up;
	struct fx_map index;     /* node -> its number in the sweep, from 1 */
	struct fx_bitset counts; /* numbers of nodes on paths that count */
	size_t *nearest;         /* number -> of its nearest dominator */
	size_t *depth;           /* number -> dominators above it */
};

static size_t
number_of(const struct sweep *sweep, const struct fx_node *node)
{
	return (size_t)fx_map_get(&sweep->index, (uintptr_t)node, BEGIN);
}

/* The deepest dominator that A and B share. */
static size_t
common(const struct sweep *sweep, size_t a, size_t b)
{
	while (a != b) {
		if (sweep->depth[a] > sweep->depth[b])
			a = sweep->nearest[a];
		else
			b = sweep->nearest[b];
	}
	return a;
}

/* PREVIOUS stands on an edge into the node whose dominators so far are *SHARED
 * (of HAS_ANY edges).
 */
static void
join(const struct sweep *sweep, const struct fx_node *previous, bool *has_any,
	size_t *shared)
{
	size_t number = number_of(sweep, previous);

	if (!number || !fx_bitset_has(&sweep->counts, number))
		return;
	*shared = *has_any ? common(sweep, *shared, number) : number;
	*has_any = true;
}

/* NODE has NUMBER; all that stands before it on paths has been seen. */
static void
see(struct sweep *sweep, struct fx_node *node, size_t number)
{
	bool is_end = node->opcode ==
		      (sweep->up ? FX_OPCODE_PLACEHOLDER : FX_OPCODE_OUTPUT);
	const struct fx_use *use;
	bool has_any = false;
	size_t shared = BEGIN;

	if (sweep->up)
		for (size_t i = 0; i < fx_node_input_count(node); i++)
			join(sweep, fx_node_input(node, i), &has_any, &shared);
	else
		fx_node_for_each_user (use, node)
			join(sweep, use->user, &has_any, &shared);
	if (has_any || is_end)
		fx_bitset_add(&sweep->counts, number);
	sweep->nearest[number] = is_end ? BEGIN : shared;
	sweep->depth[number] = sweep->depth[sweep->nearest[number]] + 1;
	fx_map_set(&sweep->index, (uintptr_t)node, number);
}

/* The node that is the INDEXth on the way to the one asked about. */
static size_t
at(const struct sweep *sweep, const size_t *cone, size_t count, size_t index)
{
	return cone[sweep->up ? index : count - 1 - index];
}

/* Sweep over CONE; ALL: every path counts. */
static void
run(struct sweep *sweep, struct fx_graph *graph, const size_t *cone,
	size_t count, bool all)
{
	for (size_t i = 0; i < count; i++) {
		if (all)
			fx_bitset_add(&sweep->counts, i + 1);
		see(sweep, fx_graph_at(graph, at(sweep, cone, count, i)),
			i + 1);
	}
}

void
fx_dominators(struct fx_node *node, bool up, size_t **positions_ret,
	size_t *count_ret)
{
	struct sweep sweep = { .up = up };
	FX_AUTO_FREE size_t *cone = NULL;
	size_t count;

	fx_order_cone(node, up, -1, &cone, &count);
	sweep.nearest = fx_xcalloc(count + 1, sizeof(*sweep.nearest));
	sweep.depth = fx_xcalloc(count + 1, sizeof(*sweep.depth));
	run(&sweep, node->graph, cone, count, false);
	/* NODE is the last. */
	if (!fx_bitset_has(&sweep.counts, count))
		run(&sweep, node->graph, cone, count, true);
	*positions_ret =
		fx_xcalloc(sweep.depth[count], sizeof(**positions_ret));
	*count_ret = 0;
	for (size_t i = count; i != BEGIN; i = sweep.nearest[i])
		(*positions_ret)[(*count_ret)++] =
			at(&sweep, cone, count, i - 1);
	qsort(*positions_ret, *count_ret, sizeof(**positions_ret),
		fx_number_compare_sizes);
	fx_map_deinit(&sweep.index);
	fx_bitset_deinit(&sweep.counts);
	free(sweep.nearest);
	free(sweep.depth);
}
