/* dag.h - a graph reduced to what a drawing needs: who uses whom, in order,
 * and what to write beside it.
 *
 * All pictures are drawn from this form, so that a whole graph, a window of
 * one and a graph with folded scopes look the same to the layouts.  Nodes are
 * numbered in a topological order: inputs have smaller numbers.
 */
#ifndef FX_DRAW_DAG_H
#define FX_DRAW_DAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

struct fx_graph;
struct fx_node;

enum fx_dag_kind {
	FX_DAG_INPUT,     /* placeholder */
	FX_DAG_PARAMETER, /* get_attr */
	FX_DAG_FUNCTION,  /* call_function, call_method */
	FX_DAG_MODULE,
	FX_DAG_OUTPUT,
	FX_DAG_FOLD, /* several nodes folded to one */
};

struct fx_dag_node {
	const char *name;           /* interned or borrowed from the graph */
	const char *label;          /* for boxes: short; same lifetime */
	const struct fx_node *node; /* borrowed; NULL for a fold, or of none */
	uint32_t first_input;       /* into inputs */
	uint32_t input_count;
	uint32_t user_count;
	uint32_t origin;    /* position in the graph of the (first) node */
	uint32_t folded;    /* how many nodes it stands for */
	uint32_t last_user; /* while building: number + 1 */
	uint8_t kind;
	bool hides_inputs; /* some, other than parameters, are not in a part */
	bool hides_users;
};

struct fx_dag {
	size_t count;
	struct fx_dag_node *nodes;
	uint32_t *inputs; /* numbers of nodes, distinct for each node */
	size_t input_count;
	size_t input_capacity;
	size_t node_capacity;
};

/* Building: add the nodes in order, each followed by its inputs. */
struct fx_dag *fx_dag_new(void);
void fx_dag_free(struct fx_dag *dag);

FX_DEFINE_CLEANUP(dag, struct fx_dag, fx_dag_free);
#define FX_AUTO_DAG FX_AUTO(dag)

/* There will be COUNT nodes. */
void fx_dag_reserve(struct fx_dag *dag, size_t count);
/* NAME is borrowed; the label is the same.  Returns the new node, valid until
 * the next is added.
 */
struct fx_dag_node *fx_dag_add(struct fx_dag *dag, enum fx_dag_kind kind,
	const char *name);
/* An input of the node added last; one it already has is ignored. */
void fx_dag_add_input(struct fx_dag *dag, uint32_t input);

/* The whole of GRAPH, node N at position N.  Linear. */
struct fx_dag *fx_dag_of_graph(struct fx_graph *graph);

/* A single node, or neighbouring nodes that are drawn as one. */
struct fx_dag_run {
	size_t first; /* position of the first */
	size_t count;
	const char *fold; /* what the fold is called, interned; NULL: no fold */
};

/* GRAPH with each of the COUNT RUNS (ascending) made one node; what is in no
 * run is left out.  As runs are neighbours in order, the result has no cycles.
 * Linear in what is in runs.
 */
struct fx_dag *fx_dag_of_runs(struct fx_graph *graph,
	const struct fx_dag_run *runs, size_t count);
/* The same into DAG, in place of what is there, whose memory is used again. */
void fx_dag_fill(struct fx_dag *dag, struct fx_graph *graph,
	const struct fx_dag_run *runs, size_t count);

/* GRAPH with each run of neighbours in one module scope folded, scopes cut to
 * DEPTH steps.
 */
struct fx_dag *fx_dag_fold(struct fx_graph *graph, int depth);

/* The path of the module that NODE belongs to, interned; NULL at the root.
 * BEFORE is that of the node before it: a function that carries no scope (as
 * in traces of old versions of torch) goes with the module called before it.
 */
const char *fx_dag_scope(const struct fx_node *node, const char *before);
/* The same where BEFORE is not at hand: looks back for it. */
const char *fx_dag_scope_alone(const struct fx_node *node);

/* Only the COUNT nodes NUMBERS (ascending) and the edges between them; origin
 * keeps the number in DAG.  A node remembers that it had other edges.
 */
struct fx_dag *fx_dag_part(const struct fx_dag *dag, const size_t *numbers,
	size_t count);

/* NULL in a graph without edges. */
static inline const uint32_t *
fx_dag_inputs(const struct fx_dag *dag, size_t node)
{
	return dag->inputs ? dag->inputs + dag->nodes[node].first_input : NULL;
}

#endif /* FX_DRAW_DAG_H */
