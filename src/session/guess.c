/* guess.c - what a node may do beside giving a result, told without running
 * it.
 */
#include <config.h>

#include <string.h>

#include "ir/graph.h"
#include "ir/module.h"
#include "ops/layertab.h"
#include "ops/optab.h"
#include "session/timeline.h"

static bool
is_true(const struct fx_value *value)
{
	return value && value->kind == FX_VALUE_BOOL && value->truth;
}

static unsigned
guess_module(const struct fx_module *module)
{
	const struct fx_value *inplace;
	unsigned kinds = 0;

	if (!module)
		return 0;
	inplace = fx_value_dict_get(&module->config, "inplace");
	if (is_true(inplace))
		kinds |= FX_EFFECT_WRITES;
	if (module->training || module->graph ||
		!fx_layer_find(module->class_name))
		kinds |= FX_EFFECT_WRITES | FX_EFFECT_DRAWS;
	return kinds;
}

/* F.relu(x, inplace=True), by keyword or by position. */
static bool
is_in_place(const struct fx_node *node)
{
	const char *signature = fx_op_info(node->op)->signature;

	if (!strstr(signature, "inplace"))
		return false;
	for (size_t i = 1; i < fx_value_item_count(&node->args); i++)
		if (is_true(&node->args.items[i]))
			return true;
	return is_true(fx_node_kwarg(node, "inplace"));
}

unsigned
fx_effect_guess(const struct fx_node *node)
{
	unsigned kinds = 0;
	unsigned traits;

	if (node->opcode == FX_OPCODE_CALL_MODULE)
		return guess_module(fx_module_find(node->graph->module,
			node->target));
	if (node->opcode != FX_OPCODE_CALL_FUNCTION &&
		node->opcode != FX_OPCODE_CALL_METHOD)
		return 0;
	if (node->op == FX_OP_NONE)
		return FX_EFFECT_WRITES | FX_EFFECT_DRAWS;
	traits = fx_op_info(node->op)->traits;
	if (traits & FX_OP_MUTATES || is_in_place(node))
		kinds |= FX_EFFECT_WRITES;
	if (traits & FX_OP_RANDOM)
		kinds |= FX_EFFECT_DRAWS;
	return kinds;
}

bool
fx_effect_may_alias(const struct fx_node *node)
{
	const struct fx_module *module;
	unsigned traits;

	if (node->opcode == FX_OPCODE_CALL_MODULE) {
		module = fx_module_find(node->graph->module, node->target);
		/* Layers with parameters compute something new. */
		return !module || !module->member_count || module->graph ||
		       !fx_layer_find(module->class_name);
	}
	if (node->op == FX_OP_NONE)
		return true;
	traits = fx_op_info(node->op)->traits;
	/* Dropout is its argument itself while it does not train. */
	return (traits & (FX_OP_VIEW | FX_OP_MUTATES | FX_OP_RANDOM)) ||
	       is_in_place(node);
}
