/* draw_part.h - the part of a graph that options ask for; shared by the two
 * halves of draw.h.
 */
#ifndef FX_DRAW_DRAW_PART_H
#define FX_DRAW_DRAW_PART_H

#include "base/vec.h"
#include "draw/dag.h"
#include "draw/draw.h"

/* The nodes to draw, the caller's; *MARKED_RET is the number of the one at the
 * centre or -1.  At most options->limit nodes.
 */
struct fx_dag *fx_draw_part(struct fx_graph *graph,
	const struct fx_draw_options *options, int *marked_ret,
	struct fx_draw_report *report);

#endif /* FX_DRAW_DRAW_PART_H */
