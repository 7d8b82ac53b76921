/* lanes.h - the lane list: one row a node, a lane for each live value.
 *
 * The order of the graph is already topological, so nodes stand one a row, and
 * a lane carries each value from the row that makes it to its last use.  A
 * pure function from a graph to rows, linear in nodes and edges; see lanes.c
 * for the rules.
 */
#ifndef FX_DRAW_LANES_H
#define FX_DRAW_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "draw/canvas.h"

struct fx_dag;
struct fx_lanes;

struct fx_lanes_options {
	int lane_cap;  /* lanes at most; at least 1 */
	int hub_limit; /* a value with more users is named, not railed */
	size_t reach;  /* rows an edge may span; longer ones are named */
};

/* 8 lanes, hubs above 8 users, 200 rows. */
#define FX_LANES_DEFAULTS \
	((struct fx_lanes_options){ \
		.lane_cap = 8, .hub_limit = 8, .reach = 200 })

/* The contents of one lane in one row: arms (enum fx_arm) and these bits. */
enum fx_lanes_bits {
	FX_LANES_NODE = 16,
	/* The rail goes straight through; a horizontal line passes behind it
	 * without contact.
	 */
	FX_LANES_CROSSED = 32,
};

struct fx_lanes *fx_lanes_new(const struct fx_dag *dag,
	const struct fx_lanes_options *options);
/* The same into RAILS, in place of what is there, whose memory is used again.
 */
void fx_lanes_fill(struct fx_lanes *rails, const struct fx_dag *dag,
	const struct fx_lanes_options *options);
void fx_lanes_free(struct fx_lanes *rails);

FX_DEFINE_CLEANUP(rails, struct fx_lanes, fx_lanes_free);
#define FX_AUTO_LANES FX_AUTO(rails)

/* Lanes of the widest row. */
int fx_lanes_width(const struct fx_lanes *rails);

/* The lanes of ROW, *COUNT_RET of them; borrowed. */
const uint8_t *fx_lanes_row(const struct fx_lanes *rails, size_t row,
	int *count_ret);

/* Values that are live at ROW but found no lane below the cap. */
size_t fx_lanes_hidden(const struct fx_lanes *rails, size_t row);

/* Inputs of ROW that no lane leads to, as numbers of nodes: hubs, parameters,
 * inputs, edges that are too long.  Borrowed.
 */
const uint32_t *fx_lanes_named(const struct fx_lanes *rails, size_t row,
	size_t *count_ret);

/* Draw the lanes of ROW, two columns a lane, from COLUMN of row AT of AREA.
 * KIND is what the row's node is.
 */
struct fx_lanes_pen {
	const struct fx_area *area;
	enum fx_lines lines;
	struct fx_look rail;
	struct fx_look node;
};
void fx_lanes_paint(const struct fx_lanes *rails, size_t row, uint8_t kind,
	const struct fx_lanes_pen *pen, int at);

#endif /* FX_DRAW_LANES_H */
