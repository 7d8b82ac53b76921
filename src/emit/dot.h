/* dot.h - a graph in Graphviz's language. */
#ifndef FX_EMIT_DOT_H
#define FX_EMIT_DOT_H

#include <stddef.h>

struct fx_buf;
struct fx_graph;

/* Append GRAPH as DOT text: one box a node with its name, opcode, target, the
 * class of a module that is called, and its shape; one edge a use.
 */
void fx_emit_dot(struct fx_buf *out, const struct fx_graph *graph);

/* Append LENGTH bytes of TEXT as part of a quoted label: Graphviz reads
 * backslashes and entities even there.
 */
void fx_emit_dot_text(struct fx_buf *out, const char *text, size_t length);

#endif /* FX_EMIT_DOT_H */
