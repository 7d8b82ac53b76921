/* view_graph.c - the graph pane: one node a row, with lanes.
 *
 *	=>24 .  | * layer2_0_downsample_0 <x>           [1,128,28,28]
 *
 * Mark, index, state, breakpoint, lanes, name, inputs without a lane, shape.
 * Rows and lanes are made from the whole graph, in linear time, when it or
 * the scope or the folds have changed; only the rows in sight are drawn.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "ir/value_text.h"
#include "session/position.h"
#include "session/resolve.h"
#include "session/settings.h"
#include "ui/tui/tui_private.h"

enum {
	NARROW_COLUMNS = 60, /* a smaller screen has fewer lanes */
	NARROW_LANES = 3,
	FOLD_LOOKED_AT = 1000,
	NAME_COLUMNS = 12, /* kept for the name before chips and shape */
};

/* --- rows --------------------------------------------------------------- */

static bool
is_inside(const char *path, const char *module)
{
	size_t length = strlen(module);

	return strncmp(path, module, length) == 0 &&
	       (!path[length] || path[length] == '.');
}

/* The outermost folded module that PATH lies in, or NULL. */
static const char *
fold_of(const struct tui_graph *graph, const char *path)
{
	const char *outermost = NULL;

	for (size_t i = 0; path && i < graph->folds.count; i++) {
		const char *fold = graph->folds.items[i];

		if (is_inside(path, fold) &&
			(!outermost || strlen(fold) < strlen(outermost)))
			outermost = fold;
	}
	return outermost;
}

static void
add_row(struct tui_graph *graph, size_t position, const char *fold)
{
	struct fx_dag_run run = { .first = position, .count = 1, .fold = fold };

	if (fold && graph->runs.count) {
		struct fx_dag_run *last = &fx_vec_last(&graph->runs);

		if (last->fold == fold &&
			last->first + last->count == position) {
			last->count++;
			return;
		}
	}
	fx_vec_push(&graph->runs, run);
}

/* The positions of the nodes in the scope that was entered: *POSITIONS_RET is
 * NULL for all of them; the caller frees it.
 */
static void
scope_positions(struct tui *tui, struct fx_model *model, size_t **positions_ret,
	size_t *count_ret)
{
	const char *scope = fx_model_scope(model);
	FX_AUTO_BUF struct fx_buf query = { 0 };
	struct fx_error *err;

	*positions_ret = NULL;
	*count_ret = 0;
	if (!scope || !*scope)
		return;
	fx_buf_addf(&query, "{in %s}", scope);
	err = fx_resolve_set(tui->session, model, fx_buf_text(&query),
		positions_ret, count_ret);
	fx_error_free(err);
}

static void
make_rows(struct tui *tui, struct fx_model *model)
{
	struct tui_graph *graph = &tui->graph;
	FX_AUTO_FREE size_t *positions = NULL;
	size_t count;
	size_t next = 0;
	size_t position = 0;
	const char *scope = NULL;
	const struct fx_node *node;

	scope_positions(tui, model, &positions, &count);
	fx_vec_clear(&graph->runs);
	fx_graph_for_each_node (node, fx_model_graph(model)) {
		bool is_in = !positions;

		scope = fx_dag_scope(node, scope);
		if (positions && next < count && positions[next] == position) {
			next++;
			is_in = true;
		}
		if (is_in)
			add_row(graph, position, fold_of(graph, scope));
		position++;
	}
}

static void
drop_rows(struct tui_graph *graph)
{
	fx_dag_free(graph->dag);
	fx_rails_free(graph->rails);
	graph->dag = NULL;
	graph->rails = NULL;
	fx_vec_clear(&graph->runs);
}

static void
make_rails(struct tui_graph *graph, struct fx_model *model)
{
	FX_AUTO_DAG struct fx_dag *whole =
		fx_dag_of_graph(fx_model_graph(model));
	struct fx_rails_options options = FX_RAILS_DEFAULTS;

	options.lane_cap = graph->lane_cap;
	options.hub_limit = graph->hub_limit;
	graph->dag =
		fx_dag_of_runs(whole, graph->runs.items, graph->runs.count);
	graph->rails = fx_rails_new(graph->dag, &options);
}

static int
lane_cap(const struct tui *tui)
{
	int cap = (int)fx_settings_int(fx_session_settings(tui->session),
		"lane-cap");

	return tui->grid->columns < NARROW_COLUMNS ? FX_MIN(cap, NARROW_LANES)
						   : cap;
}

/* Note what the rows will be made from; false if it is as before. */
static bool
has_changed(struct tui *tui, struct fx_model *model)
{
	struct tui_graph *graph = &tui->graph;
	const struct fx_graph *of = fx_model_graph(model);
	const char *scope = fx_model_scope(model);
	int cap = lane_cap(tui);
	int hub = (int)fx_settings_int(fx_session_settings(tui->session),
		"hub-limit");
	bool changed = !graph->rails || graph->graph != of ||
		       graph->version != of->version || graph->scope != scope ||
		       graph->folds_seen != graph->folds_version ||
		       graph->lane_cap != cap || graph->hub_limit != hub;

	graph->graph = of;
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
	size_t high = graph->runs.count;

	/* The last row that begins at POSITION or before. */
	while (low + 1 < high) {
		size_t middle = low + (high - low) / 2;

		if (graph->runs.items[middle].first <= position)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void
graph_refresh(struct tui *tui, int columns)
{
	struct tui_graph *graph = &tui->graph;
	struct tui_view *view = &tui->views[TUI_VIEW_GRAPH];
	struct fx_model *model = tui_model(tui);
	const struct fx_node *node;

	(void)columns;
	if (!model) {
		drop_rows(graph);
		graph->graph = NULL;
		return;
	}
	if (!has_changed(tui, model))
		return;
	drop_rows(graph);
	make_rows(tui, model);
	make_rails(graph, model);
	node = fx_graph_find_id(fx_model_graph(model), graph->selected);
	if (node)
		tui_view_go(view,
			tui_graph_row_of(tui,
				fx_graph_position(fx_model_graph(model),
					node)));
}

/* --- the selection ------------------------------------------------------ */

/* The node of ROW (the first one of a fold), or NULL. */
static struct fx_node *
node_of(const struct tui *tui, size_t row)
{
	struct fx_model *model = tui_model(tui);

	if (!model || tui->graph.graph != fx_model_graph(model) ||
		row >= tui->graph.runs.count)
		return NULL;
	return fx_graph_at(fx_model_graph(model),
		tui->graph.runs.items[row].first);
}

struct fx_node *
tui_selected(struct tui *tui)
{
	graph_refresh(tui, 0);
	return node_of(tui, tui->views[TUI_VIEW_GRAPH].selected);
}

void
tui_graph_remember(struct tui *tui)
{
	const struct fx_model *model = tui_model(tui);
	const struct fx_node *node;

	/* Rows from before an edit say nothing about the graph after it. */
	if (!model || tui->graph.version != fx_model_graph(model)->version)
		return;
	node = node_of(tui, tui->views[TUI_VIEW_GRAPH].selected);
	if (node)
		tui->graph.selected = node->id;
}

const char *
tui_graph_scope_of(struct tui *tui, size_t row)
{
	const struct fx_node *node = node_of(tui, row);
	const struct fx_node *before;
	const char *scope;

	if (!node)
		return NULL;
	if (tui->graph.runs.items[row].fold)
		return tui->graph.runs.items[row].fold;
	/* Back to a node that says its scope by itself. */
	before = node;
	while (before && !before->scope &&
		(before->opcode == FX_OPCODE_CALL_FUNCTION ||
			before->opcode == FX_OPCODE_CALL_METHOD))
		before = fx_graph_previous(before);
	scope = before ? fx_dag_scope(before, NULL) : NULL;
	return fx_dag_scope(node, scope);
}

void
tui_graph_toggle_fold(struct tui *tui, const char *path)
{
	struct tui_graph *graph = &tui->graph;

	graph->folds_version++;
	for (size_t i = 0; i < graph->folds.count; i++) {
		if (graph->folds.items[i] == path) {
			fx_vec_remove(&graph->folds, i);
			return;
		}
	}
	fx_vec_push(&graph->folds, path);
}

/* The newest node of the transaction that was made last, or NULL. */
static const struct fx_node *
new_node(const struct fx_graph *graph, uint32_t time)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		if (node->born == time)
			return node;
	return NULL;
}

void
tui_graph_follow(struct tui *tui)
{
	struct tui_graph *graph = &tui->graph;
	struct fx_model *model = tui_model(tui);
	const struct fx_graph *before = graph->graph;
	struct fx_graph *of;
	uint32_t time;
	size_t position;
	bool started;

	if (!model)
		return;
	of = fx_model_graph(model);
	time = fx_journal_now(of);
	position = fx_position_get(model);
	started = fx_position_is_started(model);
	graph_refresh(tui, 0);
	if (before == of && time > graph->time) {
		const struct fx_node *node = new_node(of, time);

		if (node)
			tui_view_go(&tui->views[TUI_VIEW_GRAPH],
				tui_graph_row_of(tui,
					fx_graph_position(of, node)));
	} else if (before != of || position != graph->position ||
		   started != graph->was_started) {
		tui_view_go(&tui->views[TUI_VIEW_GRAPH],
			tui_graph_row_of(tui, started ? position : 0));
	}
	graph->time = time;
	graph->position = position;
	graph->was_started = started;
	tui_graph_remember(tui);
}

/* --- drawing ------------------------------------------------------------ */

static int
digits(size_t number)
{
	int count = 1;

	while (number >= 10) {
		number /= 10;
		count++;
	}
	return count;
}

static enum fx_role
state_role(const char *state)
{
	switch (*state) {
	case 'E':
		return FX_ROLE_ERROR;
	case 'N':
		return FX_ROLE_NONFINITE;
	case 'D':
		return FX_ROLE_DIRTY;
	case 'O':
		return FX_ROLE_OVERRIDDEN;
	case 'B':
		return FX_ROLE_BREAKPOINT;
	default:
		return FX_ROLE_STATE;
	}
}

/* The state of a row: of a fold, the one that most wants to be seen. */
static const char *
state_of(struct fx_model *model, const struct fx_dag_run *run)
{
	static const char order[] = "ENDOB";
	struct fx_node *node = fx_graph_at(fx_model_graph(model), run->first);
	const char *worst = fx_model_state(model, node);
	const char *rank = strchr(order, *worst);

	for (size_t i = 1; i < FX_MIN(run->count, FOLD_LOOKED_AT); i++) {
		const char *state;
		const char *at;

		node = fx_graph_next(node);
		state = fx_model_state(model, node);
		at = strchr(order, *state);
		/* Not all of it has run. */
		if (!rank && !at && *worst == 'V' && *state != 'V')
			worst = state;
		if (at && (!rank || at < rank)) {
			worst = state;
			rank = at;
		}
	}
	return worst;
}

/* Mark, index, state, breakpoint; returns the column after them. */
static int
paint_margin(struct tui *tui, struct fx_model *model,
	const struct fx_dag_run *run, const struct fx_area *area)
{
	const struct fx_graph *graph = fx_model_graph(model);
	struct fx_node *node = fx_graph_at(fx_model_graph(model), run->first);
	size_t stop = fx_position_get(model);
	bool is_here = fx_position_is_started(model) && stop >= run->first &&
		       stop < run->first + run->count;
	int width = FX_MAX(digits(graph->node_count), 2);
	const char *state = state_of(model, run);
	char index[32];
	int column;

	if (tui->lines == FX_LINES_ASCII && (unsigned char)*state >= 0x80)
		state = ".";
	snprintf(index, sizeof(index), "%*zu ", width, run->first);
	column = fx_area_text(area, 0, 0, FX_LOOK(CURRENT),
		is_here ? "=>" : "  ");
	column = fx_area_text(area, 0, column, FX_LOOK(NUMBER), index);
	column = fx_area_text(area, 0, column,
		(struct fx_look){ .role = state_role(state) }, state);
	fx_area_text(area, 0, column, FX_LOOK(BREAKPOINT),
		*state != 'B' && fx_model_has_breakpoint(model, node) ? "B"
								      : " ");
	return column + 2;
}

/* Whether the node at POSITION has a row, or is in a fold's. */
static bool
is_shown(const struct tui *tui, size_t position)
{
	const struct fx_dag_run *run =
		&tui->graph.runs.items[tui_graph_row_of(tui, position)];

	return position >= run->first && position < run->first + run->count;
}

typedef FX_VEC(const char *) name_vec;

/* Inputs of ROW that no lane leads to: those the lanes leave out, and those
 * outside the scope that is shown.
 */
static void
collect_chips(const struct tui *tui, size_t row, const struct fx_node *node,
	name_vec *names)
{
	size_t count;
	const uint32_t *named = fx_rails_named(tui->graph.rails, row, &count);

	for (size_t i = 0; i < count; i++)
		fx_vec_push(names, tui->graph.dag->nodes[named[i]].name);
	if (!*tui->graph.scope)
		return;
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);

		if (!is_shown(tui, fx_graph_position(node->graph, input)))
			fx_vec_push(names, input->name);
	}
}

/* Node names between angle quotes from COLUMN on, as many as fit. */
static void
paint_chips(struct tui *tui, const name_vec *names, const struct fx_area *area,
	int column, int end)
{
	bool plain = tui->lines == FX_LINES_ASCII;

	for (size_t i = 0; i < names->count; i++) {
		FX_AUTO_BUF struct fx_buf chip = { 0 };
		size_t more = names->count - i;
		int width;

		fx_buf_addf(&chip,
			plain ? " <%s>" : " \xe2\x80\xb9%s\xe2\x80\xba",
			names->items[i]);
		width = (int)fx_utf8_text_width(fx_buf_text(&chip),
			chip.length);
		if (column + width + (more > 1 ? 4 : 0) > end) {
			fx_buf_clear(&chip);
			fx_buf_addf(&chip, " +%zu", more);
			i = names->count;
		}
		column = fx_area_text(area, 0, column, FX_LOOK(MUTED),
			fx_buf_text(&chip));
	}
}

static int
paint_lanes(struct tui *tui, size_t row, const struct fx_area *area, int column)
{
	const struct tui_graph *graph = &tui->graph;
	struct fx_area lanes =
		fx_area_part(area, 0, column, 1, area->columns - column);
	struct fx_rails_pen pen = { .area = &lanes,
		.lines = tui->lines,
		.rail = FX_LOOK(MUTED),
		.node = FX_LOOK(OP) };
	int width = 2 * fx_rails_width(graph->rails);
	size_t hidden = fx_rails_hidden(graph->rails, row);

	fx_rails_paint(graph->rails, row, graph->dag->nodes[row].kind, &pen, 0);
	column += width;
	if (hidden) {
		char text[32];

		snprintf(text, sizeof(text),
			tui->lines == FX_LINES_ASCII ? ":+%zu "
						     : "\xe2\x94\x86+%zu ",
			hidden);
		column = fx_area_text(area, 0, column, FX_LOOK(MUTED), text);
	}
	return column;
}

/* The shape at the right edge; returns the column where it begins. */
static int
paint_shape(const struct fx_node *node, const struct fx_area *area, int from)
{
	FX_AUTO_BUF struct fx_buf shape = { 0 };
	const char *text;
	int column;

	if (!node->meta)
		return area->columns;
	fx_value_print_shape(&shape, node->meta, false);
	text = fx_buf_text(&shape);
	if (strcmp(text, "?") == 0)
		return area->columns;
	/* Without the dtype, which is in the node's pane. */
	if (strchr(text, '[') && *text != '(')
		text = strchr(text, '[');
	column =
		area->columns - (int)fx_utf8_text_width(text, strlen(text)) - 1;
	if (column < from + NAME_COLUMNS)
		return area->columns;
	fx_area_text(area, 0, column, FX_LOOK(SHAPE), text);
	return column;
}

static void
graph_row(void *context, size_t index, const struct fx_area *area)
{
	struct tui *tui = context;
	struct fx_model *model = tui_model(tui);
	const struct fx_dag_run *run = &tui->graph.runs.items[index];
	const struct fx_node *node =
		fx_graph_at(fx_model_graph(model), run->first);
	int column = paint_margin(tui, model, run, area);
	struct fx_area name;
	name_vec chips = { 0 };
	int end;

	column = paint_lanes(tui, index, area, column);
	end = run->fold ? area->columns : paint_shape(node, area, column);
	name = fx_area_part(area, 0, column, 1, end - column);
	if (run->fold) {
		fx_area_text(&name, 0, 0, FX_LOOK(SCOPE),
			tui->graph.dag->nodes[index].label);
		return;
	}
	column = fx_area_text(&name, 0, 0, FX_LOOK(NODE), node->name);
	collect_chips(tui, index, node, &chips);
	paint_chips(tui, &chips, &name, column, name.columns - 1);
	fx_vec_deinit(&chips);
}

static size_t
graph_count(void *context)
{
	return ((struct tui *)context)->graph.runs.count;
}

static long
graph_find(void *context, const char *words, long from, bool back)
{
	struct tui *tui = context;
	long count = (long)tui->graph.runs.count;

	for (long i = back ? from - 1 : from; i >= 0 && i < count;
		i += back ? -1 : 1) {
		const struct fx_node *node = node_of(tui, (size_t)i);
		const char *fold = tui->graph.runs.items[i].fold;

		bool matches = fold ? strcasestr(fold, words) != NULL
				    : strcasestr(node->name, words) ||
					       strcasestr(node->target, words);

		if (matches)
			return i;
	}
	return -1;
}

void
tui_graph_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_GRAPH];

	view->has_selection = true;
	view->refresh = graph_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = graph_count,
		.row = graph_row,
		.find = graph_find };
}

void
tui_graph_deinit(struct tui *tui)
{
	drop_rows(&tui->graph);
	fx_vec_deinit(&tui->graph.runs);
	fx_vec_deinit(&tui->graph.folds);
}
