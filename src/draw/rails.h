/* rails.h - the lane list: one row a node, a lane for each live value.
 *
 * The order of the graph is already topological, so nodes stand one a row, and
 * a lane carries each value from the row that makes it to its last use.  A
 * pure function from a graph to rows, linear in nodes and edges; see rails.c
 * for the rules.
 */
#ifndef FX_DRAW_RAILS_H
#define FX_DRAW_RAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "draw/cells.h"

struct fx_dag;
struct fx_rails;

struct fx_rails_options {
	int lane_cap;  /* lanes at most; at least 1 */
	int hub_limit; /* a value with more users is named, not railed */
	size_t reach;  /* rows an edge may span; longer ones are named */
};

/* 8 lanes, hubs above 8 users, 200 rows. */
#define FX_RAILS_DEFAULTS \
	((struct fx_rails_options){ \
		.lane_cap = 8, .hub_limit = 8, .reach = 200 })

/* What stands in one lane of one row: arms (enum fx_arm) and: */
enum fx_rails_bits {
	FX_RAILS_NODE = 16,
	/* The rail goes straight through; a horizontal line passes behind it
	 * without contact.
	 */
	FX_RAILS_CROSSED = 32,
};

struct fx_rails *fx_rails_new(const struct fx_dag *dag,
	const struct fx_rails_options *options);
void fx_rails_free(struct fx_rails *rails);

FX_DEFINE_CLEANUP(rails, struct fx_rails, fx_rails_free);
#define FX_AUTO_RAILS FX_AUTO(rails)

/* Lanes of the widest row. */
int fx_rails_width(const struct fx_rails *rails);

/* The lanes of ROW, *COUNT_RET of them; borrowed. */
const uint8_t *fx_rails_row(const struct fx_rails *rails, size_t row,
	int *count_ret);

/* Values that are live at ROW but found no lane below the cap. */
size_t fx_rails_hidden(const struct fx_rails *rails, size_t row);

/* Inputs of ROW that no lane leads to, as numbers of nodes: hubs, parameters,
 * inputs, edges that are too long.  Borrowed.
 */
const uint32_t *fx_rails_named(const struct fx_rails *rails, size_t row,
	size_t *count_ret);

/* The character for a node of KIND (enum fx_dag_kind). */
uint32_t fx_rails_node_code(enum fx_lines lines, uint8_t kind);

/* Draw the lanes of ROW, two columns a lane, from COLUMN of row AT of AREA.
 * KIND is what the row's node is.
 */
struct fx_rails_pen {
	const struct fx_area *area;
	enum fx_lines lines;
	struct fx_look rail;
	struct fx_look node;
};
void fx_rails_paint(const struct fx_rails *rails, size_t row, uint8_t kind,
	const struct fx_rails_pen *pen, int at);

#endif /* FX_DRAW_RAILS_H */
