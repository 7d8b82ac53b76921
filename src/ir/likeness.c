/* likeness.c - how far two modules or tensors are the same. */
#include <config.h>

#include "ir/likeness.h"

#include <string.h>

#include "ir/graph.h"
#include "ir/graph_hash.h"
#include "ir/module.h"

/* Apart from members.  Whether something is a leaf is the tracer's choice, and
 * what a graph is called that.
 */
static bool
is_like(const struct fx_module *a, const struct fx_module *b)
{
	if (a->graph && b->graph)
		return a->training == b->training &&
		       fx_graph_hash_equal(a->graph, b->graph);
	return a->class_name == b->class_name && a->training == b->training &&
	       a->own_code == b->own_code &&
	       fx_graph_hash_equal(a->graph, b->graph) &&
	       fx_value_equal(&a->config, &b->config);
}

static bool
is_laid_alike(const struct fx_tensor *a, const struct fx_tensor *b)
{
	return a->dtype == b->dtype && a->rank == b->rank &&
	       a->is_buffer == b->is_buffer &&
	       a->requires_grad == b->requires_grad &&
	       !memcmp(a->sizes, b->sizes, a->rank * sizeof(*a->sizes));
}

enum fx_likeness
fx_likeness_of_tensors(const struct fx_tensor *a, const struct fx_tensor *b)
{
	if (!a || !b)
		return a == b ? FX_LIKENESS_SAME : FX_LIKENESS_DIFFERENT;
	if (fx_tensor_equal(a, b))
		return FX_LIKENESS_SAME;
	return is_laid_alike(a, b) ? FX_LIKENESS_OTHER_VALUES
				   : FX_LIKENESS_DIFFERENT;
}

/* MODULE and INNER, which OTHER has at the same place, by their own members. */
static enum fx_likeness
compare_members(const struct fx_module *module, const struct fx_module *inner)
{
	enum fx_likeness all = FX_LIKENESS_SAME;

	if (!is_like(module, inner) ||
		module->member_count != inner->member_count)
		return FX_LIKENESS_DIFFERENT;
	if (module->graph && fx_likeness_of_modules(module->graph->module,
				     inner->graph->module) != FX_LIKENESS_SAME)
		return FX_LIKENESS_DIFFERENT;
	for (size_t i = 0; i < inner->member_count; i++) {
		const struct fx_member *m = &inner->members[i];
		const struct fx_member *mine =
			fx_module_member(module, m->name);
		enum fx_likeness one;

		if (!mine || !mine->child != !m->child)
			return FX_LIKENESS_DIFFERENT;
		one = fx_likeness_of_tensors(mine->tensor, m->tensor);
		all = one > all ? one : all;
	}
	return all;
}

enum fx_likeness
fx_likeness_of_modules(struct fx_module *mine, struct fx_module *other)
{
	struct fx_module_walk *walk;
	enum fx_likeness all = mine ? FX_LIKENESS_SAME : FX_LIKENESS_DIFFERENT;
	struct fx_module *inner;
	const char *path;

	if (!mine)
		return FX_LIKENESS_DIFFERENT;
	walk = fx_module_walk_new(other, true);
	while (all != FX_LIKENESS_DIFFERENT &&
		fx_module_walk_next(walk, &inner, &path)) {
		struct fx_module *at = fx_module_find(mine, path);
		enum fx_likeness one =
			at ? compare_members(at, inner) : FX_LIKENESS_DIFFERENT;

		all = one > all ? one : all;
	}
	fx_module_walk_free(walk);
	return all;
}
