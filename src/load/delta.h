/* delta.h - the text of a transaction (emit/delta.h) applied to a graph. */
#ifndef FX_LOAD_DELTA_H
#define FX_LOAD_DELTA_H

#include <stddef.h>

#include "base/error.h"

struct fx_graph;
struct fx_storage;

/* The bytes that the text calls KEY (interned), referenced for the caller; NULL
 * when they are lost: tensors in them then have no values.
 */
typedef struct fx_storage *fx_delta_find_fn(void *context, const char *key);

/* Apply the lines of TEXT to GRAPH, whose open transaction gets them as edits;
 * new nodes get the ids that they had.  FORMAT, or what the edit is refused
 * for; the caller takes the transaction back then.
 */
FX_NODISCARD struct fx_error *fx_load_delta(struct fx_graph *graph,
	const char *text, size_t length, fx_delta_find_fn *find, void *context);

#endif /* FX_LOAD_DELTA_H */
