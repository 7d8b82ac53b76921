/* control.h - nodes that run graphs: a module's own graph, the branches of a
 * cond, the condition and body of a while_loop, what a wrap calls.
 *
 * The graphs belong to modules: call_module names one, the higher-order
 * operators (traits BRANCHES, LOOPS and CALLS of ops.def) are given get_attr
 * nodes that do.  CALLS are like call_module: they call one graph with the rest
 * of their arguments.
 */
#ifndef FX_IR_CONTROL_H
#define FX_IR_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ir/node.h"
#include "ops/optab.h"

struct fx_graph;
struct fx_value;

/* The parameters of both operators, by their place in the signature. */
enum fx_control_argument {
	FX_BRANCH_PREDICATE = 0,
	FX_BRANCH_GRAPHS = 1, /* true, then false */
	FX_BRANCH_OPERANDS = 3,
	FX_LOOP_GRAPHS = 0, /* condition, then body */
	FX_LOOP_CARRIED = 2,
	FX_LOOP_ADDITIONAL = 3,
};

static inline bool
fx_control_branches(const struct fx_node *node)
{
	return fx_op_info((enum fx_op)node->op)->traits & FX_OP_BRANCHES;
}

static inline bool
fx_control_loops(const struct fx_node *node)
{
	return fx_op_info((enum fx_op)node->op)->traits & FX_OP_LOOPS;
}

/* Whether NODE is a cond or while_loop. */
static inline bool
fx_control_is(const struct fx_node *node)
{
	return fx_op_info((enum fx_op)node->op)->traits &
	       (FX_OP_BRANCHES | FX_OP_LOOPS);
}

/* Whether NODE is an operator that calls a graph. */
static inline bool
fx_control_calls(const struct fx_node *node)
{
	return fx_op_info((enum fx_op)node->op)->traits & FX_OP_CALLS;
}

/* Return the value that NODE, such an operator, gives to parameter INDEX,
 * or NULL if it gives none; and the name of that parameter.
 */
const struct fx_value *fx_control_argument(const struct fx_node *node,
	size_t index);
const char *fx_control_parameter(const struct fx_node *node, size_t index);

/* The graph that call_module NODE's module owns, or NULL; the same of get_attr
 * NODE, which gives a module.
 */
struct fx_graph *fx_control_owned(const struct fx_node *node);
struct fx_graph *fx_control_given(const struct fx_node *node);

/* Whether a node of GRAPH is shapeless.  A module that is given to a cond is,
 * and needs no shape.
 */
bool fx_control_lacks_shapes(const struct fx_graph *graph);

/* The graph that NODE, a call_module or an operator that calls one, calls, or
 * NULL.
 */
struct fx_graph *fx_control_called(const struct fx_node *node);
/* How many positional arguments of such a NODE are not for that graph, and
 * whether its keyword NAME is not.
 */
size_t fx_control_own_count(const struct fx_node *node);
bool fx_control_is_own(const struct fx_node *node, const char *name);
/* What such a NODE gives to the INDEXth placeholder of that graph, called
 * TARGET, or NULL.
 */
const struct fx_value *fx_control_operand(const struct fx_node *node,
	size_t index, const char *target);

/* The get_attr node that gives such an operator NODE its graph, NULL: none. */
struct fx_node *fx_control_giver(const struct fx_node *node);
/* Whether such an operator has its graph run in another state of torch, as
 * without gradients: that is what its arguments before the graph say.
 */
bool fx_control_changes_state(const struct fx_node *node);

/* The graphs that NODE runs, in the order of its parameters, of which a null
 * one is none that can be found; their count: 0 for most nodes.
 */
size_t fx_control_graphs(const struct fx_node *node,
	struct fx_graph *graphs_ret[2]);

bool fx_control_runs(const struct fx_node *node, const struct fx_graph *graph);
/* The same, or NODE runs a graph that GRAPH is nested in. */
bool fx_control_holds(const struct fx_node *node, const struct fx_graph *graph);

/* Set GRAPHS_RET to the graphs that NODE, a higher-order operator, runs.  Fails
 * with TYPE if one of those arguments is no module with a graph, UNSUPPORTED
 * where it would run under autocast.
 */
FX_NODISCARD struct fx_error *fx_control_need(const struct fx_node *node,
	struct fx_graph *graphs_ret[2]);

/* TYPE unless GRAPH, which NODE runs, takes COUNT arguments. */
FX_NODISCARD struct fx_error *fx_control_check(const struct fx_node *node,
	const struct fx_graph *graph, size_t count);

/* Return where GRAPH is nested in ROOT: the dotted path of the modules that own
 * GRAPH and the graphs around it, interned, "cond_true_1.cond_true_0" for
 * example.  It is "" for ROOT itself, and NULL if GRAPH is not nested in ROOT.
 */
const char *fx_control_path(struct fx_graph *root,
	const struct fx_graph *graph);

/* The graph that is nested in ROOT at such a PATH, ROOT for ""; NULL: none. */
struct fx_graph *fx_control_graph_at(struct fx_graph *root, const char *path);

/* The highest number of the graphs nested in ROOT, in the high half of their
 * serials (load/open.h); 0 without any.
 */
uint32_t fx_control_highest_number(struct fx_graph *root);

/* The first node of the graph around GRAPH that runs GRAPH, and the one after
 * NODE; NULL when there is none.
 */
struct fx_node *fx_control_first_caller(const struct fx_graph *graph);
struct fx_node *fx_control_next_caller(const struct fx_graph *graph,
	const struct fx_node *node);

/* The node that TEXT, such a path and a name, means: "cond_true_1.sin"; NULL
 * when there is none, or it is one of ROOT itself.
 */
struct fx_node *fx_control_find(struct fx_graph *root, const char *text);

#endif /* FX_IR_CONTROL_H */
