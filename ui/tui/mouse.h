/* mouse.h - what the mouse does. */
#ifndef FX_UI_TUI_MOUSE_H
#define FX_UI_TUI_MOUSE_H

#include <stdbool.h>
#include <stddef.h>

struct tui;
struct tui_event;

struct tui_mouse_state {
	bool is_on;
	size_t press_row; /* where it was pressed last, and when */
	long long press_ms;
};

/* One event of it. */
void tui_mouse(struct tui *tui, const struct tui_event *event);

#endif /* FX_UI_TUI_MOUSE_H */
