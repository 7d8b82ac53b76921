/* inline.h - a call of a layer or a composite function as the operators that it
 * is made of (ir/decompose.h).
 */
#ifndef FX_IR_INLINE_H
#define FX_IR_INLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_expander;
struct fx_graph;
struct fx_node;

/* Put the operators of NODE's call, or the nodes of the graph that it calls
 * (ir/outline.h), in the place of NODE.  Parameters and
 * buffers become nodes get_attr; the module stays in the tree.  What depends on
 * numbers that are only known when the graph runs is not decided.  The result
 * takes NODE's name and metadata.  UNSUPPORTED: what NODE calls is an operator,
 * is not known, or depends on such a number.
 */
FX_NODISCARD struct fx_error *fx_inline(struct fx_expander *expander,
	struct fx_node *node);

/* What NODE, a call of a layer or a composite function, is made of: a graph
 * with one placeholder an input, then operators, then an output; it stays the
 * EXPANDER's.  Errors as of fx_inline.
 */
FX_NODISCARD struct fx_error *fx_inline_open(struct fx_expander *expander,
	struct fx_node *node, const struct fx_graph **ret);

/* Whether NODE calls a layer, a composite function or a graph: what else there
 * is has nothing to inline.
 */
bool fx_inline_applies(const struct fx_node *node);

/* The error that fx_inline would give before it edits, or NULL. */
FX_NODISCARD struct fx_error *fx_inline_check(struct fx_expander *expander,
	struct fx_node *node);

/* The argument of NODE's call that it gives back: through operators for which
 * IS_IDENTITY answers true, which are counted in *COUNT_RET, or none.  NULL
 * when it computes something.
 */
struct fx_node *fx_inline_forwards(struct fx_expander *expander,
	struct fx_node *node, bool (*is_identity)(const struct fx_node *node),
	size_t *count_ret);

#endif /* FX_IR_INLINE_H */
