/* mouse.c - the wheel scrolls what is under it, a press selects and focuses, a
 * second one is Enter; borders between panes are dragged.
 */
#include <config.h>

#include <string.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/utf8.h"
#include "run/ticker.h"
#include "ui/tui/tui_private.h"

enum {
	WHEEL_ROWS = 3,
	DOUBLE_MS = 400,
	MARGIN_COLUMNS = 8, /* of the graph: mark, index, state, breakpoint */
};

static bool
is_in(const struct tui_rect *rect, const struct tui_event *event)
{
	return rect->rows > 0 && event->row >= rect->top &&
	       event->row < rect->top + rect->rows &&
	       event->column >= rect->left &&
	       event->column < rect->left + rect->columns;
}

/* The view under the pointer, or COUNT. */
static enum tui_view_id
view_under(const struct tui *tui, const struct tui_event *event)
{
	int i = 0;

	while (i < TUI_VIEW_COUNT && !is_in(&tui->plan.panes[i], event))
		i++;
	return (enum tui_view_id)i;
}

static bool
has_frame(const struct tui *tui, enum tui_view_id view)
{
	return tui->plan.is_framed && view != TUI_VIEW_CMD &&
	       tui->plan.panes[view].rows > 1;
}

/* A title on the frame of VIEW's pane: the tab that it names. */
static void
press_title(struct tui *tui, enum tui_view_id view, int column)
{
	int at = tui->plan.panes[view].left + 2;

	for (int i = 0; i < TUI_VIEW_COUNT; i++) {
		FX_AUTO_BUF struct fx_buf title = { 0 };
		int end;

		tui_title_print(tui, (enum tui_view_id)i, &title);
		end = at +
		      (int)fx_utf8_text_width(fx_buf_text(&title),
			      title.length) +
		      2;
		if (!(tui->plan.groups[view] >> i & 1))
			continue;
		if (column >= at && column < end)
			tui_focus(tui, (enum tui_view_id)i);
		at = end;
	}
}

static void
press_time(struct tui *tui, int column)
{
	long position = tui_time_position(tui,
		column - tui->plan.panes[TUI_VIEW_TIME].left);

	if (position >= 0)
		tui_run_linef(tui, "goto @%ld", position);
}

/* Row ROW of VIEW as it is shown. */
static void
press_row(struct tui *tui, enum tui_view_id id, const struct tui_event *event)
{
	struct tui_view *view = &tui->views[id];
	const struct tui_rect *rect = &tui->plan.panes[id];
	int frame = has_frame(tui, id) ? 1 : 0;
	size_t row = view->top + (size_t)(event->row - rect->top - frame);
	bool is_again = row == tui->mouse.press_row && tui->focus == id &&
			fx_clock_ms() < tui->mouse.press_ms + DOUBLE_MS;
	const struct tui_action *enter = tui_keymap_find(id, TUI_KEY_ENTER);

	tui_focus(tui, id);
	tui->mouse.press_row = row;
	tui->mouse.press_ms = is_again ? 0 : fx_clock_ms();
	if (!view->has_selection ||
		row >= view->source.count(view->source.context))
		return;
	view->selected = row;
	tui_graph_remember(tui);
	if (id == TUI_VIEW_GRAPH &&
		event->column - rect->left - frame < MARGIN_COLUMNS)
		tui_do_break(tui);
	else if (is_again && enter && enter->run)
		enter->run(tui);
}

static void
press(struct tui *tui, enum tui_view_id view, const struct tui_event *event)
{
	const struct tui_rect *rect = &tui->plan.panes[view];

	if (view == TUI_VIEW_CMD)
		tui_focus(tui, TUI_VIEW_CMD);
	else if (view == TUI_VIEW_TIME)
		press_time(tui, event->column);
	else if (has_frame(tui, view) && event->row == rect->top)
		press_title(tui, view, event->column);
	else if (!has_frame(tui, view) ||
		 event->row < rect->top + rect->rows - 1)
		press_row(tui, view, event);
}

/* The view whose pane begins where AT is, or below or beside there, if its
 * border is one that moves.
 */
static enum tui_view_id
view_from(const struct tui *tui, const struct tui_event *at, bool is_beside)
{
	struct tui_event next = *at;
	const struct tui_rect *rect;
	enum tui_view_id view;

	/* Each of two panes has a frame: its last line is the other's border.
	 */
	for (int i = 0; i < 2; i++) {
		view = view_under(tui, &next);
		rect = &tui->plan.panes[view];
		if (view != TUI_VIEW_COUNT && has_frame(tui, view) &&
			(is_beside ? rect->left && next.column == rect->left
				   : rect->top > 1 && next.row == rect->top))
			return view;
		next.column += is_beside;
		next.row += !is_beside;
	}
	return TUI_VIEW_COUNT;
}

/* Take hold of the border that is at EVENT, if one is. */
static void
take_border(struct tui *tui, const struct tui_event *event)
{
	struct tui_drag *drag = &tui->mouse.drag;

	*drag = (struct tui_drag){ .is_beside = true,
		.row = event->row,
		.column = event->column,
		.sizes = tui->sizes };
	drag->view = (int)view_from(tui, event, true);
	if (drag->view == TUI_VIEW_COUNT) {
		drag->is_beside = false;
		drag->view = (int)view_from(tui, event, false);
	}
	drag->is_on = drag->view != TUI_VIEW_COUNT;
}

/* The one in sight of those that share the pane of VIEW. */
static enum tui_view_id
in_sight(const struct tui *tui, int view)
{
	for (int i = 0; i < TUI_VIEW_COUNT; i++)
		if (tui->plan.groups[view] >> i & 1 && tui->plan.panes[i].rows)
			return (enum tui_view_id)i;
	return (enum tui_view_id)view;
}

/* The border that was taken stands where EVENT is, as far as it goes. */
static void
follow(struct tui *tui, const struct tui_event *event)
{
	const struct tui_drag *drag = &tui->mouse.drag;
	int columns = drag->column - event->column;
	int rows = drag->row - event->row;

	tui->sizes = drag->sizes;
	tui_plan(tui);
	if (drag->is_beside && columns)
		tui_widen(tui, in_sight(tui, drag->view), columns);
	else if (!drag->is_beside && rows)
		tui_heighten(tui, in_sight(tui, drag->view), rows);
}

void
tui_mouse(struct tui *tui, const struct tui_event *event)
{
	enum tui_view_id view = view_under(tui, event);

	if (tui->shows_keys) {
		if (event->mouse == TUI_MOUSE_PRESS)
			tui->shows_keys = false;
		else if (event->mouse == TUI_MOUSE_UP ||
			 event->mouse == TUI_MOUSE_DOWN)
			tui_view_scroll(&tui->keys_view,
				event->mouse == TUI_MOUSE_UP ? -WHEEL_ROWS
							     : WHEEL_ROWS);
		return;
	}
	if (event->mouse == TUI_MOUSE_PRESS)
		tui->mouse.drag.is_on = false;
	if (event->mouse == TUI_MOUSE_RELEASE ||
		event->mouse == TUI_MOUSE_DRAG) {
		if (tui->mouse.drag.is_on)
			follow(tui, event);
		if (event->mouse == TUI_MOUSE_RELEASE)
			tui->mouse.drag.is_on = false;
		return;
	}
	if (view == TUI_VIEW_COUNT)
		return;
	if (event->mouse == TUI_MOUSE_PRESS) {
		take_border(tui, event);
		if (!tui->mouse.drag.is_on || !tui->mouse.drag.is_beside)
			press(tui, view, event);
		return;
	}
	tui_view_scroll(&tui->views[view],
		event->mouse == TUI_MOUSE_UP ? -WHEEL_ROWS : WHEEL_ROWS);
	if (view == TUI_VIEW_CMD)
		tui->log_is_back =
			tui->views[view].top + (size_t)tui->views[view].rows <
			tui_text_count(&tui->log.text);
}

void
tui_do_mouse(struct tui *tui)
{
	tui_run_linef(tui, "set mouse %s", tui->mouse.is_on ? "off" : "on");
}
