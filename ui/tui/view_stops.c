/* view_stops.c - all stops, with their hits; Enter goes to the nodes of one.
 *
 *	1 on       add  if $v.nan          2 nodes  3 hits
 */
#include <config.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/utf8.h"
#include "session/breakpoint.h"
#include "ui/tui/tui_private.h"

enum {
	STATE_COLUMN = 4,
	PLACE_COLUMN = 9,
	COUNTS_LEAST = 40, /* columns, where the nodes are counted too */
};

static const struct fx_breakpoint *
stop_at(const struct tui *tui, size_t row)
{
	return row < fx_breakpoint_count(tui->session)
		       ? fx_breakpoint_at(tui->session, row)
		       : NULL;
}

static const struct fx_breakpoint *
selected_stop(struct tui *tui)
{
	return stop_at(tui, tui->views[TUI_VIEW_STOPS].selected);
}

/* "2 nodes  3 hits" at the right edge; returns where it begins. */
static int
paint_counts(const struct fx_area *area, const struct fx_breakpoint *stop)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	int column;

	if (stop->match_count > 1 && area->columns >= COUNTS_LEAST)
		fx_buf_addf(&text, "  %zu nodes", stop->match_count);
	fx_buf_addf(&text, "  %zu hit%s", stop->hit_count,
		stop->hit_count == 1 ? "" : "s");
	column = area->columns - (int)text.length - 1;
	fx_area_text(area, 0, column, FX_LOOK(NUMBER), fx_buf_text(&text));
	return column;
}

static void
add_line(const struct tui *tui, const struct fx_breakpoint *stop,
	struct fx_buf *out)
{
	fx_breakpoint_print_place(tui->session, stop, out);
	if (stop->condition)
		fx_buf_addf(out, "  if %s", stop->condition);
	if (stop->commands)
		fx_buf_add(out, "  (commands)");
}

static void
stops_row(void *context, size_t index, const struct fx_area *area)
{
	struct tui *tui = context;
	const struct fx_breakpoint *stop = stop_at(tui, index);
	FX_AUTO_BUF struct fx_buf state = { 0 };
	FX_AUTO_BUF struct fx_buf line = { 0 };
	struct fx_look look;
	struct fx_area place;
	char number[16];
	int column;

	if (!stop) {
		fx_area_text(area, 0, 0, FX_LOOK(MUTED),
			"no stops: b on a node, watch nonfinite");
		return;
	}
	snprintf(number, sizeof(number), "%*d", STATE_COLUMN - 1, stop->number);
	fx_area_text(area, 0, 0, FX_LOOK(NUMBER), number);
	fx_breakpoint_print_state(stop, &state);
	column = fx_area_text(area, 0, STATE_COLUMN,
		stop->is_enabled ? FX_LOOK(STATE) : FX_LOOK(MUTED),
		fx_buf_text(&state));
	add_line(tui, stop, &line);
	column = FX_MAX(column + 1, PLACE_COLUMN);
	place = fx_area_part(area, 0, column, 1,
		paint_counts(area, stop) - column);
	look = stop->is_enabled ? FX_LOOK(NODE) : FX_LOOK(MUTED);
	fx_area_text(&place, 0, 0, look, fx_buf_text(&line));
	if ((int)fx_utf8_text_width(fx_buf_text(&line), line.length) >
		place.columns)
		fx_area_text(&place, 0, place.columns - 1, look,
			tui->lines == FX_LINES_ASCII ? "~" : "\u2026");
}

static size_t
stops_count(void *context)
{
	const struct tui *tui = context;

	return FX_MAX(fx_breakpoint_count(tui->session), (size_t)1);
}

static bool
stops_has(void *context, size_t index, const char *words)
{
	const struct tui *tui = context;
	FX_AUTO_BUF struct fx_buf line = { 0 };

	/* Where there are none, a row says so. */
	if (index >= fx_breakpoint_count(tui->session))
		return false;
	add_line(tui, fx_breakpoint_at(tui->session, index), &line);
	return fx_str_has(fx_buf_text(&line), words);
}

static void
stops_refresh(struct tui *tui, int columns)
{
	(void)tui;
	(void)columns;
}

/* --- what keys do -------------------------------------------------------- */

void
tui_do_stop_toggle(struct tui *tui)
{
	const struct fx_breakpoint *stop = selected_stop(tui);

	if (stop)
		tui_run_linef(tui, "%s %d",
			stop->is_enabled ? "disable" : "enable", stop->number);
}

void
tui_do_stop_delete(struct tui *tui)
{
	const struct fx_breakpoint *stop = selected_stop(tui);

	if (stop)
		tui_run_linef(tui, "delete %d", stop->number);
}

/* The node after the selected one among those of the stop, else its first. */
void
tui_do_stop_go(struct tui *tui)
{
	const struct fx_breakpoint *stop = selected_stop(tui);
	const struct fx_node *selected = tui_selected(tui);
	FX_AUTO_FREE struct fx_node **nodes = NULL;
	size_t count = 0;
	size_t next = 0;

	if (!stop)
		return;
	fx_breakpoint_nodes(tui->session, stop, &nodes, &count);
	for (size_t i = 0; i < count; i++)
		if (nodes[i] == selected)
			next = (i + 1) % count;
	if (count)
		tui_jump(tui, nodes[next]);
	else
		tui_say(tui, "%s %d stands on no node.",
			fx_stop_kind_title(stop->kind), stop->number);
}

void
tui_stops_init(struct tui *tui)
{
	struct tui_view *view = &tui->views[TUI_VIEW_STOPS];

	view->has_selection = true;
	view->refresh = stops_refresh;
	view->source = (struct tui_source){ .context = tui,
		.count = stops_count,
		.row = stops_row,
		.has = stops_has };
}
