/* diff.c - what differs between two graphs, matched by node name.
 *
 * Nodes of one name are a pair.  The longest run of pairs that stands in the
 * same relative order on both sides has stayed; the other pairs have moved.
 * Rows follow the second graph; what was removed is shown before the first
 * row that stood after it.
 */
#include <config.h>

#include "ir/diff.h"

#include <stdlib.h>

#include "base/compiler.h"
#include "base/mem.h"
#include "base/vec.h"
#include "ir/graph_hash.h"

/* Pairs in the order of the second graph. */
struct pairs {
	struct fx_node **before; /* by position in the second graph, or NULL */
	size_t *position;        /* of before[i] in the first */
	bool *has_stayed;
	size_t count;
};

/* Mark a longest increasing subsequence of positions: patience sorting, tails
 * being the ends of the runs of each length.
 */
static void
mark_stayed(struct pairs *pairs)
{
	size_t *tails = fx_xcalloc(pairs->count + 1, sizeof(*tails));
	size_t *previous = fx_xcalloc(pairs->count + 1, sizeof(*previous));
	size_t length = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		size_t low = 0;
		size_t high = length;

		if (!pairs->before[i])
			continue;
		while (low < high) {
			size_t middle = (low + high) / 2;

			if (pairs->position[tails[middle]] < pairs->position[i])
				low = middle + 1;
			else
				high = middle;
		}
		previous[i] = low > 0 ? tails[low - 1] : SIZE_MAX;
		tails[low] = i;
		if (low == length)
			length++;
	}
	for (size_t i = length > 0 ? tails[length - 1] : SIZE_MAX;
		i != SIZE_MAX; i = previous[i])
		pairs->has_stayed[i] = true;
	free(tails);
	free(previous);
}

static void
pair(struct pairs *pairs, struct fx_graph *before, struct fx_graph *after)
{
	struct fx_node *node;
	size_t i = 0;

	pairs->count = after->node_count;
	pairs->before = fx_xcalloc(pairs->count + 1, sizeof(*pairs->before));
	pairs->position =
		fx_xcalloc(pairs->count + 1, sizeof(*pairs->position));
	pairs->has_stayed =
		fx_xcalloc(pairs->count + 1, sizeof(*pairs->has_stayed));
	fx_graph_for_each_node (node, after) {
		struct fx_node *old = fx_graph_find(before, node->name);

		pairs->before[i] = old;
		if (old)
			pairs->position[i] = fx_graph_position(before, old);
		i++;
	}
	mark_stayed(pairs);
}

static void
unpair(struct pairs *pairs)
{
	free(pairs->before);
	free(pairs->position);
	free(pairs->has_stayed);
}

static enum fx_change_kind
compare(const struct fx_node *before, const struct fx_node *after,
	bool has_stayed)
{
	if (!before)
		return FX_CHANGE_ADDED;
	if (!fx_hash_equal(fx_node_hash(before), fx_node_hash(after)))
		return FX_CHANGE_CHANGED;
	return has_stayed ? FX_CHANGE_SAME : FX_CHANGE_MOVED;
}

typedef FX_VEC(struct fx_change) change_vec;

/* Rows for what was removed between AT and END of the first graph. */
static struct fx_node *
add_removed(change_vec *rows, struct fx_graph *after, struct fx_node *at,
	const struct fx_node *end)
{
	for (; at && at != end; at = fx_graph_next(at)) {
		struct fx_change row = { .kind = FX_CHANGE_REMOVED,
			.before = at };

		if (!fx_graph_find(after, at->name))
			fx_vec_push(rows, row);
	}
	return at;
}

void
fx_graph_diff(struct fx_graph *before, struct fx_graph *after,
	struct fx_change **ret, size_t *count_ret)
{
	struct pairs pairs = { .count = 0 };
	change_vec rows = { 0 };
	struct fx_node *old = fx_graph_first(before);
	struct fx_node *node;
	size_t i = 0;

	pair(&pairs, before, after);
	fx_graph_for_each_node (node, after) {
		struct fx_change row = { .before = pairs.before[i],
			.after = node };

		if (pairs.has_stayed[i])
			old = add_removed(&rows, after, old, row.before);
		row.kind = compare(row.before, node, pairs.has_stayed[i++]);
		fx_vec_push(&rows, row);
	}
	add_removed(&rows, after, old, NULL);
	unpair(&pairs);
	*ret = rows.items;
	*count_ret = rows.count;
}
