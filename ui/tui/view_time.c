/* view_time.c - one row for the whole run of the graph that is shown:
 *
 *	time |------b-----!^...e......b......|  24/71
 *
 * Each column stands for as many nodes as the width makes necessary and shows
 * what most wants to be seen of them: where execution stands, the first NaN, a
 * stop, an edit, that they ran.  The row is made again only when one of these
 * has changed.  It never looks through values: the first NaN is the one that
 * the run found, or that a row of the graph shows.
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "session/breakpoint.h"
#include "session/nonfinite.h"
#include "session/position.h"
#include "ui/tui/tui_private.h"

enum {
	LEFT = 7,    /* " time |" */
	SAMPLES = 4, /* nodes of a column that are asked whether they ran */
	EDITED_MOST = 10000,
};

/* What a column can show, the most important last. */
static const struct {
	char mark;
	enum fx_role role;
	const char *text;
} kinds[] = {
	{ '.', FX_ROLE_MUTED, "\u00b7" },
	{ '-', FX_ROLE_STATE, "\u2500" },
	{ 'e', FX_ROLE_CHANGED, "e" },
	{ 'b', FX_ROLE_BREAKPOINT, "b" },
	{ '!', FX_ROLE_NONFINITE, "!" },
	{ '^', FX_ROLE_CURRENT, "\u25b2" },
};

static size_t
rank_of(char mark)
{
	size_t i = 0;

	while (i + 1 < FX_ARRAY_LEN(kinds) && kinds[i].mark != mark)
		i++;
	return i;
}

static size_t
column_of(const struct tui_time *time, size_t position)
{
	size_t count = time->key.graph->node_count;

	return count > time->marks.count
		       ? (size_t)((double)position * (double)time->marks.count /
				  (double)count)
		       : position;
}

static void
put_mark(struct tui_time *time, size_t position, char mark)
{
	size_t column = column_of(time, position);

	if (column >= time->marks.count)
		column = time->marks.count - 1;
	if (rank_of(mark) > rank_of(time->marks.items[column]))
		time->marks.items[column] = mark;
}

/* The first position that stands in COLUMN. */
static size_t
first_of(const struct tui_time *time, size_t column)
{
	size_t count = time->key.graph->node_count;

	return count > time->marks.count
		       ? (size_t)((double)column * (double)count /
				  (double)time->marks.count)
		       : column;
}

static void
mark_run(struct tui_time *time, struct fx_model *model, struct fx_graph *graph)
{
	for (size_t i = 0; i < time->marks.count; i++) {
		size_t first = first_of(time, i);
		size_t end = FX_MIN(first_of(time, i + 1), graph->node_count);
		size_t step =
			end > first ? (end - first + SAMPLES - 1) / SAMPLES : 1;

		for (size_t at = first; at < end; at += step) {
			const struct fx_node *node = fx_graph_at(graph, at);

			if (fx_position_value(model, node) ||
				fx_position_is_dropped(model, node)) {
				put_mark(time, at, '-');
				break;
			}
		}
	}
}

static void
mark_stops(struct tui *tui, struct fx_graph *graph)
{
	for (size_t i = 0; i < fx_breakpoint_count(tui->session); i++) {
		const struct fx_breakpoint *stop =
			fx_breakpoint_at(tui->session, i);
		FX_AUTO_FREE struct fx_node **nodes = NULL;
		size_t count;

		/* Of all nodes, it says nothing about some. */
		if (!stop->is_enabled || !*stop->where)
			continue;
		fx_breakpoint_nodes(tui->session, stop, &nodes, &count);
		for (size_t k = 0; k < count; k++)
			if (nodes[k]->graph == graph)
				put_mark(&tui->time,
					fx_graph_position(graph, nodes[k]),
					'b');
	}
}

static void
mark_edits(struct tui_time *time, struct fx_graph *graph)
{
	uint32_t id = 0;
	size_t left = EDITED_MOST;

	while ((id = fx_journal_after(graph, id)) && left) {
		FX_AUTO_FREE struct fx_touched *touched = NULL;
		size_t count;

		fx_journal_touched(graph, id, &touched, &count);
		count = FX_MIN(count, left);
		left -= count;
		for (size_t i = 0; i < count; i++) {
			const struct fx_node *node =
				fx_graph_find_id(graph, touched[i].node);

			if (node)
				put_mark(time, fx_graph_position(graph, node),
					'e');
		}
	}
}

/* The first NaN: at the end of a run that gave some, the run knows it. */
static void
mark_nan(struct tui_time *time, struct fx_model *model)
{
	struct fx_nonfinite found;

	if (fx_nonfinite_is_result(model) &&
		fx_nonfinite_first(model, &found) &&
		found.node->graph == time->key.graph)
		time->nan =
			fx_graph_position(found.node->graph, found.node) + 1;
	if (time->nan && time->nan <= time->key.position)
		put_mark(time, time->nan - 1, '!');
}

/* Whether the infinities of NODE are meant, as those of a mask: asked once a
 * value.
 */
static bool
is_meant(struct tui *tui, const struct fx_node *node)
{
	struct fx_model *model = tui_model(tui);
	struct fx_map *known = &tui->time.meant;
	uintptr_t value = (uintptr_t)fx_position_value(model, node);

	if (value && fx_map_get(known, (uintptr_t)node->id, 0) == value)
		return true;
	if (!value || !fx_nonfinite_is_meant(model, node))
		return false;
	fx_map_set(known, (uintptr_t)node->id, value);
	return true;
}

void
tui_time_see_nan(struct tui *tui, const struct fx_node *node, size_t position)
{
	struct tui_time *time = &tui->time;
	bool is_first = !time->nan || position + 1 < time->nan ||
			time->nan_graph != tui->graph.graph ||
			time->nan_serial != tui->graph.serial;

	if (!is_first || is_meant(tui, node))
		return;
	time->nan = position + 1;
	time->nan_graph = tui->graph.graph;
	time->nan_serial = tui->graph.serial;
	time->key.graph = NULL; /* make it anew */
}

/* A number that is another one when the stops are. */
static size_t
stops_key(struct tui *tui)
{
	size_t key = 0;

	for (size_t i = 0; i < fx_breakpoint_count(tui->session); i++) {
		const struct fx_breakpoint *stop =
			fx_breakpoint_at(tui->session, i);

		key = key * 31 + (size_t)stop->number * 2 + stop->is_enabled;
		key = key * 31 + stop->match_count;
	}
	return key;
}

static bool
is_same_key(const struct tui_time_key *a, const struct tui_time_key *b)
{
	return a->graph == b->graph && a->serial == b->serial &&
	       a->version == b->version && a->edit == b->edit &&
	       a->executed == b->executed && a->position == b->position &&
	       a->stops == b->stops && a->columns == b->columns;
}

static void
make_marks(struct tui *tui, struct fx_model *model, size_t columns)
{
	struct tui_time *time = &tui->time;
	struct fx_graph *graph = fx_position_graph(model);
	size_t position;

	fx_vec_clear(&time->marks);
	columns = FX_MIN(columns, graph->node_count);
	for (size_t i = 0; i < columns; i++)
		fx_vec_push(&time->marks, '.');
	if (!columns)
		return;
	if (fx_position_is_started(model))
		mark_run(time, model, graph);
	mark_edits(time, graph);
	mark_stops(tui, graph);
	mark_nan(time, model);
	if (fx_position_in(model, graph, &position) &&
		position < graph->node_count)
		put_mark(time, position, '^');
}

static void
time_refresh(struct tui *tui, int columns)
{
	struct fx_model *model = tui_model(tui);
	struct tui_time *time = &tui->time;
	const struct fx_graph *graph = model ? fx_position_graph(model) : NULL;
	struct tui_time_key key = { .columns = columns };
	int width;

	if (!model) {
		fx_vec_clear(&time->marks);
		time->key.graph = NULL;
		return;
	}
	key.graph = graph;
	key.serial = graph->serial;
	key.version = graph->version;
	key.edit = fx_journal_now(graph);
	key.executed = fx_position_executed(model);
	(void)fx_position_in(model, graph, &key.position);
	key.stops = stops_key(tui);
	if (is_same_key(&time->key, &key))
		return;
	/* What was seen of another run says nothing. */
	if (time->nan_graph != graph || time->nan_serial != graph->serial ||
		time->key.version != key.version || key.position < time->nan)
		time->nan = 0;
	time->key = key;
	width = columns - LEFT - 2 -
		snprintf(NULL, 0, "%zu/%zu", graph->node_count,
			graph->node_count) -
		1;
	make_marks(tui, model, (size_t)FX_MAX(width, 1));
}

static void
time_row(void *context, size_t index, const struct fx_area *area)
{
	struct tui *tui = context;
	const struct tui_time *time = &tui->time;
	bool is_ascii = tui->lines == FX_LINES_ASCII;
	char text[64];
	int column;

	(void)index;
	if (!time->key.graph)
		return;
	column = fx_area_text(area, 0, 0, FX_LOOK(MUTED),
		is_ascii ? " time |" : " time \u251c");
	for (size_t i = 0; i < time->marks.count; i++) {
		size_t kind = rank_of(time->marks.items[i]);
		char plain[2] = { kinds[kind].mark, '\0' };

		column = fx_area_text(area, 0, column,
			(struct fx_look){ .role = kinds[kind].role },
			is_ascii ? plain : kinds[kind].text);
	}
	snprintf(text, sizeof(text), is_ascii ? "| %zu/%zu" : "\u2524 %zu/%zu",
		time->key.position, time->key.graph->node_count);
	fx_area_text(area, 0, column, FX_LOOK(MUTED), text);
}

static size_t
time_count(void *context)
{
	(void)context;
	return 1;
}

static bool
time_has(void *context, size_t index, const char *words)
{
	(void)context;
	(void)index;
	(void)words;
	return false;
}

long
tui_time_position(const struct tui *tui, int column)
{
	const struct tui_time *time = &tui->time;

	if (!time->key.graph || column < LEFT ||
		(size_t)(column - LEFT) >= time->marks.count)
		return -1;
	return (long)first_of(time, (size_t)(column - LEFT));
}

static void
time_deinit(struct tui *tui)
{
	fx_vec_deinit(&tui->time.marks);
	fx_map_deinit(&tui->time.meant);
}

void
tui_time_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_TIME];

	view->deinit = time_deinit;
	view->refresh = time_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = time_count,
		.row = time_row,
		.has = time_has };
}
