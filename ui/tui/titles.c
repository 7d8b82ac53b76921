/* titles.c - what stands on the frame of a pane: the views that share it. */
#include <config.h>

#include "base/buf.h"
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

void
tui_titles_paint(struct tui *tui, enum tui_view_id view,
	const struct fx_area *area)
{
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
		column = fx_area_text(area, 0, column, look,
			is_marked ? "[" : " ");
		column = fx_area_text(area, 0, column, look,
			fx_buf_text(&title));
		column = fx_area_text(area, 0, column, look,
			is_marked ? "]" : " ");
	}
}
