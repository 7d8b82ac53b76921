/* mouse.h - what the mouse does. */
#ifndef FX_UI_TUI_MOUSE_H
#define FX_UI_TUI_MOUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/tui/layout.h"

struct tui;
struct tui_event;

struct tui_mouse_state {
	bool is_on;
	size_t press_row; /* where it was pressed last, and when */
	long long press_ms;
	struct tui_drag {
		bool is_on;
		int view;       /* enum tui_view_id, whose border was pressed */
		bool is_beside; /* its left border, not the upper one */
		int row;        /* where */
		int column;
		struct tui_sizes sizes; /* as they were then */
	} drag;
};

/* One event of it: a press on a border of two panes takes hold of it, until the
 * button is let go.
 */
void tui_mouse(struct tui *tui, const struct tui_event *event);

#endif /* FX_UI_TUI_MOUSE_H */
