/* inline_private.h - what inline.c and inline_graph.c share. */
#ifndef FX_IR_INLINE_PRIVATE_H
#define FX_IR_INLINE_PRIVATE_H

#include "base/error.h"

struct fx_node;
struct fx_value;

/* Give the users of NODE the VALUE, and erase NODE.  What only takes an item of
 * it goes too.
 */
FX_NODISCARD struct fx_error *fx_inline_give(struct fx_node *node,
	const struct fx_value *value);

/* inline_graph.c: put the nodes of the graph that NODE calls in the place of
 * NODE, under their own names where those are free.  The module goes when
 * nothing else names it.  UNSUPPORTED: inputs that are taken apart; TYPE:
 * arguments that do not fit.
 */
FX_NODISCARD struct fx_error *fx_inline_graph(struct fx_node *node);

#endif /* FX_IR_INLINE_PRIVATE_H */
