/* sweep.h - what passes share that look at one node after the other.
 *
 * A pass embeds a sweep as the first member of its state.
 */
#ifndef FX_PASS_SWEEP_H
#define FX_PASS_SWEEP_H

#include "base/buf.h"
#include "pass/engine.h"

struct fx_sweep {
	struct fx_node *at; /* the next to look at, or NULL */
	struct fx_buf text;
};

/* Begin with the first node of GRAPH. */
void fx_sweep_begin(struct fx_sweep *sweep, struct fx_graph *graph);
void fx_sweep_end(struct fx_sweep *sweep);

/* The next node that stands in the graph, or NULL at the end.  What was given
 * may be erased then, and what follows it directly, too.
 */
struct fx_node *fx_sweep_next(struct fx_sweep *sweep);

/* RET is about NODE and says this. */
FX_PRINTF(4, 5)
void fx_sweep_offer(struct fx_sweep *sweep, const struct fx_node *node,
	struct fx_candidate *ret, const char *format, ...);

#endif /* FX_PASS_SWEEP_H */
