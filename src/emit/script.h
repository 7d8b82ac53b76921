/* script.h - a graph's history as a command file. */
#ifndef FX_EMIT_SCRIPT_H
#define FX_EMIT_SCRIPT_H

#include <stdint.h>

struct fx_buf;
struct fx_graph;

/* Adds what stands behind the transaction TIME, the origin (0) included. */
typedef void fx_emit_script_fn(void *context, struct fx_buf *out,
	uint32_t time);

/* Append the commands that lead from the origin to the graph as it is now, one
 * a line: the `load` or `trace` it began with, then each transaction of the
 * current branch in canonical words.  One that has none stands as a comment.
 * AFTER may be null.
 */
void fx_emit_script(struct fx_buf *out, const struct fx_graph *graph,
	fx_emit_script_fn *after, void *context);

#endif /* FX_EMIT_SCRIPT_H */
