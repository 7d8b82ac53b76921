/* side_effects.c - what a node may do beside giving a result, told without
 * running it.
 */
#include <config.h>

#include "ir/side_effects.h"

#include <string.h>

#include "base/compiler.h"
#include "base/intern.h"
#include "ir/control.h"
#include "ir/form.h"
#include "ir/graph.h"
#include "ir/module.h"
#include "ir/signature.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "ops/spellings.h"

#define ANYTHING (FX_SIDE_EFFECT_WRITES | FX_SIDE_EFFECT_DRAWS)

/* Parameters of functions, and configuration of layers, that ask for an effect
 * unless they are False, None or 0.
 */
static const struct {
	const char *name;
	unsigned kinds;
	unsigned except; /* traits of operations that do not mean it so */
} requests[] = {
	{ "inplace", FX_SIDE_EFFECT_WRITES, 0 },
	{ "max_norm", FX_SIDE_EFFECT_WRITES, 0 },
	{ "out", FX_SIDE_EFFECT_WRITES, 0 },
	/* Running statistics, but not of dropout. */
	{ "training", FX_SIDE_EFFECT_WRITES, FX_OP_RANDOM },
	{ "use_input_stats", FX_SIDE_EFFECT_WRITES, 0 },
	{ "dropout_p", FX_SIDE_EFFECT_DRAWS, 0 },
};

/* Whether VALUE, the value of a request above, asks for the effect.  A value
 * that is no constant may ask for it, so it counts.
 */
static bool
is_asking(const struct fx_value *value)
{
	if (!value || value->kind == FX_VALUE_NONE)
		return false;
	if (value->kind == FX_VALUE_BOOL)
		return value->truth;
	if (value->kind == FX_VALUE_INT)
		return value->integer != 0;
	return value->kind != FX_VALUE_FLOAT || value->real != 0;
}

static unsigned
guess_graph(const struct fx_graph *graph)
{
	const struct fx_node *node;
	unsigned kinds = 0;

	fx_graph_for_each_node (node, graph)
		kinds |= fx_side_effects(node);
	return kinds;
}

enum fx_op
fx_layer_operation(const char *class_name)
{
	const struct fx_spelling *spelling =
		fx_form_spelling(FX_OPCODE_CALL_MODULE, class_name);

	if (spelling)
		spelling = fx_spelling_of_operation(
			fx_operation_at(spelling->operation)->name);
	return spelling && spelling->opcode == FX_OPCODE_CALL_FUNCTION
		       ? fx_op_find(spelling->target)
		       : FX_OP_NONE;
}

enum fx_op
fx_node_operation(const struct fx_node *node)
{
	const struct fx_module *module;

	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return (enum fx_op)node->op;
	module = fx_module_find(node->graph->module, node->target);
	return module && !module->own_code
		       ? fx_layer_operation(module->class_name)
		       : FX_OP_NONE;
}

/* Return the side effects that MODULE, which asks whether it trains, may have
 * then.  Of the function that Dropout is it is known that it only draws.
 */
static unsigned
guess_training(const struct fx_module *module)
{
	enum fx_op op = fx_layer_operation(module->class_name);

	return fx_op_info(op)->traits & FX_OP_DROPS ? FX_SIDE_EFFECT_DRAWS
						    : ANYTHING;
}

/* Return the side effects that MODULE itself may have, without those of the
 * modules below it.
 */
static unsigned
guess_one(const struct fx_module *module)
{
	const struct fx_layer *layer = fx_layer_find(module->class_name);
	unsigned kinds = 0;

	if (module->graph)
		return guess_graph(module->graph);
	if (!layer || module->own_code)
		return ANYTHING;
	if (module->training && fx_layer_asks_training(layer))
		kinds |= guess_training(module);
	for (size_t i = 0; i < FX_ARRAY_LEN(requests); i++)
		if (is_asking(fx_value_dict_get(&module->config,
			    fx_intern(requests[i].name))))
			kinds |= requests[i].kinds;
	return kinds;
}

static bool
has_children(const struct fx_module *module)
{
	for (size_t i = 0; i < module->member_count; i++)
		if (module->members[i].child)
			return true;
	return false;
}

/* Each module once, however many paths lead to it. */
static unsigned
guess_module(struct fx_module *root)
{
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *path;
	unsigned kinds = 0;

	if (!root)
		return 0;
	/* Most are leaves, and a walk costs more than they do. */
	if (!has_children(root))
		return guess_one(root);
	walk = fx_module_walk_new(root, true);
	while (kinds != ANYTHING && fx_module_walk_next(walk, &module, &path))
		kinds |= guess_one(module);
	fx_module_walk_free(walk);
	return kinds;
}

static bool
is_called(const struct fx_parameter *p, const char *name)
{
	/* Most begin otherwise. */
	return *p->name == *name && strcmp(p->name, name) == 0;
}

/* Return what NODE gives to the parameter NAME of its operation, or
 * the default of that parameter, or NULL.  A keyword counts also where the row
 * does not have it: torch takes out= in more places.
 */
static const struct fx_value *
argument_called(const struct fx_node *node, const char *name)
{
	const struct fx_value *given = fx_node_kwarg(node, name);
	const struct fx_signature *signature =
		fx_signature_of((enum fx_op)node->op);

	for (size_t i = 0; !given && i < signature->count; i++) {
		const struct fx_parameter *p = &signature->parameters[i];

		if (!is_called(p, name))
			continue;
		if (!p->is_keyword_only)
			given = fx_node_arg(node, i);
		return given ? given : &p->fallback;
	}
	return given;
}

static unsigned
guess_arguments(const struct fx_node *node, unsigned traits)
{
	unsigned kinds = 0;

	for (size_t k = 0; k < FX_ARRAY_LEN(requests); k++)
		if (!(traits & requests[k].except) &&
			is_asking(argument_called(node, requests[k].name)))
			kinds |= requests[k].kinds;
	return kinds;
}

/* Whether NODE asks its operation to give an argument, with the result written
 * there.
 */
static bool
gives_argument(const struct fx_node *node)
{
	return is_asking(argument_called(node, "inplace")) ||
	       is_asking(argument_called(node, "out"));
}

unsigned
fx_side_effects(const struct fx_node *node)
{
	const struct fx_graph *called;
	unsigned kinds;
	unsigned traits;

	if (node->opcode == FX_OPCODE_CALL_MODULE)
		return guess_module(fx_module_find(node->graph->module,
			node->target));
	if (node->opcode != FX_OPCODE_CALL_FUNCTION &&
		node->opcode != FX_OPCODE_CALL_METHOD)
		return 0;
	called = fx_control_called(node);
	if (called)
		return guess_graph(called);
	if (node->op == FX_OP_NONE || fx_control_is(node) ||
		fx_control_calls(node))
		return ANYTHING;
	traits = fx_op_info(node->op)->traits;
	kinds = guess_arguments(node, traits);
	if (traits & FX_OP_MUTATES)
		kinds |= FX_SIDE_EFFECT_WRITES;
	if (traits & FX_OP_RANDOM)
		kinds |= FX_SIDE_EFFECT_DRAWS;
	return kinds;
}

/* --- what is known to draw ------------------------------------------------ */

struct known {
	bool draws;
	bool is_unknown; /* something in it is */
};

static void know_node(const struct fx_node *node, struct known *known);

static void
know_graph(const struct fx_graph *graph, struct known *known)
{
	const struct fx_node *node;

	fx_graph_for_each_node (node, graph)
		know_node(node, known);
}

/* Of a layer that is a function that is told; others may drop inside. */
static void
know_one(const struct fx_module *module, struct known *known)
{
	enum fx_op op = fx_layer_operation(module->class_name);
	bool is_layer = fx_layer_find(module->class_name) && !module->own_code;

	if (module->graph)
		know_graph(module->graph, known);
	else if (!is_layer)
		known->is_unknown = true;
	else if (!op || fx_op_info(op)->traits & FX_OP_RANDOM)
		known->draws |= guess_one(module) & FX_SIDE_EFFECT_DRAWS;
}

static void
know_module(struct fx_module *root, struct known *known)
{
	struct fx_module_walk *walk;
	struct fx_module *module;
	const char *path;

	if (!root || root->graph || !has_children(root)) {
		known->is_unknown |= !root;
		if (root)
			know_one(root, known);
		return;
	}
	walk = fx_module_walk_new(root, true);
	while (fx_module_walk_next(walk, &module, &path))
		know_one(module, known);
	fx_module_walk_free(walk);
}

static void
know_node(const struct fx_node *node, struct known *known)
{
	struct fx_graph *graphs[2];
	size_t count = fx_control_graphs(node, graphs);

	if (node->opcode == FX_OPCODE_CALL_MODULE) {
		know_module(fx_module_find(node->graph->module, node->target),
			known);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		known->is_unknown |= !graphs[i];
		if (graphs[i])
			know_graph(graphs[i], known);
	}
	if (count || (node->opcode != FX_OPCODE_CALL_FUNCTION &&
			     node->opcode != FX_OPCODE_CALL_METHOD))
		return;
	known->is_unknown |= node->op == FX_OP_NONE;
	known->draws |= fx_side_effects(node) & FX_SIDE_EFFECT_DRAWS;
}

bool
fx_is_known_to_draw(const struct fx_node *node)
{
	struct known known = { .draws = false };

	know_node(node, &known);
	return known.draws && !known.is_unknown;
}

bool
fx_may_alias(const struct fx_node *node)
{
	const struct fx_module *module;
	unsigned traits;

	if (node->opcode == FX_OPCODE_CALL_MODULE) {
		module = fx_module_find(node->graph->module, node->target);
		/* Layers with parameters compute something new. */
		return !module || !module->member_count || module->graph ||
		       module->own_code || !fx_layer_find(module->class_name);
	}
	if (node->op == FX_OP_NONE || fx_control_is(node) ||
		fx_control_calls(node))
		return true;
	traits = fx_op_info(node->op)->traits;
	/* Dropout is its argument itself while it does not train. */
	return (traits & (FX_OP_VIEW | FX_OP_MUTATES | FX_OP_RANDOM)) ||
	       (traits & FX_OP_LONE_VIEW && fx_node_input_count(node) < 2) ||
	       gives_argument(node);
}
