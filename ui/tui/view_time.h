/* view_time.h - one row for the whole run of the graph that is shown: what ran,
 * where it stops, what was edited, the first NaN.
 */
#ifndef FX_UI_TUI_VIEW_TIME_H
#define FX_UI_TUI_VIEW_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"

struct fx_graph;
struct fx_node;
struct tui;

/* What the row was made from, so that most keys need not look again. */
struct tui_time_key {
	const struct fx_graph *graph;
	uint32_t serial;
	uint64_t version;
	uint32_t edit; /* the last transaction: a pass ends in one */
	size_t executed;
	size_t position;
	size_t stops; /* which there are, and which are on: a number for it */
	int columns;
};

struct tui_time {
	struct tui_time_key key;
	FX_VEC(char) marks; /* one a column: see view_time.c */
	size_t nan;         /* the first node seen with NaN, + 1; 0: none */
	const struct fx_graph *nan_graph;
	uint32_t nan_serial;
	struct fx_map meant; /* node id -> its value, whose infinities are */
};

/* NODE, at POSITION of the graph pane's graph, was seen to hold NaN. */
void tui_time_see_nan(struct tui *tui, const struct fx_node *node,
	size_t position);
/* The position that COLUMN of the row stands for; -1: none. */
long tui_time_position(const struct tui *tui, int column);

#endif /* FX_UI_TUI_VIEW_TIME_H */
