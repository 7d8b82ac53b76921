/* dot.h - a graph in Graphviz's language. */
#ifndef FX_EMIT_DOT_H
#define FX_EMIT_DOT_H

#include <stdbool.h>
#include <stddef.h>

struct fx_buf;
struct fx_graph;
struct fx_node;

/* Whether NODE is drawn. */
typedef bool fx_emit_dot_filter_fn(void *context, const struct fx_node *node);

/* All zero draws everything. */
struct fx_emit_dot {
	fx_emit_dot_filter_fn *wants;
	void *context;
	/* Edges that span more nodes than this become words in both boxes:
	 * long ones are what makes Graphviz take minutes.  0: none do.
	 */
	size_t edge_limit;
};

/* Append GRAPH as DOT text: one box a node with its name, opcode, target, the
 * class of a module that is called, and its shape; one edge a use.  OPTIONS may
 * be null.
 */
void fx_emit_dot(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_emit_dot *options);

/* Append LENGTH bytes of TEXT as part of a quoted label: Graphviz reads
 * backslashes and entities even there.
 */
void fx_emit_dot_text(struct fx_buf *out, const char *text, size_t length);

#endif /* FX_EMIT_DOT_H */
