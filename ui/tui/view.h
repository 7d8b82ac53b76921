/* view.h - a pane's contents: rows from a source, and where one stands in it.
 *
 * A view does not own what it shows.  Its source counts, draws a row, says
 * whether words stand in it; the list code does selection and scrolling for all
 * of them, and search.c searches, for any number of rows.  A view never edits:
 * keys become command lines.
 */
#ifndef FX_UI_TUI_VIEW_H
#define FX_UI_TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "draw/canvas.h"

struct tui;

struct tui_source {
	void *context;
	size_t (*count)(void *context);
	/* Draw row INDEX on the only row of AREA. */
	void (*row)(void *context, size_t index, const struct fx_area *area);
	/* Whether WORDS stand in row INDEX. */
	bool (*has)(void *context, size_t index, const char *words);
};

enum tui_view_id {
#define TUI_VIEW(id, word, title, init, place) TUI_VIEW_##id,
#include "commands/shell/panes.def"
	TUI_VIEW_COUNT
};

struct tui_view {
	const char *word;
	const char *title;
	struct tui_source source;
	/* Bring what the source shows up to date; COLUMNS is the width. */
	void (*refresh)(struct tui *tui, int columns);
	void (*deinit)(struct tui *tui); /* of what it keeps in TUI; or NULL */
	bool has_selection;              /* else only the top moves */
	size_t top;
	size_t selected;
	int skip; /* columns that are scrolled away, where a view has more */
	int rows; /* shown last */
};

/* Move: by rows, to a row; what is selected stays on the screen. */
void tui_view_move(struct tui_view *view, long by);
void tui_view_go(struct tui_view *view, size_t row);
void tui_view_scroll(struct tui_view *view, long by);
/* Draw VIEW into AREA; IS_FOCUSED shows the selection strongly. */
void tui_view_paint(struct tui_view *view, const struct fx_area *area,
	bool is_focused);

#endif /* FX_UI_TUI_VIEW_H */
