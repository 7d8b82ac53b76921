/* python_private.h - what the files that generate Python code share. */
#ifndef FX_EMIT_PYTHON_PRIVATE_H
#define FX_EMIT_PYTHON_PRIVATE_H

#include "base/buf.h"
#include "base/map.h"
#include "emit/code_names.h"
#include "emit/python.h"
#include "ir/value_text.h"

/* The code of one graph while it is being written. */
struct fx_coder {
	struct fx_graph *graph;
	const struct fx_pytree *pytree; /* of GRAPH, if it is written */
	const struct fx_emit_python *options;
	unsigned dialect;
	size_t indent; /* of the body's lines */

	struct fx_code_names names;
	struct fx_value_printer printer;

	struct fx_buf parameters; /* as they stand in the signature, each
				   * ended by a newline */
	struct fx_buf body;
	struct fx_buf returns; /* " -> torch.Tensor", usually empty */
	struct fx_map wrapped; /* printed name of a wrapped function -> 1 */
	struct fx_buf wraps;   /* the wrap lines */

	struct fx_map last_users; /* node of many users -> the last */

	/* Verbose: what the last `# File:` line said. */
	const struct fx_source *source;
	bool has_said_none;
	bool has_said;

	struct fx_emit_ranges *ranges; /* or null */
	struct fx_emit_ranges parts;   /* where each parameter stands */
};

/* The statement of NODE, of any opcode but placeholder and output, without
 * indentation and newline.
 */
void fx_code_statement(struct fx_coder *c, const struct fx_node *node);

/* The annotation of NODE with its colon, if it has one; a verbose one of 2.x
 * is the shape.
 */
void fx_code_annotation(struct fx_coder *c, const struct fx_node *node,
	struct fx_buf *out);

/* `# File:` or "No stacktrace" above NODE, when it changes. */
void fx_code_source(struct fx_coder *c, const struct fx_node *node);

#endif /* FX_EMIT_PYTHON_PRIVATE_H */
