/* edits_judge.c - the commands that turn one graph into another: whether they
 * do.
 */
#include <config.h>

#include "base/intern.h"
#include "emit/edits_private.h"
#include "ir/graph_hash.h"
#include "ir/module.h"

/* PATH below OUTER, which may be "". */
static const char *
path_below(const char *outer, const char *path)
{
	return *outer ? fx_module_path(outer, path) : fx_intern(path);
}

/* Whether A and B read the same, types too. */
static bool
is_same(const struct fx_graph *a, const struct fx_graph *b)
{
	const struct fx_node *node = fx_graph_first(a);
	const struct fx_node *other;

	if (!fx_hash_equal(fx_graph_text_hash(a), fx_graph_text_hash(b)))
		return false;
	fx_graph_for_each_node (other, b) {
		if (!node || node->type != other->type)
			return false;
		node = fx_graph_next(node);
	}
	return true;
}

/* Another place than PATH where INNER is nested in GRAPH, at OUTER; or NULL. */
static const char *
other_place(const struct fx_graph *graph, const char *outer,
	const struct fx_graph *inner, const char *path)
{
	struct fx_module_walk *walk = fx_module_walk_new(graph->module, false);
	struct fx_module *module;
	const char *below;
	const char *found = NULL;

	while (!found && fx_module_walk_next(walk, &module, &below)) {
		const char *place = path_below(outer, below);

		if (!module->graph || module->graph == graph)
			continue;
		if (module->graph == inner && place != path)
			found = place;
		else
			found = other_place(module->graph, place, inner, path);
	}
	fx_module_walk_free(walk);
	return found;
}

struct judging {
	struct fx_edits_text *text;
	const struct fx_graph *root; /* of the copy */
};

static void
judge_one(const struct judging *j, const char *path,
	const struct fx_graph *copy, const struct fx_graph *after)
{
	struct fx_edits e = { .text = j->text, .path = path };
	const char *other;

	if (fx_map_has(&j->text->told, (uintptr_t)path) || is_same(copy, after))
		return;
	other = other_place(j->root, fx_intern(""), copy, path);
	if (other)
		fx_edits_cannot(&e, NULL, "this graph is also /%s", other);
	else
		fx_edits_cannot(&e, NULL, "the graphs still differ");
}

static void
judge(const struct judging *j, const char *path, const struct fx_graph *copy,
	const struct fx_graph *after)
{
	struct fx_edits e = { .text = j->text, .path = path };
	struct fx_module_walk *walk = fx_module_walk_new(after->module, true);
	bool is_told = fx_map_has(&j->text->told, (uintptr_t)path);
	struct fx_module *module;
	const char *below;

	judge_one(j, path, copy, after);
	while (fx_module_walk_next(walk, &module, &below)) {
		const struct fx_module *mine =
			module->graph ? fx_module_find(copy->module, below)
				      : NULL;

		if (mine && mine->graph)
			judge(j, path_below(path, below), mine->graph,
				module->graph);
		else if (module->graph && !is_told)
			fx_edits_cannot(&e, NULL,
				"no command makes the graph %s", below);
	}
	fx_module_walk_free(walk);
}

void
fx_edits_judge(struct fx_edits_text *text, const struct fx_graph *copy,
	const struct fx_graph *after)
{
	const struct judging judging = { .text = text, .root = copy };

	judge(&judging, fx_intern(""), copy, after);
}

bool
fx_edits_read_same(const struct fx_graph *a, const struct fx_graph *b)
{
	struct fx_module_walk *walk = fx_module_walk_new(b->module, true);
	struct fx_module *module;
	const char *path;
	bool same = is_same(a, b);

	while (same && fx_module_walk_next(walk, &module, &path)) {
		const struct fx_module *mine =
			module->graph ? fx_module_find(a->module, path) : NULL;

		if (module->graph)
			same = mine && mine->graph &&
			       fx_edits_read_same(mine->graph, module->graph);
	}
	fx_module_walk_free(walk);
	return same;
}
