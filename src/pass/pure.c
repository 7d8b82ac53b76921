/* pure.c - calls that are known to give a result and do nothing else. */
#include <config.h>

#include "pass/pure.h"

#include "ir/graph.h"
#include "ir/module.h"
#include "ir/side_effects.h"
#include "ops/optab.h"

/* A call of an operation that is known to give a result and nothing else.
 * Random ones too stay: removing a draw changes all later ones.
 */
static bool
is_pure_op(const struct fx_node *node)
{
	return (fx_op_info((enum fx_op)node->op)->traits & FX_OP_PURE) &&
	       !fx_side_effects(node);
}

/* Layers of torch that only compute. */
static bool
is_pure_layer(const struct fx_node *node)
{
	struct fx_module *module =
		fx_module_find(node->graph->module, node->target);

	if (!module || fx_side_effects(node))
		return false;
	/* A container calls its children, which may be anything. */
	for (size_t i = 0; i < module->member_count; i++)
		if (module->members[i].kind == FX_MEMBER_CHILD)
			return false;
	return true;
}

bool
fx_is_pure(const struct fx_node *node)
{
	switch ((enum fx_opcode)node->opcode) {
	case FX_OPCODE_GET_ATTR:
		return true;
	case FX_OPCODE_CALL_FUNCTION:
	case FX_OPCODE_CALL_METHOD:
		return is_pure_op(node);
	case FX_OPCODE_CALL_MODULE:
		return is_pure_layer(node);
	case FX_OPCODE_PLACEHOLDER:
	case FX_OPCODE_OUTPUT:
	case FX_OPCODE_COUNT:
		break;
	}
	return false;
}
