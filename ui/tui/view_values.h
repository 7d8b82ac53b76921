/* view_values.h - what is known of the selected node's value. */
#ifndef FX_UI_TUI_VIEW_VALUES_H
#define FX_UI_TUI_VIEW_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "ui/tui/value_modes.h"

struct fx_datum;
struct fx_node;
struct fx_summary;
struct tui;

/* The value that was described last, and as of when. */
struct tui_value {
	struct fx_datum *datum;           /* referenced, or NULL ... */
	const struct fx_summary *summary; /* ... or what stays of it */
	size_t executed;
	size_t position;
	bool in_passing; /* something ran, and might have kept it back */
	int columns;
	struct fx_buf text;

	/* What was chosen, and what a picture was made of. */
	enum tui_value_mode mode;
	uint64_t plane;
	uint32_t axis;
	struct tui_value_made {
		enum tui_value_mode mode; /* STATISTICS: nothing was made */
		uint64_t plane;
		uint32_t axis;
		int skip;
		int rows;
		struct tui_pen pen;
	} made;
	struct tui_picture picture;
	struct tui_picture
		before; /* stays until the rows of the new one come */
	int painted;    /* rows of it that are shown */
};

/* How long the pane may look at a value: moving about must stay quick. */
struct tui_patience {
	struct tui *tui;
	long long until; /* milliseconds */
};
struct tui_patience tui_patience_begin(struct tui *tui);
/* For a ticker; CONTEXT is the patience. */
bool tui_patience_is_over(void *context);

/* The node whose value is shown: the selected one; where execution stands, that
 * has none yet, and what just ran is wanted: the node before.
 */
const struct fx_node *tui_value_node(struct tui *tui);
/* Whether DATUM or SUMMARY was described last, and nothing ran since; keep it
 * for that.  While something runs the same value is not looked at again.
 */
bool tui_value_is_kept(const struct tui *tui, const struct fx_datum *datum,
	const struct fx_summary *summary);
void tui_value_keep(struct tui *tui, struct fx_datum *datum,
	const struct fx_summary *summary);

/* value_look.c: whether the pane has so few rows that the legend stands below
 * the picture.
 */
bool tui_value_is_low(const struct tui *tui);
/* The pane as the mode that was chosen has it; false where that is not for
 * NODE's value, or nothing but statistics was chosen.
 */
bool tui_value_show_look(struct tui *tui, const struct fx_node *node);
/* Nothing but text is shown. */
void tui_value_forget_look(struct tui *tui);

#endif /* FX_UI_TUI_VIEW_VALUES_H */
