/* fx.h - a graph as torch.fx lists it: str(graph), Node.format_node. */
#ifndef FX_EMIT_FX_H
#define FX_EMIT_FX_H

struct fx_buf;
struct fx_graph;
struct fx_node;

/* Append "graph():" and a line for every node, the last without its newline.
 * DIALECT is as in struct fx_emit_python.
 */
void fx_emit_fx(struct fx_buf *out, const struct fx_graph *graph,
	const char *dialect);

/* Append one node's line without indentation and newline:
 * "%x : [num_users=1] = placeholder[target=x]".
 */
void fx_emit_fx_node(struct fx_buf *out, const struct fx_node *node,
	const char *dialect);

/* Append VALUE as Python's str() shows it: strings and devices bare at the
 * top, quoted within.
 */
struct fx_value;
void fx_emit_str(struct fx_buf *out, const struct fx_value *value);

#endif /* FX_EMIT_FX_H */
