/* layout.h - where each pane goes, as a pure function of the size. */
#ifndef FX_UI_TUI_LAYOUT_H
#define FX_UI_TUI_LAYOUT_H

#include <stdbool.h>

#include "ui/tui/view.h"

enum tui_layout {
#define TUI_LAYOUT(id, word, title, about) TUI_LAYOUT_##id,
#include "commands/shell/layouts.def"
	TUI_LAYOUT_COUNT
};

/* Smaller screens show a notice only. */
#define TUI_LEAST_ROWS    5
#define TUI_LEAST_COLUMNS 20

/* Bits, for sets of them. */
enum tui_place {
	TUI_PLACE_MAIN = 1,
	TUI_PLACE_SIDE = 2,
	TUI_PLACE_BELOW = 4,
	TUI_PLACE_COLUMN = 8,
	TUI_PLACE_LINE = 16,
	TUI_PLACE_SHEET = 32,
	TUI_PLACE_STRIP = 64,
};

struct tui_rect {
	int top;
	int left;
	int rows; /* 0: not there */
	int columns;
};

struct tui_plan {
	bool is_too_small;
	bool is_framed; /* panes have frames with titles */
	struct tui_rect title;
	struct tui_rect facts; /* of the selected node; lists only */
	/* With the frame; a strip has none.  Views that share a pane ("tabs")
	 * have the same group; only the one in front has a rectangle.  A view
	 * without a group does not take the focus.
	 */
	struct tui_rect panes[TUI_VIEW_COUNT];
	unsigned groups[TUI_VIEW_COUNT]; /* views sharing it, as bits */
};

/* What the user made of the sizes. */
struct tui_sizes {
	int columns; /* the border of what stands right, moved to the right */
	int middle;  /* that between the main pane and the column beside it */
	int rows;    /* the border of what stands below, moved down */
	enum tui_zoom {
		TUI_ZOOM_NONE,
		TUI_ZOOM_HALF, /* the pane in focus has half, at least */
		TUI_ZOOM_FULL,
	} zoom;
};

struct tui_layout_input {
	int rows;
	int columns;
	enum tui_layout layout;
	/* The pane with the focus, or the one before the command line; it is
	 * in sight.
	 */
	enum tui_view_id focus;
	/* As bits: those used last of several in a pane. */
	unsigned front;
	struct tui_sizes sizes;
	int cmd_rows; /* what the last command said wants, with the prompt */
};

/* Whether VIEW stands beside the main pane. */
bool tui_layout_is_aside(enum tui_view_id view);
/* Rows of the command pane, at least, on a screen of ROWS. */
int tui_layout_cmd_least(int rows);
void tui_layout_plan(const struct tui_layout_input *input,
	struct tui_plan *ret);

/* The layout called WORD, or TUI_LAYOUT_COUNT; and its word. */
enum tui_layout tui_layout_find(const char *word);
const char *tui_layout_word(enum tui_layout layout);

#endif /* FX_UI_TUI_LAYOUT_H */
