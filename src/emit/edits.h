/* edits.h - the commands that turn one graph into another. */
#ifndef FX_EMIT_EDITS_H
#define FX_EMIT_EDITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct fx_buf;
struct fx_graph;
struct fx_node;
struct fx_tensor;
struct fx_tick;

/* Append TENSOR's values as an expression; false when they are not there, or
 * too many.
 */
typedef bool fx_edits_values_fn(struct fx_buf *out,
	const struct fx_tensor *tensor);

struct fx_edits_options {
	fx_edits_values_fn *values; /* may be null */
	bool is_forced;             /* the second graph has impossible shapes */
	const struct fx_tick *tick; /* may be null */
};

/* Append NODE as an expression that insert and replace take; false, and nothing
 * is appended, when it is no call and no attribute.
 */
FX_NODISCARD bool fx_emit_expression(struct fx_buf *out,
	const struct fx_node *node);

/* Append to OUT the lines that turn BEFORE into AFTER: typed there one after
 * the other, they keep the ids of what is paired (ir/pair.h).  Nested graphs
 * are entered, and left at the end; one that BEFORE lacks is outlined, one that
 * AFTER lacks is inlined where AFTER has its nodes.  What no command can say is
 * a comment, which *UNSAID_RET counts.  Where more than one edit is needed they
 * stand between begin and commit, and may pass through impossible shapes (-f).
 * False where the tick broke it off: nothing is appended.
 */
FX_NODISCARD bool fx_emit_edits(struct fx_buf *out, struct fx_graph *before,
	struct fx_graph *after, const struct fx_edits_options *options,
	size_t *unsaid_ret);

/* Whether A and B and the graphs nested in B read the same. */
bool fx_edits_read_same(const struct fx_graph *a, const struct fx_graph *b);

#endif /* FX_EMIT_EDITS_H */
