/* screen.h - a terminal as the full screen sees it: cells go in, events come
 * out.
 */
#ifndef FX_UI_TUI_SCREEN_H
#define FX_UI_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "draw/canvas.h"
#include "ui/theme.h"

/* Keys are code points, control keys as the terminal sends them (Enter is
 * '\r'), and these.
 */
enum tui_key {
	TUI_KEY_NONE,
	TUI_KEY_TAB = 9,
	TUI_KEY_ENTER = 13,
	TUI_KEY_ESCAPE = 27,
	TUI_KEY_BACKSPACE = 127,
	TUI_KEY_UP = 0x110000,
	TUI_KEY_DOWN,
	TUI_KEY_LEFT,
	TUI_KEY_RIGHT,
	TUI_KEY_HOME,
	TUI_KEY_END,
	TUI_KEY_PAGE_UP,
	TUI_KEY_PAGE_DOWN,
	TUI_KEY_INSERT,
	TUI_KEY_DELETE,
	TUI_KEY_BACKTAB,
	TUI_KEY_F1,
	TUI_KEY_F24 = TUI_KEY_F1 + 23, /* F13 is F1 with Shift, and so on */
	TUI_KEY_OTHER,                 /* bytes alone, for the line editor */
};

#define TUI_CTRL(letter)   ((letter)&0x1f)
#define TUI_ALT(character) (0x200000u + (uint32_t)(character))
#define TUI_CTRL_X(letter) (0x300000u + (uint32_t)(letter)) /* after Ctrl-x */

enum tui_event_kind {
	TUI_EVENT_NONE, /* time is up */
	TUI_EVENT_KEY,
	TUI_EVENT_PASTE,
	TUI_EVENT_MOUSE,
	TUI_EVENT_RESIZE,    /* and when the terminal was somebody else's */
	TUI_EVENT_INTERRUPT, /* Ctrl-C */
	TUI_EVENT_HANG_UP,   /* terminal gone, SIGTERM, SIGHUP: leave */
};

enum tui_mouse {
	TUI_MOUSE_PRESS,
	TUI_MOUSE_RELEASE,
	TUI_MOUSE_DRAG, /* it moves while it is pressed */
	TUI_MOUSE_UP,   /* the wheel */
	TUI_MOUSE_DOWN,
};

struct tui_event {
	enum tui_event_kind kind;
	uint32_t key;
	int signal;     /* HANG_UP: which, 0 when the terminal is gone */
	char bytes[32]; /* KEY: as the terminal sent it */
	size_t length;
	enum tui_mouse mouse; /* MOUSE: what it did, and where */
	int row;
	int column;
	/* PASTE: lines, the last one without its end; until the next event. */
	const char *text;
};

/* All members required. */
struct tui_screen {
	void *context;
	enum fx_lines lines;
	int colors; /* 0: none; cells have ink and paper from 256 on */
	void (*size)(void *context, int *rows_ret, int *columns_ret);
	/* Show GRID; the cursor is hidden when CURSOR_ROW is negative.  False:
	 * what has changed is too much to be sent at once, and the rest of it
	 * is for the next call.
	 */
	bool (*show)(void *context, const struct fx_canvas *grid,
		int cursor_row, int cursor_column);
	/* The next event, waiting TIMEOUT_MS at most (negative: for ever). */
	void (*next)(void *context, int timeout_ms, struct tui_event *ret);
	/* Whether an interrupt or the order to leave is waiting; removes the
	 * interrupt.
	 */
	bool (*interrupted)(void *context);
	/* Leave the terminal to somebody else and take it back. */
	void (*suspend)(void *context);
	void (*resume)(void *context);
	void (*redraw)(void *context); /* the next show repaints everything */
	void (*beep)(void *context);
	/* Whether the terminal tells of its mouse, which then selects no text
	 * there.
	 */
	void (*set_mouse)(void *context, bool is_on);
	/* How roles look from now on, as far as there are colours for it. */
	void (*set_theme)(void *context, enum ui_theme theme);
	/* Put TEXT where the terminal pastes from, if it lets programs. */
	void (*copy)(void *context, const char *text);
	void (*free)(void *context);
};

/* The terminal on standard input and output.  TERMINAL when it cannot be
 * used, UNSUPPORTED without curses.
 */
struct tui_screen_options {
	bool ascii;
	bool no_color;
};
FX_NODISCARD struct fx_error *
tui_screen_curses(const struct tui_screen_options *options,
	struct tui_screen **ret);

static inline void
tui_screen_free(struct tui_screen *screen)
{
	if (screen)
		screen->free(screen->context);
}

#endif /* FX_UI_TUI_SCREEN_H */
