/* diff_modules.c - what differs between two module trees, matched by path. */
#include <config.h>

#include "ir/diff.h"

#include "base/str.h"
#include "base/vec.h"
#include "ir/graph_hash.h"
#include "ir/module.h"

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
compare(struct walk *walk, const char *path, const struct fx_module *before,
	const struct fx_module *after)
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
			compare(&walk, path, fx_module_find(before, path),
				module);
	fx_module_walk_free(at);
	walk.whole = NULL;
	at = fx_module_walk_new(before, true);
	while (fx_module_walk_next(at, &module, &path))
		if (!is_told(&walk, path) && !fx_module_find(after, path))
			compare(&walk, path, module, NULL);
	fx_module_walk_free(at);
	*ret = walk.rows.items;
	*count_ret = walk.rows.count;
}
