/* titles.c - what stands on the frame of a pane: the views that share it, above
 * the rows of the graph the module that the first of them belongs to, and below
 * rows of which not all are in sight, which ones are.
 */
#include <config.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/utf8.h"
#include "ui/tui/tui_private.h"

void
tui_title_print(const struct tui *tui, enum tui_view_id view,
	struct fx_buf *out)
{
	fx_buf_add(out, tui->views[view].title);
	if (view != TUI_VIEW_GRAPH || !tui->graph.filter.text)
		return;
	fx_buf_add(out, ": ");
	tui_filter_print(tui, out);
}

/* What goes on above the first row: it would be out of sight otherwise. */
static void
paint_heading(struct tui *tui, const struct fx_area *area, int column)
{
	FX_AUTO_BUF struct fx_buf heading = { 0 };
	int width;

	tui_graph_heading_print(tui, &heading);
	width = (int)fx_utf8_text_width(fx_buf_text(&heading), heading.length);
	if (!heading.length || column + width + 3 > area->columns)
		return;
	column = fx_area_text(area, 0, column + 1, FX_LOOK(SCOPE), " ");
	column = fx_area_text(area, 0, column, FX_LOOK(SCOPE),
		fx_buf_text(&heading));
	fx_area_text(area, 0, column, FX_LOOK(SCOPE), " ");
}

/* "5-12/300": all is in sight where it does not stand there. */
static void
paint_extent(const struct tui_view *view, const struct fx_area *area)
{
	size_t count = view->source.count(view->source.context);
	size_t rows = (size_t)area->rows - 2;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	int column;

	if (count <= rows)
		return;
	fx_buf_addf(&text, " %zu-%zu/%zu ", view->top + 1,
		FX_MIN(view->top + rows, count), count);
	column = area->columns - (int)text.length - 2;
	if (column > 1)
		fx_area_text(area, area->rows - 1, column, FX_LOOK(MUTED),
			fx_buf_text(&text));
}

void
tui_titles_paint(struct tui *tui, enum tui_view_id view,
	const struct fx_area *area)
{
	/* The corner stays. */
	struct fx_area row = fx_area_part(area, 0, 0, 1, area->columns - 1);
	int column = 2;

	for (int i = 0; i < TUI_VIEW_COUNT; i++) {
		bool is_front = i == (int)view;
		bool is_marked = is_front && tui->focus == view;
		struct fx_look look =
			is_front ? FX_LOOK(TITLE) : FX_LOOK(MUTED);
		FX_AUTO_BUF struct fx_buf title = { 0 };

		if (!(tui->plan.groups[view] >> i & 1))
			continue;
		tui_title_print(tui, (enum tui_view_id)i, &title);
		/* The pane in focus is marked without colours, too. */
		column = fx_area_text(&row, 0, column, look,
			is_marked ? "[" : " ");
		column = fx_area_text(&row, 0, column, look,
			fx_buf_text(&title));
		column = fx_area_text(&row, 0, column, look,
			is_marked ? "]" : " ");
	}
	if (view == TUI_VIEW_GRAPH)
		paint_heading(tui, &row, column);
	paint_extent(&tui->views[view], area);
}
