/* python.h - a graph as the Python code that torch.fx generates for it. */
#ifndef FX_EMIT_PYTHON_H
#define FX_EMIT_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_buf;
struct fx_graph;

/* All zero is what `gm.code` holds. */
struct fx_emit_python {
	/* "1.13", "2.x", "2.5"...; null or "auto" is the graph's own, and 2.x
	 * when it has none.
	 */
	const char *dialect;
	/* torch.fx's text even where it is wrong code (doc/differences.md). */
	bool exact;
	/* print_readable: within a class, with `# File:` lines, shapes as
	 * annotations (2.x) and the graphs of child modules as inner classes.
	 */
	bool verbose;
	bool expanded; /* one parameter a line, as expanded_def */
	bool flat;     /* inputs and outputs one by one, not as pytrees */
	bool strides;  /* in the annotations of verbose code */
	bool devices;
	const char *class_name; /* verbose; null: the graph's */
	/* Not null: gets the import lines of the functions and types that the
	 * code names.
	 */
	struct fx_buf *imports;
};

/* Where the text of one node stands, as offsets into the buffer.  The text is
 * the node's statement without its newline and without the `# File:` line
 * above; for a placeholder, it is the alias line or else the parameter.
 */
struct fx_emit_range {
	uint64_t node; /* id */
	size_t begin;
	size_t end;
};

/* In the graph's order: item N belongs to the node at position N. */
struct fx_emit_ranges {
	struct fx_emit_range *items;
	size_t count;
	size_t capacity;
};

void fx_emit_ranges_deinit(struct fx_emit_ranges *ranges);

/* Append the code of GRAPH to OUT.  OPTIONS may be null.  RANGES, when not
 * null, gets one item for every node of GRAPH itself.  Linear.
 */
void fx_emit_python(struct fx_buf *out, struct fx_graph *graph,
	const struct fx_emit_python *options, struct fx_emit_ranges *ranges);

#endif /* FX_EMIT_PYTHON_H */
