/* random_graph.h - valid graphs of every kind from a seed.
 *
 * The same seed and options give the same graph on every machine.  Every
 * opcode occurs, every kind of value that may be an argument, a module tree
 * with shared modules, tied and strided tensors and None members.
 */
#ifndef FX_TESTS_SUPPORT_RANDOM_GRAPH_H
#define FX_TESTS_SUPPORT_RANDOM_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/graph.h"
#include "tests/support/random.h"

struct fxt_graph_options {
	uint64_t seed;
	size_t node_count; /* about; 0: from 3 to 40 */
	/* No kinds of values, names or annotations but those that Python code
	 * keeps as they are: what is left out is only in .fxg.
	 */
	bool only_python;
	bool no_modules; /* no module tree, as in a graph read from bare code */
	bool no_annotations; /* no notes, sources, scopes */
};

/* The caller owns it; it has no journal. */
struct fx_graph *fxt_random_graph(const struct fxt_graph_options *options);

/* A random value without nodes, at most DEPTH containers deep, in ARENA. */
struct fx_value fxt_random_value(struct fxt_random *random,
	struct fx_arena *arena, int depth, bool only_python);

/* A random module with tensors, a few levels deep, made for GRAPH. */
struct fx_module *fxt_random_module(struct fxt_random *random,
	struct fx_graph *graph, int depth);

#endif /* FX_TESTS_SUPPORT_RANDOM_GRAPH_H */
