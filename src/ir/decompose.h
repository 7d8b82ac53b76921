/* decompose.h - layers and composite functions as small graphs of operator
 * calls.
 *
 * A function of ops/layers.py or functionals.py is partially evaluated: what
 * depends on configuration, constants and kinds (dtype and rank of tensors) is
 * computed, calls of operators become nodes of a fragment.  Running, shapes
 * and `inline` all read the fragment; nothing else knows what a layer does.
 */
#ifndef FX_IR_DECOMPOSE_H
#define FX_IR_DECOMPOSE_H

#include <stddef.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "ir/value.h"

struct fx_graph;
struct fx_module;

/* GRAPH has one placeholder an input, then operators, then an output. */
struct fx_decomposition {
	struct fx_graph *graph;
	size_t input_count;
	/* Interned name of the parameter or buffer of the module that input i
	 * takes, or NULL: it takes the next leaf of the arguments.
	 */
	const char *const *members;
};

/* Fragments by function or by what a module is (not which), and kinds: one
 * expander serves any number of graphs and outlives them.
 */
struct fx_expander;
struct fx_expander *fx_expander_new(void);
void fx_expander_free(struct fx_expander *expander);
FX_DEFINE_CLEANUP(expander, struct fx_expander, fx_expander_free);
#define FX_AUTO_EXPANDER FX_AUTO(expander)

/* How the metadata of a fragment's node is found while it is built (ir cannot
 * see src/meta): LEARN sets the `meta` of NODE if it can.  Without it only
 * kinds of the inputs themselves are known.
 */
typedef void fx_expander_learn_fn(void *context, struct fx_node *node);
void fx_expander_set_learn(struct fx_expander *expander,
	fx_expander_learn_fn *learn, void *context);

/* MODULE called with ARGS (a TUPLE) and KWARGS (a DICT or NONE).  In them
 * TENSOR, SYMBOL and UNKNOWN leaves are inputs, in the order of a walk through
 * ARGS and then KWARGS (fx_decompose_leaves); everything else is constant.  The
 * fragment stays the expander's.  UNSUPPORTED: no such layer is known, or it
 * depends on what only running can tell; else what the layer itself raises.
 */
FX_NODISCARD struct fx_error *fx_decompose_module(struct fx_expander *expander,
	const struct fx_module *module, const struct fx_value *args,
	const struct fx_value *kwargs, const struct fx_decomposition **ret);

/* The composite function NAME (qualified) called the same way. */
FX_NODISCARD struct fx_error *
fx_decompose_function(struct fx_expander *expander, const char *name,
	const struct fx_value *args, const struct fx_value *kwargs,
	const struct fx_decomposition **ret);

/* Call VISIT for the input leaves of VALUE in order. */
void fx_decompose_leaves(const struct fx_value *value,
	void (*visit)(void *context, const struct fx_value *leaf),
	void *context);

/* A new module of GRAPH as nn.CLASS_NAME(*ARGS, **KWARGS) makes it: its
 * configuration, parameters and buffers (without values).  NO_NAME: no such
 * class is known; TYPE, VALUE: the constructor refuses.
 */
FX_NODISCARD struct fx_error *fx_layer_construct(struct fx_graph *graph,
	const char *class_name, const struct fx_value *args,
	const struct fx_value *kwargs, struct fx_module **ret);

#endif /* FX_IR_DECOMPOSE_H */
