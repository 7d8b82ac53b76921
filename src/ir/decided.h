/* decided.h - what the run that a graph was recorded of decided.
 *
 * A recorded graph is right where its model would decide the same.  Whether it
 * would is told by tests: expressions of nodes with the values that they had.
 * They follow their nodes through renames, into copies and .fxg.
 */
#ifndef FX_IR_DECIDED_H
#define FX_IR_DECIDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fx_buf;
struct fx_graph;

/* A node's name in an expression, from its % on. */
struct fx_mention {
	size_t at;
	size_t length;
	uint64_t node; /* 0: there is none */
};

struct fx_decided_test {
	struct fx_decided_test *next;
	const char *expression; /* with the names that nodes had then */
	const char *value;      /* that it had, as Python's repr */
	uint64_t after;         /* the node after which the model asked; 0 */
	struct fx_mention *mentions;
	size_t mention_count;
};

/* All of it lies in the graph's permanent arena. */
struct fx_decided {
	struct fx_decided *next;
	const char *file;
	int line;          /* from 1; 0: it is of no line */
	const char *value; /* that came out */
	const char *text;  /* of the line, or what happened there */
	struct fx_decided_test *tests;
	struct fx_decided_test *last_test;
};

/* Add a decision with the fields of WHAT, which are copied, and no tests. */
struct fx_decided *fx_graph_add_decided(struct fx_graph *graph,
	const struct fx_decided *what);
/* A test of DECIDED, which is GRAPH's; EXPRESSION and AFTER, or NULL, have the
 * names of now.
 */
void fx_decided_add_test(struct fx_graph *graph, struct fx_decided *decided,
	const char *expression, const char *value, const char *after);

/* The first one, or NULL; the others follow by next. */
const struct fx_decided *fx_graph_decided(const struct fx_graph *graph);
size_t fx_graph_decided_count(const struct fx_graph *graph);

/* Append the expression of TEST with the names that its nodes have now; false
 * when one of them is not in GRAPH.
 */
bool fx_decided_print(struct fx_buf *out, const struct fx_decided_test *test,
	const struct fx_graph *graph);

/* Give COPY, whose nodes have the names of GRAPH's, what was decided there;
 * tests of nodes that are gone stay behind.
 */
void fx_graph_copy_decided(struct fx_graph *copy, const struct fx_graph *graph);

#endif /* FX_IR_DECIDED_H */
