/* action.c - what keys do that is more than a fixed command line. */
#include <config.h>

#include "ui/tui/action.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/str.h"
#include "run/ticker.h"
#include "session/nested.h"
#include "session/position.h"
#include "ui/tui/graph_rows.h"
#include "ui/tui/tui_private.h"

static struct tui_view *
focused(struct tui *tui)
{
	return &tui->views[tui->focus];
}

void
tui_note(struct tui *tui, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(tui->note, sizeof(tui->note), format, args);
	va_end(args);
}

void
tui_do_down(struct tui *tui)
{
	tui_view_move(focused(tui), 1);
}

void
tui_do_up(struct tui *tui)
{
	tui_view_move(focused(tui), -1);
}

enum {
	SKIP_MOST = 10000,
};

/* Numbers go one by one, text by several characters. */
static int
skip_step(const struct tui *tui)
{
	return tui->focus == TUI_VIEW_VALUES ? 1 : 8;
}

void
tui_do_left(struct tui *tui)
{
	focused(tui)->skip = FX_MAX(focused(tui)->skip - skip_step(tui), 0);
}

void
tui_do_right(struct tui *tui)
{
	focused(tui)->skip =
		FX_MIN(focused(tui)->skip + skip_step(tui), SKIP_MOST);
}

void
tui_do_first(struct tui *tui)
{
	tui_view_scroll(focused(tui), -(1L << 40));
}

void
tui_do_last(struct tui *tui)
{
	struct fx_model *model = tui_model(tui);
	struct fx_graph *graph = model ? fx_position_graph(model) : NULL;

	if (tui->count && graph && tui->focus == TUI_VIEW_GRAPH &&
		(size_t)tui->count < graph->node_count)
		tui_jump(tui, fx_graph_at(graph, (size_t)tui->count));
	else
		tui_view_scroll(focused(tui), 1L << 40);
}

void
tui_do_copy_name(struct tui *tui)
{
	const struct fx_node *node = tui_selected(tui);

	if (!node)
		return;
	tui->screen->copy(tui->screen->context, node->name);
	tui_note(tui, "name copied");
}

/* The lines of the pane of values, whatever it shows. */
void
tui_do_copy_value(struct tui *tui)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };

	tui->views[TUI_VIEW_VALUES].refresh(tui,
		tui->values.width > 0 ? tui->values.width : tui->grid->columns);
	tui_text_print(&tui->values, &text);
	tui->screen->copy(tui->screen->context, fx_buf_text(&text));
	tui_note(tui, "value copied");
}

void
tui_do_half_down(struct tui *tui)
{
	tui_view_scroll(focused(tui), FX_MAX(focused(tui)->rows / 2, 1));
}

void
tui_do_half_up(struct tui *tui)
{
	tui_view_scroll(focused(tui), -FX_MAX(focused(tui)->rows / 2, 1));
}

void
tui_do_page_down(struct tui *tui)
{
	tui_view_scroll(focused(tui), FX_MAX(focused(tui)->rows - 1, 1));
}

void
tui_do_page_up(struct tui *tui)
{
	tui_view_scroll(focused(tui), -FX_MAX(focused(tui)->rows - 1, 1));
}

void
tui_do_here(struct tui *tui)
{
	struct fx_model *model = tui_model(tui);
	size_t stop;

	if (!model)
		return;
	tui_focus(tui, TUI_VIEW_GRAPH);
	if (fx_position_in(model, fx_position_graph(model), &stop))
		tui_filter_reveal(tui, stop, "where execution stands");
	tui_graph_go_to_stop(tui);
}

/* One step further down from the scope entered to the selected node's. */
void
tui_do_enter(struct tui *tui)
{
	struct fx_model *model = tui_model(tui);
	const char *path =
		tui_graph_scope_of(tui, tui->views[TUI_VIEW_GRAPH].selected);
	const char *scope = model ? tui_graph_scope(model) : "";
	size_t length = strlen(scope);
	const char *graph =
		tui_graph_run_by(tui, tui->views[TUI_VIEW_GRAPH].selected);

	if (graph) {
		tui_run_linef(tui, "graph /%s", graph);
		return;
	}
	if (path && length < strlen(path) && fx_str_is_below(path, scope)) {
		size_t step = length ? length + 1 : 0;

		step += strcspn(path + step, ".");
		tui_run_linef(tui, "scope %.*s", (int)step, path);
		return;
	}
	if (tui_is_shown(tui, TUI_VIEW_NODE))
		tui_focus(tui, TUI_VIEW_NODE);
}

/* Out of the nested graph that is shown: of one that was entered, to the graph
 * around it, of one that execution stands in, to the frame above.
 */
static void
leave_graph(struct tui *tui, const struct fx_model *model)
{
	const char *path = fx_model_entered_path(model);
	const char *dot = strrchr(path, '.');

	if (*path)
		tui_run_linef(tui, "graph /%.*s", dot ? (int)(dot - path) : 0,
			path);
	else if (fx_position_outer_frame(model))
		tui_run_linef(tui, "frame %zu", fx_position_outer_frame(model));
}

void
tui_do_out(struct tui *tui)
{
	struct fx_model *model = tui_model(tui);
	const char *scope = model ? tui_graph_scope(model) : NULL;
	int rows = tui->plan.panes[TUI_VIEW_CMD].rows;

	/* What was said has been read: its rows are the graph's again. */
	if (rows > tui_layout_cmd_least(tui->grid->rows)) {
		tui_log_forget_recent(&tui->log);
		/* The next key may come before the next frame. */
		tui_plan(tui);
	} else if (tui->focus != TUI_VIEW_GRAPH)
		tui_focus(tui, TUI_VIEW_GRAPH);
	else if (tui->graph.filter.text)
		tui_run_line(tui, "filter");
	else if (scope && *scope)
		tui_run_line(tui, "scope ..");
	else if (model)
		leave_graph(tui, model);
}

void
tui_do_fold(struct tui *tui)
{
	const char *path =
		tui_graph_scope_of(tui, tui->views[TUI_VIEW_GRAPH].selected);

	if (tui->graph.filter.text)
		tui_note(tui, "a filter has no folds");
	else if (path)
		tui_graph_toggle_fold(tui, path);
	else
		tui_say(tui, "This node is in no module to fold.");
}

/* A count is the depth; without one, what is folded is unfolded, or else the
 * outermost modules are folded.
 */
void
tui_do_fold_all(struct tui *tui)
{
	int depth = tui->count               ? (int)tui->count
		    : tui->graph.folds.count ? 0
					     : 1;

	if (tui->graph.filter.text)
		tui_note(tui, "a filter has no folds");
	else if (!tui_graph_fold_all(tui, depth) && depth)
		tui_note(tui, "no modules there");
}

static void
turn_focus(struct tui *tui, int by)
{
	int view = (int)tui->focus;

	do
		view = (view + by + TUI_VIEW_COUNT) % TUI_VIEW_COUNT;
	while (!tui_is_shown(tui, (enum tui_view_id)view) &&
		view != (int)tui->focus);
	tui_focus(tui, (enum tui_view_id)view);
}

void
tui_do_focus_next(struct tui *tui)
{
	turn_focus(tui, 1);
}

void
tui_do_focus_before(struct tui *tui)
{
	turn_focus(tui, -1);
}

void
tui_do_single_keys(struct tui *tui)
{
	tui->types = !tui->types;
	tui_note(tui, tui->types ? "letters begin commands" : "single keys");
}

void
tui_do_command(struct tui *tui)
{
	tui_focus(tui, TUI_VIEW_CMD);
}

void
tui_do_keys(struct tui *tui)
{
	tui_keys_show(tui);
}

void
tui_do_back(struct tui *tui)
{
	if (tui->focus != TUI_VIEW_GRAPH) {
		tui_focus(tui, TUI_VIEW_GRAPH);
		return;
	}
	tui->is_leaving = true;
	tui->result.end = TUI_END_LEFT;
}

void
tui_do_redraw(struct tui *tui)
{
	tui->screen->redraw(tui->screen->context);
}
