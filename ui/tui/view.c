/* view.c - selection, scrolling and searching, for any source. */
#include <config.h>

#include "ui/tui/view.h"

#include "base/compiler.h"

static size_t
count_of(const struct tui_view *view)
{
	return view->source.count(view->source.context);
}

/* Keep top and selection within the rows, and the selection in sight. */
static void
settle(struct tui_view *view)
{
	size_t count = count_of(view);
	size_t rows = (size_t)FX_MAX(view->rows, 1);

	if (view->selected >= count)
		view->selected = count ? count - 1 : 0;
	if (view->has_selection) {
		if (view->top > view->selected)
			view->top = view->selected;
		if (view->selected >= view->top + rows)
			view->top = view->selected - rows + 1;
	}
	if (view->top + rows > count)
		view->top = count > rows ? count - rows : 0;
}

static size_t
moved(size_t from, long by, size_t count)
{
	if (by < 0)
		return from < (size_t)-by ? 0 : from - (size_t)-by;
	return FX_MIN(from + (size_t)by, count ? count - 1 : 0);
}

void
tui_view_move(struct tui_view *view, long by)
{
	if (!view->has_selection) {
		tui_view_scroll(view, by);
		return;
	}
	view->selected = moved(view->selected, by, count_of(view));
	settle(view);
}

static void
centre(struct tui_view *view)
{
	size_t half = (size_t)FX_MAX(view->rows, 1) / 2;

	view->top = view->selected > half ? view->selected - half : 0;
}

void
tui_view_go(struct tui_view *view, size_t row)
{
	size_t rows = (size_t)FX_MAX(view->rows, 1);

	view->selected = row;
	/* Somewhere else: show what stands around it, too. */
	if (row < view->top || row >= view->top + rows)
		centre(view);
	settle(view);
}

void
tui_view_scroll(struct tui_view *view, long by)
{
	view->top = moved(view->top, by, count_of(view));
	if (view->has_selection)
		view->selected = moved(view->selected, by, count_of(view));
	settle(view);
}

void
tui_view_paint(struct tui_view *view, const struct fx_area *area,
	bool is_focused)
{
	size_t count = count_of(view);
	bool is_first = view->rows == 0;

	view->rows = area->rows;
	/* What was gone to before had no rows to stand around it. */
	if (is_first && view->has_selection)
		centre(view);
	settle(view);
	for (int i = 0; i < area->rows && view->top + (size_t)i < count; i++) {
		struct fx_area row = fx_area_part(area, i, 0, 1, area->columns);
		size_t index = view->top + (size_t)i;

		view->source.row(view->source.context, index, &row);
		/* One bar, whatever the roles in it. */
		if (view->has_selection && index == view->selected)
			fx_area_restyle(&row, 0, 0, row.columns,
				is_focused
					? (struct fx_look){ .role = FX_ROLE_SELECTED,
						  .style = FX_LOOK_REVERSE }
					: (struct fx_look){
						  .style = FX_LOOK_UNDERLINE });
	}
}
