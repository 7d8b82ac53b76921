/* dce.c - dead-code elimination: nodes whose result nobody uses.
 *
 * From the last node to the first, so that what only dead nodes used dies in
 * the same walk.  A node stays unless it is known to do nothing but compute:
 * torch.fx removes in-place operations, random ones and prints, which changes
 * what the program does (doc/differences.md); the option "torch" follows it
 * exactly.
 */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/edit.h"
#include "ir/module.h"
#include "ir/signature.h"
#include "ops/optab.h"
#include "pass/engine.h"

struct state {
	struct fx_node *at; /* the next to look at, or NULL */
	struct fx_buf text;
	bool is_torch;
};

extern const struct fx_pass fx_pass_dce;

/* Traits that forbid removal.  RANDOM too: removing a draw changes all later
 * ones.
 */
#define KEPT (FX_OP_MUTATES | FX_OP_RANDOM | FX_OP_ASSERTS | FX_OP_EFFECT)

/* Whether a call says `inplace`, by keyword or by place, and anything but
 * False: it may write to its argument then.
 */
static bool
is_in_place(const struct fx_node *node)
{
	const struct fx_signature *signature =
		fx_signature_of((enum fx_op)node->op);
	const char *name = fx_intern("inplace");
	const struct fx_value *given = fx_node_kwarg(node, name);

	for (size_t i = 0; !given && i < signature->count; i++)
		if (signature->parameters[i].name == name)
			given = fx_node_arg(node, i);
	return given && (given->kind != FX_VALUE_BOOL || given->truth);
}

static bool
is_pure_op(const struct fx_node *node)
{
	const struct fx_op_info *info;

	if (node->op == FX_OP_NONE)
		return false;
	info = fx_op_info((enum fx_op)node->op);
	return (info->traits & FX_OP_PURE) && !(info->traits & KEPT) &&
	       !is_in_place(node);
}

/* Layers that only compute.  In training mode some draw or update buffers;
 * `inplace=True` writes to the argument.
 */
static bool
is_pure_layer(const struct fx_node *node)
{
	static const char *const stateful[] = { "Dropout", "Dropout1d",
		"Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout",
		"RReLU", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d",
		"SyncBatchNorm", "InstanceNorm1d", "InstanceNorm2d",
		"InstanceNorm3d" };
	struct fx_module *module =
		fx_module_find(node->graph->module, node->target);
	const struct fx_value *in_place;
	const char *name;

	if (!module || module->graph ||
		!fx_str_starts(module->class_name, "torch.nn."))
		return false;
	in_place = module->config.kind == FX_VALUE_DICT
			   ? fx_value_dict_get(&module->config,
				     fx_intern("inplace"))
			   : NULL;
	if (in_place && (in_place->kind != FX_VALUE_BOOL || in_place->truth))
		return false;
	name = fx_class_short_name(module->class_name);
	for (size_t i = 0; module->training && i < FX_ARRAY_LEN(stateful); i++)
		if (fx_str_equal(name, stateful[i]))
			return false;
	/* A container calls its children, which may be anything. */
	for (size_t i = 0; i < module->member_count; i++)
		if (module->members[i].kind == FX_MEMBER_CHILD)
			return false;
	return true;
}

/* torch.fx 1.13: placeholders, outputs, asserts and profiler marks stay;
 * modules unless they say `_is_impure`; all else is pure.
 */
static bool
is_pure_to_torch(const struct fx_node *node)
{
	const struct fx_op_info *info =
		node->op ? fx_op_info((enum fx_op)node->op) : NULL;

	if (node->opcode == FX_OPCODE_PLACEHOLDER ||
		node->opcode == FX_OPCODE_OUTPUT)
		return false;
	if (node->opcode != FX_OPCODE_CALL_FUNCTION)
		return true;
	if (info && (info->traits & FX_OP_ASSERTS))
		return false;
	return !fx_str_starts(node->target, "torch.ops.profiler.");
}

static bool
is_pure(const struct fx_node *node, bool is_torch)
{
	if (is_torch)
		return is_pure_to_torch(node);
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

static struct fx_error *
dce_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);

	state->at = fx_graph_last(graph);
	state->is_torch = fx_pass_has_option(ctx, "torch");
	ctx->state = state;
	return NULL;
}

static void
dce_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_buf_deinit(&state->text);
	free(state);
}

static bool
dce_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;

	(void)graph;
	while (state->at) {
		struct fx_node *node = state->at;

		state->at = fx_graph_previous(node);
		if (node->user_count || !is_pure(node, state->is_torch))
			continue;
		fx_buf_clear(&state->text);
		fx_buf_addf(&state->text, "erase %%%s: unused", node->name);
		ret->node = node->id;
		ret->text = fx_buf_text(&state->text);
		return true;
	}
	return false;
}

static struct fx_error *
dce_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	(void)ctx;
	return fx_edit_erase(fx_graph_find_id(graph, candidate->node));
}

const struct fx_pass fx_pass_dce = {
	.name = "dce",
	.summary = "remove nodes whose result nobody uses",
	.options = "torch",
	.open = dce_open,
	.close = dce_close,
	.plan = dce_plan,
	.apply = dce_apply,
};
