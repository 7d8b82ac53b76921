/* construct.h - a module as the call that constructs it. */
#ifndef FX_EMIT_CONSTRUCT_H
#define FX_EMIT_CONSTRUCT_H

#include <stdbool.h>

struct fx_buf;
struct fx_graph;
struct fx_module;

/* Append "Linear(in_features=4, out_features=8)", which makes a module like
 * MODULE, what stands below it included; values of parameters aside.  False,
 * and nothing is appended, when there is no such call.  What is tried on the
 * way is made in the memory of GRAPH, which may be an empty one.
 */
bool fx_emit_construct(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_module *module);

#endif /* FX_EMIT_CONSTRUCT_H */
