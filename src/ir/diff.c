/* diff.c - what differs between two graphs whose nodes are paired.
 *
 * The longest run of pairs that stands in the same relative order on both
 * sides has stayed; the other pairs have moved.
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
#include "ir/order.h"
#include "ir/pair.h"

/* Which nodes of the second graph, in order, have stayed. */
static bool *
find_stayed(const struct fx_pairs *pairs)
{
	size_t count = pairs->counts[1];
	uint64_t *places = fx_xcalloc(count + 1, sizeof(*places));
	bool *stayed = fx_xcalloc(count + 1, sizeof(*stayed));

	for (size_t i = 0; i < count; i++)
		places[i] = pairs->mates[1][i] ? pairs->mates[1][i]->order
					       : FX_ORDER_NONE;
	fx_order_longest(places, count, stayed);
	free(places);
	return stayed;
}

/* What differs between BEFORE and its mate AFTER, as bits. */
static unsigned
compare(const struct fx_pairs *pairs, const struct fx_node *before,
	const struct fx_node *after)
{
	unsigned differs = 0;

	/* Names, targets and types are interned. */
	if (before->name != after->name)
		differs |= FX_DIFFERS_NAME;
	if (before->opcode != after->opcode)
		differs |= FX_DIFFERS_OPCODE;
	if (before->target != after->target)
		differs |= FX_DIFFERS_TARGET;
	if (before->type != after->type)
		differs |= FX_DIFFERS_TYPE;
	if (before->is_wrapped != after->is_wrapped)
		differs |= FX_DIFFERS_WRAPPED;
	if (!fx_pairs_equal(pairs, &before->args, &after->args))
		differs |= FX_DIFFERS_ARGS;
	if (!fx_pairs_equal(pairs, &before->kwargs, &after->kwargs))
		differs |= FX_DIFFERS_KWARGS;
	return differs;
}

static enum fx_change_kind
kind_of(const struct fx_change *row, bool has_stayed)
{
	if (!row->before)
		return FX_CHANGE_ADDED;
	if (row->differs & ~(unsigned)FX_DIFFERS_NAME)
		return FX_CHANGE_CHANGED;
	if (row->differs)
		return FX_CHANGE_RENAMED;
	return has_stayed ? FX_CHANGE_SAME : FX_CHANGE_MOVED;
}

typedef FX_VEC(struct fx_change) change_vec;

/* Rows for what was removed between AT and END of the first graph. */
static struct fx_node *
add_removed(change_vec *rows, const struct fx_pairs *pairs, struct fx_node *at,
	const struct fx_node *end)
{
	for (; at && at != end; at = fx_graph_next(at)) {
		struct fx_change row = { .kind = FX_CHANGE_REMOVED,
			.before = at };

		if (!fx_pairs_mate(pairs, at))
			fx_vec_push(rows, row);
	}
	return at;
}

void
fx_graph_diff(const struct fx_pairs *pairs, struct fx_change **ret,
	size_t *count_ret)
{
	FX_AUTO_FREE bool *has_stayed = find_stayed(pairs);
	change_vec rows = { 0 };
	struct fx_node *old = fx_graph_first(pairs->graphs[0]);
	struct fx_node *node;
	size_t i = 0;

	fx_graph_for_each_node (node, pairs->graphs[1]) {
		struct fx_change row = { .before = pairs->mates[1][i],
			.after = node,
			.has_moved = pairs->mates[1][i] && !has_stayed[i] };

		if (has_stayed[i])
			old = add_removed(&rows, pairs, old, row.before);
		if (row.before)
			row.differs = compare(pairs, row.before, node);
		row.kind = kind_of(&row, has_stayed[i++]);
		fx_vec_push(&rows, row);
	}
	add_removed(&rows, pairs, old, NULL);
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

/* Apart from its members.  Graphs that both own are told node by node
 * (ir/pair_nested.h).
 */
static bool
is_like(const struct fx_module *a, const struct fx_module *b)
{
	return a->training == b->training && a->is_leaf == b->is_leaf &&
	       a->own_code == b->own_code && !a->graph == !b->graph &&
	       fx_value_equal(&a->config, &b->config);
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
	bool own = before && after && before->graph && after->graph;

	/* Class names are interned. */
	if (*path && !holds && !own &&
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
