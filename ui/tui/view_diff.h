/* view_diff.h - the pane with two graphs beside each other. */
#ifndef FX_UI_TUI_VIEW_DIFF_H
#define FX_UI_TUI_VIEW_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "ui/tui/layout.h"

struct beside;
struct tui;

/* Two graphs beside each other: rows that are shown, and stretches of the same
 * ones.
 */
struct tui_diff_line {
	size_t row; /* the first */
	size_t count;
};

struct tui_diff {
	struct beside *beside; /* NULL: nothing was compared */
	FX_VEC(struct tui_diff_line) lines;
	bool is_new;                   /* since the command began */
	enum tui_layout layout_before; /* while a pass is stepped */
};

/* The candidate of a pass that was being stepped before the screen came. */
void tui_diff_begin(struct tui *tui);
/* Show BESIDE, which is the pane's now; after a command, what is
 * no longer true goes away.
 */
void tui_diff_show(struct tui *tui, struct beside *beside_taken);
void tui_diff_follow(struct tui *tui);

#endif /* FX_UI_TUI_VIEW_DIFF_H */
