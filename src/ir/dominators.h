/* dominators.h - nodes that every path passes. */
#ifndef FX_IR_DOMINATORS_H
#define FX_IR_DOMINATORS_H

#include <stdbool.h>
#include <stddef.h>

struct fx_node;

/* The dominators of NODE: those that every path from a placeholder to NODE
 * passes; with UP false its postdominators: every path from NODE to the output.
 * NODE is one of them.  Paths from parameters and constants count only where
 * none comes from a placeholder, paths to what nobody uses only where none
 * leads to the output.  Positions in graph order, ascending; the caller frees
 * *POSITIONS_RET.
 */
void fx_dominators(struct fx_node *node, bool up, size_t **positions_ret,
	size_t *count_ret);

#endif /* FX_IR_DOMINATORS_H */
