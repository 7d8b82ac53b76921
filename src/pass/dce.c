/* dce.c - dead-code elimination: nodes whose result nobody uses.
 *
 * From the last node to the first, so that what only dead nodes used dies in
 * the same walk.  A node stays unless it is known to do nothing but compute:
 * torch.fx removes in-place operations, random ones and prints, which changes
 * what the program does (doc/differences.md); the option "torch" follows it,
 * in the version that the graph came from.
 */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "ir/edit.h"
#include "ir/side_effects.h"
#include "ops/dialect.h"
#include "ops/optab.h"
#include "pass/engine.h"
#include "pass/pure.h"

struct state {
	struct fx_node *at; /* the next to look at, or NULL */
	struct fx_buf text;
	bool is_torch;
	bool is_newer; /* than 1.x */
};

extern const struct fx_pass fx_pass_dce;

/* torch.fx: placeholders, outputs, asserts and profiler marks stay; modules
 * unless they say `_is_impure`; all else is pure to 1.13.  2.x also keeps
 * functions that draw, setitem, and operators of torch.ops that do more than
 * compute.
 */
static bool
is_pure_to_torch(const struct state *state, const struct fx_node *node)
{
	unsigned traits = fx_op_info((enum fx_op)node->op)->traits;

	if (node->opcode == FX_OPCODE_PLACEHOLDER ||
		node->opcode == FX_OPCODE_OUTPUT ||
		(traits & (FX_OP_ASSERTS | FX_OP_MARKS)))
		return false;
	if (!state->is_newer || node->opcode != FX_OPCODE_CALL_FUNCTION)
		return true;
	return !(traits & FX_OP_KEPT) &&
	       !(fx_str_starts(node->target, "torch.ops.") &&
		       fx_side_effects(node));
}

static struct fx_error *
dce_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);
	unsigned version;

	state->at = fx_graph_last(graph);
	state->is_torch = fx_pass_has_option(ctx, "torch");
	state->is_newer =
		fx_dialect_parse(graph->dialect, &version) && version >= 2000;
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
		if (node->user_count ||
			!(state->is_torch ? is_pure_to_torch(state, node)
					  : fx_is_pure(node)))
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

static const struct fx_pass_option options[] = {
	{ .name = "torch",
		.initial = "off",
		.help = "what torch.fx removes: random and in-place nodes "
			"too" },
	{ .name = NULL },
};

const struct fx_pass fx_pass_dce = {
	.name = "dce",
	.summary = "remove nodes whose result nobody uses",
	.takes = options,
	.claim = FX_CLAIM_EXACT,
	.open = dce_open,
	.close = dce_close,
	.plan = dce_plan,
	.apply = dce_apply,
};
