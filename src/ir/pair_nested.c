/* pair_nested.c - two graphs and the graphs nested in them, in pairs. */
#include <config.h>

#include "ir/pair_nested.h"

#include "base/intern.h"
#include "base/map.h"
#include "base/vec.h"
#include "ir/control.h"
#include "ir/module.h"

struct pairing {
	struct fx_nested_pairs *list;
	struct fx_map paired; /* nested graph of either side -> 1 */
	const struct fx_tick *tick;
};

static void
add(struct pairing *p, struct fx_graph *before, struct fx_graph *after,
	const char *before_path, const char *after_path)
{
	struct fx_nested_pair pair = { .paths = { before_path, after_path } };

	fx_pairs_make(before, after, p->tick, &pair.pairs);
	p->list->is_stopped |= pair.pairs.is_stopped;
	fx_map_set_pointer(&p->paired, before, before);
	fx_map_set_pointer(&p->paired, after, after);
	fx_vec_push(p->list, pair);
}

/* PATH below OUTER, which may be "". */
static const char *
path_below(const char *outer, const char *path)
{
	return *outer ? fx_module_path(outer, path) : fx_intern(path);
}

static void
add_by_path(struct pairing *p, struct fx_nested_pair outer)
{
	struct fx_graph *const *graphs = outer.pairs.graphs;
	struct fx_module_walk *walk =
		fx_module_walk_new(graphs[1]->module, true);
	struct fx_module *after;
	const char *path;

	while (fx_module_walk_next(walk, &after, &path)) {
		const struct fx_module *before =
			after->graph ? fx_module_find(graphs[0]->module, path)
				     : NULL;

		if (before && before->graph)
			add(p, before->graph, after->graph,
				path_below(outer.paths[0], path),
				path_below(outer.paths[1], path));
	}
	fx_module_walk_free(walk);
}

/* The graphs that BEFORE and AFTER, which are paired, run. */
static void
add_run_by(struct pairing *p, struct fx_nested_pair outer,
	const struct fx_node *before, const struct fx_node *after)
{
	struct fx_graph *old[2] = { NULL };
	struct fx_graph *new[2] = { NULL };
	size_t count = fx_control_graphs(before, old);

	if (count != fx_control_graphs(after, new))
		return;
	for (size_t i = 0; i < count; i++)
		if (old[i] && new[i] &&
			!fx_map_has(&p->paired, (uintptr_t)old[i]) &&
			!fx_map_has(&p->paired, (uintptr_t) new[i]))
			add(p, old[i], new[i],
				path_below(outer.paths[0],
					fx_control_path(outer.pairs.graphs[0],
						old[i])),
				path_below(outer.paths[1],
					fx_control_path(outer.pairs.graphs[1],
						new[i])));
}

static void
add_by_callers(struct pairing *p, struct fx_nested_pair outer)
{
	const struct fx_node *after;
	size_t i = 0;

	fx_graph_for_each_node (after, outer.pairs.graphs[1]) {
		const struct fx_node *before = outer.pairs.mates[1][i++];

		if (before)
			add_run_by(p, outer, before, after);
	}
}

void
fx_nested_pairs_make(struct fx_graph *before, struct fx_graph *after,
	const struct fx_tick *tick, struct fx_nested_pairs *ret)
{
	struct pairing p = { .list = ret, .tick = tick };

	*ret = (struct fx_nested_pairs){ .count = 0 };
	add(&p, before, after, fx_intern(""), fx_intern(""));
	for (size_t i = 0; i < ret->count && !ret->is_stopped; i++) {
		add_by_path(&p, ret->items[i]);
		add_by_callers(&p, ret->items[i]);
	}
	fx_map_deinit(&p.paired);
}

void
fx_nested_pairs_deinit(struct fx_nested_pairs *pairs)
{
	for (size_t i = 0; i < pairs->count; i++)
		fx_pairs_deinit(&pairs->items[i].pairs);
	fx_vec_deinit(pairs);
}
