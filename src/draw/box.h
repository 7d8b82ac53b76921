/* box.h - a box diagram: a window of a graph as boxes with routed lines.
 *
 * Our own small layered layout, see layers.h.  For windows of some tens of
 * boxes, not for whole models: nobody can read those.
 */
#ifndef FX_DRAW_BOX_H
#define FX_DRAW_BOX_H

#include <stdbool.h>
#include <stddef.h>

#include "draw/canvas.h"

struct fx_dag;

/* More boxes than this are not laid out. */
#define FX_BOX_MAX 200

struct fx_box_style {
	enum fx_lines lines;
	bool tiny;  /* [name] on one line instead of a box of three */
	int marked; /* number of the node to stand out, or -1 */
	int label;  /* columns of a label, at most; 0: FX_BOX_LABEL */
};

/* Draw DAG (at most FX_BOX_MAX nodes) into a new grid, the caller's. */
struct fx_canvas *fx_box_draw(const struct fx_dag *dag,
	const struct fx_box_style *style);

/* The numbers of the nodes to show around CENTER: up to HOPS edges away in
 * any direction, nearest first, at most LIMIT; then sorted ascending.
 * Parameters are left out, and values with more than HUB_LIMIT users are shown
 * but not walked through.  *LEFT_OUT_RET gets how many the limit cut off.  The
 * caller frees *NUMBERS_RET.
 */
struct fx_box_window {
	size_t center;
	int hops;
	size_t limit;
	size_t hub_limit;
};
void fx_box_window(const struct fx_dag *dag, const struct fx_box_window *window,
	size_t **numbers_ret, size_t *count_ret, size_t *left_out_ret);

/* LABEL as it stands in a box, at most COLUMNS wide: a path loses its first
 * steps, anything else its middle, as neighbours differ at their ends.  The
 * caller frees it.
 */
char *fx_box_label(const char *label, int columns, enum fx_lines lines);

#define FX_BOX_LABEL 24

#endif /* FX_DRAW_BOX_H */
