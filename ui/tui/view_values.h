/* view_values.h - what is known of the selected node's value. */
#ifndef FX_UI_TUI_VIEW_VALUES_H
#define FX_UI_TUI_VIEW_VALUES_H

#include <stddef.h>

#include "base/buf.h"

struct fx_datum;
struct fx_summary;
struct tui;

/* The value that was described last, and as of when. */
struct tui_value {
	struct fx_datum *datum;           /* referenced, or NULL ... */
	const struct fx_summary *summary; /* ... or what stays of it */
	size_t executed;
	size_t position;
	int columns;
	struct fx_buf text;
};

void tui_values_deinit(struct tui *tui);

#endif /* FX_UI_TUI_VIEW_VALUES_H */
