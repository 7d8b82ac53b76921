/* sizes.c - keys and borders that make panes larger and smaller. */
#include <config.h>

#include "base/compiler.h"
#include "ui/tui/tui_private.h"

enum {
	COLUMN_STEP = 4,
	ROW_STEP = 1,
};

static enum tui_view_id
pane_in_focus(const struct tui *tui)
{
	return tui->focus == TUI_VIEW_CMD ? tui->before : tui->focus;
}

/* What *SIZE, one of a pane's rectangle, gains when the border *SHIFT moves. */
static int
gained_by(struct tui *tui, int *shift, int by, const int *size)
{
	int old = *size;

	*shift += by;
	tui_plan(tui);
	return *size - old;
}

/* *SIZE gains BY, or loses that if it is negative: the border *SHIFT moves one
 * way or, where the pane is on its other side, the other.
 */
static void
grow(struct tui *tui, int *shift, int by, const int *size)
{
	const int ways[] = { by, -by };

	for (size_t i = 0; i < FX_ARRAY_LEN(ways); i++) {
		int gained = gained_by(tui, shift, ways[i], size);

		if (gained && (gained > 0) == (by > 0)) {
			/* No more than it went: the next key moves it again. */
			*shift += (i ? -gained : gained) - ways[i];
			tui_plan(tui);
			return;
		}
		gained_by(tui, shift, -ways[i], size);
	}
	tui_note(tui, "as far as it goes");
}

/* Whether VIEW stands on a side of the border in the middle of three columns.
 */
static bool
is_at_middle(const struct tui *tui, enum tui_view_id view)
{
	for (int i = 0; i < TUI_VIEW_COUNT; i++) {
		const struct tui_rect *rect = &tui->plan.panes[i];

		if (rect->rows && rect->left &&
			rect->left + rect->columns <
				tui->plan.panes[TUI_VIEW_CMD].columns)
			return i == (int)view || !tui->plan.panes[view].left;
	}
	return false;
}

void
tui_widen(struct tui *tui, enum tui_view_id view, int by)
{
	int *shift = is_at_middle(tui, view) ? &tui->sizes.middle
					     : &tui->sizes.columns;

	grow(tui, shift, by, &tui->plan.panes[view].columns);
}

void
tui_heighten(struct tui *tui, enum tui_view_id view, int by)
{
	grow(tui, &tui->sizes.rows, by, &tui->plan.panes[view].rows);
}

void
tui_do_wider(struct tui *tui)
{
	tui_widen(tui, pane_in_focus(tui), COLUMN_STEP);
}

void
tui_do_narrower(struct tui *tui)
{
	tui_widen(tui, pane_in_focus(tui), -COLUMN_STEP);
}

void
tui_do_taller(struct tui *tui)
{
	tui_heighten(tui, pane_in_focus(tui), ROW_STEP);
}

void
tui_do_shorter(struct tui *tui)
{
	tui_heighten(tui, pane_in_focus(tui), -ROW_STEP);
}

void
tui_do_larger(struct tui *tui)
{
	int zoom = (int)tui->sizes.zoom + 1;

	tui->sizes.zoom = (enum tui_zoom)FX_MIN(zoom, TUI_ZOOM_FULL);
}

void
tui_do_smaller(struct tui *tui)
{
	int zoom = (int)tui->sizes.zoom - 1;

	tui->sizes.zoom = (enum tui_zoom)FX_MAX(zoom, TUI_ZOOM_NONE);
}

void
tui_do_sizes_reset(struct tui *tui)
{
	tui->sizes = (struct tui_sizes){ .columns = 0 };
}
