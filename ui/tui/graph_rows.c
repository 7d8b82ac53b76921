/* graph_rows.c - the rows of the graph pane: nodes and folded modules, with
 * their lanes.
 *
 * Made from the whole graph, in linear time, when it or the scope or the folds
 * have changed.
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/str.h"
#include "session/nested.h"
#include "session/passing.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/settings.h"
#include "ui/tui/graph_rows.h"
#include "ui/tui/tui_private.h"

enum {
	NARROW_COLUMNS = 60, /* a smaller screen has fewer lanes */
	NARROW_LANES = 3,
};

/* The outermost folded module that PATH lies in, or NULL. */
static const char *
fold_of(const struct tui_graph *graph, const char *path)
{
	const char *end = path;
	const char *last = graph->rows.runs.count
				   ? fx_vec_last(&graph->rows.runs).fold
				   : NULL;

	if (!graph->folds.count || !path || !*path)
		return NULL;
	/* Nodes of a module mostly follow each other. */
	if (last && fx_str_is_below(path, last))
		return last;
	do {
		const char *part;

		end += strcspn(end + 1, ".") + 1;
		part = fx_intern_n(path, (size_t)(end - path));
		if (fx_map_has(&graph->folds, (uintptr_t)part))
			return part;
	} while (*end);
	return NULL;
}

static void
add_row(struct tui_graph *graph, size_t position, const char *fold)
{
	struct fx_dag_run run = { .first = position, .count = 1, .fold = fold };

	if (fold && graph->rows.runs.count) {
		struct fx_dag_run *last = &fx_vec_last(&graph->rows.runs);

		if (last->fold == fold &&
			last->first + last->count == position) {
			last->count++;
			return;
		}
	}
	fx_vec_push(&graph->rows.runs, run);
}

/* Some positions, ascending. */
struct positions {
	size_t *items; /* NULL: all */
	size_t count;
};

/* The nodes in the scope that was entered; the caller frees the items. */
static struct positions
scope_positions(struct tui *tui, struct fx_model *model)
{
	const char *scope = tui_graph_scope(model);
	struct positions scoped = { 0 };
	FX_AUTO_BUF struct fx_buf query = { 0 };
	struct fx_error *err;

	if (!scope || !*scope)
		return scoped;
	fx_buf_addf(&query, "{in %s}", scope);
	err = fx_resolve_set_quietly(tui->session, model, fx_buf_text(&query),
		&scoped.items, &scoped.count);
	fx_error_free(err);
	return scoped;
}

/* What a filter shows of SCOPED has rows of its own: folds would hide what it
 * is for.
 */
static void
make_filtered_rows(struct tui_graph *graph, const struct positions *scoped)
{
	const struct tui_filter *filter = &graph->filter;
	size_t next = 0;

	for (size_t i = 0; i < filter->count; i++) {
		size_t position = filter->positions[i];

		while (next < scoped->count && scoped->items[next] < position)
			next++;
		if (!scoped->items || (next < scoped->count &&
					      scoped->items[next] == position))
			add_row(graph, position, NULL);
	}
}

static void
make_scoped_rows(struct tui_graph *graph, struct fx_model *model,
	const struct positions *scoped)
{
	size_t next = 0;
	size_t position = 0;
	const char *scope = NULL;
	const struct fx_node *node;

	fx_graph_for_each_node (node, fx_position_graph(model)) {
		bool is_in = !scoped->items;

		if (graph->folds.count)
			scope = fx_dag_scope(node, scope);
		if (next < scoped->count && scoped->items[next] == position) {
			next++;
			is_in = true;
		}
		if (is_in)
			add_row(graph, position, fold_of(graph, scope));
		position++;
	}
}

static void
drop_rows(struct tui_rows *rows)
{
	fx_dag_free(rows->dag);
	fx_lanes_free(rows->rails);
	rows->dag = NULL;
	rows->rails = NULL;
	fx_vec_deinit(&rows->runs);
}

static void
make_rails(struct tui_graph *graph, struct fx_model *model)
{
	struct fx_lanes_options options = FX_LANES_DEFAULTS;

	options.lane_cap = graph->lane_cap;
	options.hub_limit = graph->hub_limit;
	if (!graph->rows.dag) {
		graph->rows.dag = fx_dag_of_runs(fx_position_graph(model),
			graph->rows.runs.items, graph->rows.runs.count);
		graph->rows.rails = fx_lanes_new(graph->rows.dag, &options);
		return;
	}
	/* Made anew at a key; new memory would take as long as all of it. */
	fx_dag_fill(graph->rows.dag, fx_position_graph(model),
		graph->rows.runs.items, graph->rows.runs.count);
	fx_lanes_fill(graph->rows.rails, graph->rows.dag, &options);
}

static int
lane_cap(const struct tui *tui)
{
	int cap = (int)fx_settings_int(fx_session_settings(tui->session),
		FX_SET_LANE_CAP);

	return tui->grid->columns < NARROW_COLUMNS ? FX_MIN(cap, NARROW_LANES)
						   : cap;
}

/* Note what the rows will be made from, but for the filter; false if it is as
 * before.
 */
static bool
has_changed(struct tui *tui, struct fx_model *model)
{
	struct tui_graph *graph = &tui->graph;
	const struct fx_graph *of = fx_position_graph(model);
	const char *scope = tui_graph_scope(model);
	int cap = lane_cap(tui);
	int hub = (int)fx_settings_int(fx_session_settings(tui->session),
		FX_SET_HUB_LIMIT);
	bool changed = !graph->rows.rails || graph->graph != of ||
		       graph->serial != of->serial ||
		       graph->version != of->version || graph->scope != scope ||
		       graph->folds_seen != graph->folds_version ||
		       graph->lane_cap != cap || graph->hub_limit != hub;

	graph->graph = of;
	graph->serial = of->serial;
	graph->version = of->version;
	graph->scope = scope;
	graph->folds_seen = graph->folds_version;
	graph->lane_cap = cap;
	graph->hub_limit = hub;
	return changed;
}

size_t
tui_graph_row_of(const struct tui *tui, size_t position)
{
	const struct tui_graph *graph = &tui->graph;
	size_t low = 0;
	size_t high = graph->rows.runs.count;

	/* The last row that begins at POSITION or before. */
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (graph->rows.runs.items[middle].first <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

bool
tui_graph_has(const struct tui *tui, size_t position)
{
	const struct fx_dag_run *run;

	if (!tui->graph.rows.runs.count)
		return false;
	run = &tui->graph.rows.runs.items[tui_graph_row_of(tui, position)];
	return position >= run->first && position < run->first + run->count;
}

/* Rows of what the filter shows; false if there are none, and it has ended. */
static bool
make_filtered(struct tui *tui, struct fx_model *model,
	const struct positions *scoped)
{
	struct tui_graph *graph = &tui->graph;

	if (!tui_filter_resolve(tui, model))
		return false;
	make_filtered_rows(graph, scoped);
	if (!graph->rows.runs.count)
		tui_filter_end(tui, "no node is in it here");
	return graph->rows.runs.count > 0;
}

/* All rows are kept while there is a filter, and are there again after it. */
static void
make_rows(struct tui *tui, struct fx_model *model)
{
	struct tui_graph *graph = &tui->graph;
	struct positions scoped = scope_positions(tui, model);

	if (make_filtered(tui, model, &scoped)) {
		make_rails(graph, model);
	} else if (graph->aside.rails) {
		drop_rows(&graph->rows);
		graph->rows = graph->aside;
		graph->aside = (struct tui_rows){ .dag = NULL };
	} else {
		make_scoped_rows(graph, model, &scoped);
		make_rails(graph, model);
	}
	free(scoped.items);
}

void
tui_graph_refresh(struct tui *tui, int columns)
{
	struct tui_graph *graph = &tui->graph;
	struct tui_view *view = &tui->views[TUI_VIEW_GRAPH];
	struct fx_model *model = tui_model(tui);
	const struct fx_node *node;
	bool is_other;

	(void)columns;
	if (!model) {
		drop_rows(&graph->rows);
		drop_rows(&graph->aside);
		graph->graph = NULL;
		return;
	}
	is_other = has_changed(tui, model);
	if (!is_other && graph->filter_seen == graph->filter.version)
		return;
	if (is_other)
		drop_rows(&graph->aside);
	if (!is_other && !graph->is_filtered) {
		graph->aside = graph->rows;
		graph->rows = (struct tui_rows){ .dag = NULL };
	} else {
		fx_vec_clear(&graph->rows.runs);
	}
	make_rows(tui, model);
	graph->is_filtered = graph->filter.text != NULL;
	graph->filter_seen = graph->filter.version;
	node = fx_graph_find_id(graph->graph, graph->selected);
	if (node)
		tui_view_go(view,
			tui_graph_row_of(tui,
				fx_graph_position(fx_position_graph(model),
					node)));
}

const char *
tui_graph_candidate_mark(const struct tui *tui, const struct fx_node *node)
{
	static const char *const marks[] = { [FX_PASSING_WAITS] = "?",
		[FX_PASSING_AT_HAND] = "*",
		[FX_PASSING_APPLIED] = "y",
		[FX_PASSING_SKIPPED] = "n" };
	const struct fx_passing *passing = fx_session_passing(tui->session);

	if (!passing || fx_passing_model(passing) != tui_model(tui))
		return NULL;
	return marks[fx_passing_mark(passing, node->id)];
}

const char *
tui_graph_scope(const struct fx_model *model)
{
	return fx_position_graph(model) == fx_model_graph(model)
		       ? fx_model_scope(model)
		       : "";
}

const char *
tui_graph_run_by(struct tui *tui, size_t row)
{
	const struct fx_model *model = tui_model(tui);
	const struct fx_dag_run *run =
		row < tui->graph.rows.runs.count
			? &tui->graph.rows.runs.items[row]
			: NULL;

	return model && run && !run->fold
		       ? fx_model_run_by(model,
				 fx_graph_at(fx_position_graph(model),
					 run->first))
		       : NULL;
}

void
tui_graph_toggle_fold(struct tui *tui, const char *path)
{
	struct tui_graph *graph = &tui->graph;

	graph->folds_version++;
	if (!fx_map_erase(&graph->folds, (uintptr_t)path))
		fx_map_set(&graph->folds, (uintptr_t)path, 1);
}

/* The module at PATH or around it that is DEPTH steps deep, or NULL. */
static const char *
module_at(const char *path, int depth)
{
	const char *end = path;

	for (; depth > 0 && *end; depth--)
		end += strcspn(end + 1, ".") + 1;
	return depth == 0 ? fx_intern_n(path, (size_t)(end - path)) : NULL;
}

static int
depth_of(const char *path)
{
	int depth = *path != '\0';

	for (; *path; path++)
		depth += *path == '.';
	return depth;
}

bool
tui_graph_fold_all(struct tui *tui, int depth)
{
	struct tui_graph *graph = &tui->graph;
	const struct fx_model *model = tui_model(tui);
	bool had_folds = graph->folds.count > 0;
	const char *scope = NULL;
	const char *last = NULL;
	const struct fx_node *node;

	fx_map_clear(&graph->folds);
	if (model && depth > 0) {
		depth += depth_of(tui_graph_scope(model));
		fx_graph_for_each_node (node, fx_position_graph(model)) {
			scope = fx_dag_scope(node, scope);
			if (!scope || (last && fx_str_is_below(scope, last)))
				continue;
			last = *scope ? module_at(scope, depth) : NULL;
			if (last)
				fx_map_set(&graph->folds, (uintptr_t)last, 1);
		}
	}
	/* Rows cost more than all of this: none anew for nothing. */
	if (had_folds || graph->folds.count)
		graph->folds_version++;
	return graph->folds.count > 0;
}

void
tui_graph_deinit(struct tui *tui)
{
	drop_rows(&tui->graph.rows);
	drop_rows(&tui->graph.aside);
	fx_map_deinit(&tui->graph.folds);
	tui_filter_deinit(&tui->graph.filter);
}
