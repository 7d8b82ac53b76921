/* view_graph.c - the graph pane: one node a row, with lanes.
 *
 *	=>24 .  | * layer2_0_downsample_0 <x>           [1,128,28,28]
 *
 * Mark, index, state, breakpoint, lanes, name, inputs without a lane, shape.
 * Only the rows in sight are drawn; graph_rows.c makes them all.
 */
#include <config.h>

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/str.h"
#include "base/utf8.h"
#include "session/nested.h"
#include "session/node_text.h"
#include "session/passing.h"
#include "session/position.h"
#include "session/search.h"
#include "ui/tui/graph_rows.h"
#include "ui/tui/tui_private.h"

enum {
	FOLD_LOOKED_AT = 1000,
	NAME_COLUMNS = 12, /* kept for the name before chips and shape ... */
	NAME_LONG = 20,    /* ... and of a long one */
};

/* --- the selection ------------------------------------------------------ */

/* The node of ROW (the first one of a fold), or NULL. */
static struct fx_node *
node_of(const struct tui *tui, size_t row)
{
	struct fx_model *model = tui_model(tui);

	struct fx_graph *graph = model ? fx_position_graph(model) : NULL;

	if (!graph || tui->graph.graph != graph ||
		tui->graph.serial != graph->serial ||
		row >= tui->graph.rows.runs.count)
		return NULL;
	return fx_graph_at(graph, tui->graph.rows.runs.items[row].first);
}

struct fx_node *
tui_selected(struct tui *tui)
{
	tui_graph_refresh(tui, 0);
	return node_of(tui, tui->views[TUI_VIEW_GRAPH].selected);
}

void
tui_graph_remember(struct tui *tui)
{
	const struct fx_model *model = tui_model(tui);
	const struct fx_node *node;

	/* Rows from before an edit say nothing about the graph after it. */
	if (!model || tui->graph.version != fx_position_graph(model)->version)
		return;
	node = node_of(tui, tui->views[TUI_VIEW_GRAPH].selected);
	if (node)
		tui->graph.selected = node->id;
}

const char *
tui_graph_scope_of(struct tui *tui, size_t row)
{
	const struct fx_node *node = node_of(tui, row);

	if (!node)
		return NULL;
	if (tui->graph.rows.runs.items[row].fold)
		return tui->graph.rows.runs.items[row].fold;
	return fx_dag_scope_alone(node);
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

/* Select the row of POSITION, or the one before it, which with a filter would
 * only look like it.
 */
static void
show_position(struct tui *tui, size_t position)
{
	if (!tui->graph.filter.text || tui_graph_has(tui, position))
		tui_view_go(&tui->views[TUI_VIEW_GRAPH],
			tui_graph_row_of(tui, position));
}

static void
show_stop(struct tui *tui, const struct fx_model *model)
{
	size_t stop;

	(void)fx_position_in(model, fx_position_graph(model), &stop);
	show_position(tui, stop);
}

static void
show_node(struct tui *tui, const struct fx_node *node)
{
	show_position(tui, fx_graph_position(node->graph, node));
}

/* Whether there is a row for POSITION, and none in the scope. */
static bool
is_outside(const struct tui *tui, const struct fx_model *model, size_t position)
{
	return *tui_graph_scope(model) &&
	       position < fx_model_graph(model)->node_count &&
	       !tui_graph_has(tui, position);
}

/* Out of the scope entered, as far as POSITION, which is WHAT, makes it
 * necessary.
 */
static void
leave_scope(struct tui *tui, struct fx_model *model, size_t position,
	const char *what)
{
	const char *left = fx_model_scope(model);

	/* A filter may leave it out, too, wherever it is. */
	if (tui->graph.filter.text || !is_outside(tui, model, position))
		return;
	while (is_outside(tui, model, position)) {
		const char *scope = fx_model_scope(model);
		const char *dot = strrchr(scope, '.');
		FX_AUTO_BUF struct fx_buf around = { 0 };

		fx_buf_add_n(&around, scope, dot ? (size_t)(dot - scope) : 0);
		fx_model_set_scope(model, fx_buf_text(&around));
		tui_graph_refresh(tui, 0);
	}
	tui_say(tui, "Out of %s, to %s.", left, what);
}

void
tui_graph_go_to_stop(struct tui *tui)
{
	struct fx_model *model = tui_model(tui);
	size_t stop;

	tui_graph_refresh(tui, 0);

	if (fx_position_in(model, fx_model_graph(model), &stop) &&
		fx_position_depth(model) == 0)
		leave_scope(tui, model, stop, "where execution stands");
	show_stop(tui, model);
}

bool
tui_graph_go_to(struct tui *tui, const struct fx_node *node)
{
	struct fx_model *model = tui_model(tui);
	size_t position;

	tui_graph_refresh(tui, 0);
	if (node->graph != tui->graph.graph) {
		tui_say(tui, "%%%s is in %s", node->name,
			fx_model_graph_path(model, node->graph));
		return false;
	}
	position = fx_graph_position(node->graph, node);
	tui_filter_reveal(tui, position, node->name);
	leave_scope(tui, model, position, node->name);
	tui_view_go(&tui->views[TUI_VIEW_GRAPH],
		tui_graph_row_of(tui, position));
	tui_graph_remember(tui);
	return true;
}

/* Remember where execution stands; whether it stood elsewhere. */
static bool
note_stop(struct tui_graph *graph, const struct fx_model *model)
{
	size_t position;
	bool started =
		fx_position_in(model, fx_position_graph(model), &position);
	bool moved =
		position != graph->position || started != graph->was_started;

	graph->position = position;
	graph->was_started = started;
	graph->has_moved |= moved;
	return moved;
}

bool
tui_graph_follow_run(struct tui *tui)
{
	struct fx_model *model = tui_model(tui);

	if (!model || tui->graph.graph != fx_position_graph(model) ||
		!note_stop(&tui->graph, model))
		return false;
	tui_graph_refresh(tui, 0);
	show_stop(tui, model);
	tui_graph_remember(tui);
	return true;
}

/* The candidate of a pass that is stepped, when it is another one. */
static void
show_candidate(struct tui *tui, struct fx_model *model)
{
	const struct fx_passing *passing = fx_session_passing(tui->session);
	const struct fx_candidate *candidate =
		passing && fx_passing_model(passing) == model
			? fx_passing_candidate(passing)
			: NULL;
	uint64_t id = candidate ? candidate->node : 0;
	const struct fx_node *node =
		id ? fx_graph_find_id(fx_position_graph(model), id) : NULL;

	if (node && id != tui->graph.candidate)
		show_node(tui, node);
	tui->graph.candidate = id;
}

/* What runs BEFORE, unless execution stands in the graph. */
static void
show_caller(struct tui *tui, const struct fx_model *model,
	const struct fx_graph *before)
{
	const struct fx_graph *graph = fx_position_graph(model);
	const struct fx_node *node;
	size_t stop;

	if (!before || fx_position_in(model, graph, &stop))
		return;
	node = fx_nested_caller(graph, before);
	if (node)
		show_node(tui, node);
}

void
tui_graph_follow(struct tui *tui)
{
	struct tui_graph *graph = &tui->graph;
	struct fx_model *model = tui_model(tui);
	const struct fx_graph *before = graph->graph;
	struct fx_graph *of;
	uint32_t time;

	if (!model)
		return;
	of = fx_position_graph(model);
	time = fx_journal_now(of);
	note_stop(graph, model);
	tui_filter_follow(tui);
	tui_graph_refresh(tui, 0);
	graph->filter.is_fresh = false;
	if (before == of && time > graph->time) {
		const struct fx_node *node = new_node(of, time);

		if (node)
			show_node(tui, node);
	} else if (before != of) {
		show_stop(tui, model);
		show_caller(tui, model, before);
	} else if (graph->has_moved) {
		tui_graph_go_to_stop(tui);
	}
	show_candidate(tui, model);
	graph->has_moved = false;
	graph->time = time;
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
	struct fx_node *node =
		fx_graph_at(fx_position_graph(model), run->first);
	const char *worst = fx_model_state(model, node);
	const char *rank = strchr(order, *worst);

	for (size_t i = 1; i < FX_MIN(run->count, FOLD_LOOKED_AT); i++) {
		const char *state;
		const char *at;

		node = fx_graph_next(node);
		state = fx_model_state(model, node);
		at = strchr(order, *state);
		/* Not all of it has run. */
		if (!rank && !at && strchr("VM", *worst) && *state != *worst)
			worst = state;
		if (at && (!rank || at < rank)) {
			worst = state;
			rank = at;
		}
	}
	return worst;
}

/* Paint the mark, the index, the state and the breakpoint.  Returns the column
 * after them.
 */
static int
paint_margin(struct tui *tui, struct fx_model *model,
	const struct fx_dag_run *run, const struct fx_area *area)
{
	struct fx_graph *graph = fx_position_graph(model);
	struct fx_node *node = fx_graph_at(graph, run->first);
	size_t stop;
	bool is_here = fx_position_in(model, graph, &stop) &&
		       stop >= run->first && stop < run->first + run->count;
	int width = digits(graph->node_count);
	const char *letter = state_of(model, run);
	const char *state = tui_state(tui, letter);
	const char *candidate = tui_graph_candidate_mark(tui, node);
	char index[32];
	int column;

	if (*letter == 'N')
		tui_time_see_nan(tui, node, run->first);
	/* A blank after the mark, but where two digits are all. */
	width = width > 2 ? width + 1 : 2;
	snprintf(index, sizeof(index), "%*zu ", width, run->first);
	column = fx_area_text(area, 0, 0, FX_LOOK(CURRENT),
		is_here ? "=>" : "  ");
	column = fx_area_text(area, 0, column, FX_LOOK(NUMBER), index);
	column = fx_area_text(area, 0, column,
		(struct fx_look){ .role = state_role(state) }, state);
	if (run->count == 1 && fx_model_is_tagged(model, node->id))
		fx_area_text(area, 0, column + 1, FX_LOOK(CHANGED), "+");
	if (candidate)
		fx_area_text(area, 0, column, FX_LOOK(CHANGED), candidate);
	else
		fx_area_text(area, 0, column, FX_LOOK(BREAKPOINT),
			*state != 'B' && fx_model_has_breakpoint(model, node)
				? "B"
				: " ");
	return column + 2;
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
	const uint32_t *named =
		fx_lanes_named(tui->graph.rows.rails, row, &count);

	for (size_t i = 0; i < count; i++)
		fx_vec_push(names, tui->graph.rows.dag->nodes[named[i]].name);
	if (!*tui->graph.scope && !tui->graph.filter.text)
		return;
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);

		if (!tui_graph_has(tui, fx_graph_position(node->graph, input)))
			fx_vec_push(names, input->name);
	}
}

/* Node names between angle quotes from COLUMN on, as many as fit; returns the
 * column after them.
 */
static int
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
	return column;
}

static int
paint_lanes(struct tui *tui, size_t row, const struct fx_area *area, int column)
{
	const struct tui_graph *graph = &tui->graph;
	struct fx_area lanes =
		fx_area_part(area, 0, column, 1, area->columns - column);
	struct fx_lanes_pen pen = { .area = &lanes,
		.lines = tui->lines,
		.rail = FX_LOOK(MUTED),
		.node = FX_LOOK(OP) };
	int width = 2 * fx_lanes_width(graph->rows.rails);
	size_t hidden = fx_lanes_hidden(graph->rows.rails, row);

	fx_lanes_paint(graph->rows.rails, row, graph->rows.dag->nodes[row].kind,
		&pen, 0);
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

/* The shape at the right edge, where it leaves room for the name from FROM on;
 * returns the column where it begins.
 */
static int
paint_shape(const struct fx_node *node, const struct fx_area *area, int from)
{
	FX_AUTO_BUF struct fx_buf shape = { 0 };
	int name = (int)fx_utf8_text_width(node->name, strlen(node->name));
	const char *text;
	int column;

	/* Without the dtype, which is in the node's pane. */
	fx_node_text_sizes(&shape, node);
	if (!shape.length)
		return area->columns;
	text = fx_buf_text(&shape);
	column =
		area->columns - (int)fx_utf8_text_width(text, shape.length) - 1;
	if (column <= from + FX_MAX(FX_MIN(name, NAME_LONG), NAME_COLUMNS - 1))
		return area->columns;
	fx_area_text(area, 0, column, FX_LOOK(SHAPE), text);
	return column;
}

static void
graph_row(void *context, size_t index, const struct fx_area *area)
{
	struct tui *tui = context;
	struct fx_model *model = tui_model(tui);
	const struct fx_dag_run *run = &tui->graph.rows.runs.items[index];
	const struct fx_node *node =
		fx_graph_at(fx_position_graph(model), run->first);
	int column = paint_margin(tui, model, run, area);
	const struct fx_node *last;
	struct fx_area name;
	name_vec chips = { 0 };
	int end;

	column = paint_lanes(tui, index, area, column);
	last = fx_graph_at(node->graph, run->first + run->count - 1);
	end = paint_shape(last, area, column);
	name = fx_area_part(area, 0, column, 1, end - column);
	if (run->fold) {
		fx_area_text(&name, 0, 0, FX_LOOK(SCOPE),
			tui->graph.rows.dag->nodes[index].label);
		return;
	}
	column += tui_graph_paint_name(tui, &name, node->name);
	collect_chips(tui, index, node, &chips);
	column = paint_chips(tui, &chips, area, column, end - 1);
	fx_vec_deinit(&chips);
	tui_graph_paint_facts(tui, node, area, column, end);
}

static size_t
graph_count(void *context)
{
	return ((struct tui *)context)->graph.rows.runs.count;
}

static bool
graph_has(void *context, size_t index, const char *words)
{
	struct tui *tui = context;
	const struct fx_node *node = node_of(tui, index);
	const char *fold = tui->graph.rows.runs.items[index].fold;

	return fold ? fx_str_has(fold, words) : node && fx_search(node, words);
}

void
tui_graph_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_GRAPH];

	view->has_selection = true;
	view->deinit = tui_graph_deinit;
	view->refresh = tui_graph_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = graph_count,
		.row = graph_row,
		.has = graph_has };
}
