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
#include "base/str.h"
#include "base/vec.h"
#include "ir/graph_hash.h"
#include "ir/module.h"

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

/* What differs between two module trees, matched by path. */

struct walk {
	FX_VEC(struct fx_module_change) rows;
	/* Path of a module that is told as a whole, or NULL. */
	const char *whole;
};

static bool
is_told(const struct walk *walk, const char *path)
{
	return walk->whole && fx_str_is_below(path, walk->whole);
}

static void
add(struct walk *walk, struct fx_module_change row)
{
	const void *after = row.after ? (const void *)row.after : row.new;
	const void *before = row.before ? (const void *)row.before : row.old;

	row.kind = !before  ? FX_CHANGE_ADDED
		   : !after ? FX_CHANGE_REMOVED
			    : FX_CHANGE_CHANGED;
	fx_vec_push(&walk->rows, row);
}

static const struct fx_tensor *
tensor_of(const struct fx_module *module, const char *name)
{
	const struct fx_member *member = fx_module_member(module, name);

	return member ? member->tensor : NULL;
}

static void
compare_tensors(struct walk *walk, const char *path,
	const struct fx_module *before, const struct fx_module *after)
{
	for (size_t i = 0; i < after->member_count; i++) {
		const struct fx_member *member = &after->members[i];
		const struct fx_tensor *old = tensor_of(before, member->name);

		if (member->tensor &&
			!(old && fx_tensor_equal(old, member->tensor)))
			add(walk, (struct fx_module_change){
					  .path = fx_module_path(path,
						  member->name),
					  .old = old,
					  .new = member->tensor });
	}
	for (size_t i = 0; i < before->member_count; i++) {
		const struct fx_member *member = &before->members[i];

		if (member->tensor && !tensor_of(after, member->name))
			add(walk, (struct fx_module_change){
					  .path = fx_module_path(path,
						  member->name),
					  .old = member->tensor });
	}
}

static bool
has_equal_graphs(const struct fx_module *a, const struct fx_module *b)
{
	if (!a->graph || !b->graph)
		return a->graph == b->graph;
	return fx_hash_equal(fx_graph_hash(a->graph), fx_graph_hash(b->graph));
}

/* Apart from its members. */
static bool
is_like(const struct fx_module *a, const struct fx_module *b)
{
	return a->training == b->training && a->is_leaf == b->is_leaf &&
	       a->own_code == b->own_code &&
	       fx_value_equal(&a->config, &b->config) && has_equal_graphs(a, b);
}

/* A module that is only there to hold others may have any class: a graph that
 * was read back from a folder has plain ones.  So may the root.
 */
static bool
is_holder(const struct fx_module *module)
{
	return !module->is_leaf && !module->graph;
}

static void
compare_modules(struct walk *walk, const char *path,
	const struct fx_module *before, const struct fx_module *after)
{
	struct fx_module_change row = {
		.path = path, .before = before, .after = after
	};
	bool holds = before && after && is_holder(before) && is_holder(after);

	/* Class names are interned. */
	if (*path && !holds &&
		(!before || !after ||
			before->class_name != after->class_name)) {
		add(walk, row);
		walk->whole = path;
		return;
	}
	if (*path && !holds && !is_like(before, after))
		add(walk, row);
	compare_tensors(walk, path, before, after);
}

void
fx_module_diff(struct fx_module *before, struct fx_module *after,
	struct fx_module_change **ret, size_t *count_ret)
{
	struct fx_module_walk *at = fx_module_walk_new(after, true);
	struct walk walk = { .whole = NULL };
	struct fx_module *module;
	const char *path;

	while (fx_module_walk_next(at, &module, &path))
		if (!is_told(&walk, path))
			compare_modules(&walk, path,
				fx_module_find(before, path), module);
	fx_module_walk_free(at);
	walk.whole = NULL;
	at = fx_module_walk_new(before, true);
	while (fx_module_walk_next(at, &module, &path))
		if (!is_told(&walk, path) && !fx_module_find(after, path))
			compare_modules(&walk, path, module, NULL);
	fx_module_walk_free(at);
	*ret = walk.rows.items;
	*count_ret = walk.rows.count;
}
