/* savepoint.h - taking back a part of the open transaction.
 *
 * A command inside `begin` ... `commit` that fails, or only tries (-n), takes
 * its own edits back and leaves those before it.
 */
#ifndef FX_IR_SAVEPOINT_H
#define FX_IR_SAVEPOINT_H

#include <stddef.h>

#include "ir/graph.h"

/* Where the open transaction stands. */
size_t fx_savepoint_get(const struct fx_graph *graph);

/* Take back what was done since SAVEPOINT, and leave one level of nesting. */
void fx_savepoint_rollback(struct fx_graph *graph, size_t savepoint);

#endif /* FX_IR_SAVEPOINT_H */
