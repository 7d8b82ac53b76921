/* node_text.h - what is known of a node, as text, for front ends: they do not
 * read values of graphs themselves.
 */
#ifndef FX_SESSION_NODE_TEXT_H
#define FX_SESSION_NODE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/role.h"

struct fx_buf;
struct fx_graph;
struct fx_node;

/* Append the shape of NODE's result, "f32[2,3]", with blanks after commas when
 * SPACED; nothing before it is known that there is one.
 */
void fx_node_text_shape(struct fx_buf *out, const struct fx_node *node,
	bool spaced);
/* The same for a row with little room: of a tensor only the sizes, "[2,3]";
 * nothing when they are not known.
 */
void fx_node_text_sizes(struct fx_buf *out, const struct fx_node *node);
/* "call_module". */
const char *fx_node_text_opcode(const struct fx_node *node);
/* Append NODE as torch.fx lists it. */
void fx_node_text_line(struct fx_buf *out, const struct fx_node *node);
/* Append " arg 1" when USER takes NODE as a positional argument by itself. */
void fx_node_text_use(struct fx_buf *out, const struct fx_node *user,
	const struct fx_node *node);

/* Hears a fact: "bytes", "16 KiB". */
typedef void fx_node_fact_fn(void *context, const char *word, enum fx_role role,
	const char *text);
/* Tell what NODE's result is: "tensor" with its shape and device, or "value";
 * nothing when it is not known.
 */
void fx_node_text_type(const struct fx_node *node, fx_node_fact_fn *tell,
	void *context);
/* Tell "elements", "bytes" and "strides" of a tensor, as far as known. */
void fx_node_text_tensor(const struct fx_node *node, fx_node_fact_fn *tell,
	void *context);

/* Lines of code, of the node at each position of its graph the one where it
 * begins, from 0.
 */
struct fx_code_lines {
	size_t *items;
	size_t count;
	size_t capacity;
};
/* Append the Python of GRAPH as DIALECT has it, the setting's text, without the
 * empty lines that torch.fx begins with, and set *LINES, which the caller
 * deinits with fx_vec_deinit.
 */
void fx_node_text_code(struct fx_buf *out, struct fx_graph *graph,
	const char *dialect, struct fx_code_lines *lines);

#endif /* FX_SESSION_NODE_TEXT_H */
