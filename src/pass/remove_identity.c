/* remove_identity.c - nodes that give what they, or the call before them, got:
 * idle dropouts, and what is the same to the bit by its traits (ops/optab.h).
 */
#include <config.h>

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/intern.h"
#include "base/mem.h"
#include "ir/edit.h"
#include "ir/inline.h"
#include "ir/signature.h"
#include "ir/written.h"
#include "meta/propagate.h"
#include "ops/optab.h"
#include "pass/sweep.h"

struct state {
	struct fx_sweep sweep; /* first */
	struct fx_written written;
	struct fx_meta *meta;
};

extern const struct fx_pass fx_pass_remove_identity;
extern const struct fx_pass fx_pass_remove_dropout;

static struct fx_error *
identity_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);

	fx_sweep_begin(&state->sweep, graph);
	fx_written_find(&state->written, graph);
	state->meta = fx_meta_new();
	ctx->state = state;
	return NULL;
}

static void
identity_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	fx_written_deinit(&state->written);
	fx_meta_free(state->meta);
	free(state);
}

static unsigned
traits_of(const struct fx_node *node)
{
	return fx_op_info((enum fx_op)node->op)->traits;
}

/* --- dropout ------------------------------------------------------------- */

/* Whether NODE is a dropout that is told not to train. */
static bool
is_idle_dropout(const struct fx_node *node)
{
	static const char *const names[] = { "training", "train" };
	const struct fx_signature *signature;
	FX_AUTO_ARENA struct fx_arena *arena = NULL;
	struct fx_value bound[8];
	struct fx_error *err;

	if (!(traits_of(node) & FX_OP_DROPS))
		return false;
	signature = fx_signature_of((enum fx_op)node->op);
	if (signature->count > FX_ARRAY_LEN(bound))
		return false;
	arena = fx_arena_new();
	err = fx_signature_bind(arena, signature,
		&(struct fx_call_values){
			node->target, node->args, node->kwargs },
		bound);
	if (err) {
		fx_error_free(err);
		return false;
	}
	for (size_t i = 0; i < signature->count; i++)
		for (size_t j = 0; j < FX_ARRAY_LEN(names); j++)
			if (!strcmp(signature->parameters[i].name, names[j]))
				return bound[i].kind == FX_VALUE_BOOL &&
				       !bound[i].truth;
	return false;
}

static struct fx_node *
first_input(const struct fx_node *node)
{
	const struct fx_value *first = fx_node_arg(node, 0);

	if (!first)
		first = fx_node_kwarg(node, fx_intern("input"));
	return first && first->kind == FX_VALUE_NODE ? first->node : NULL;
}

static struct fx_node *
passed_on_by_dropout(struct state *state, struct fx_node *node)
{
	struct fx_node *found;
	size_t count = 0;

	if (is_idle_dropout(node))
		return first_input(node);
	found = fx_inline_forwards(fx_meta_expander(state->meta), node,
		is_idle_dropout, &count);
	return count ? found : NULL;
}

/* --- others -------------------------------------------------------------- */

static bool
is_nothing(const struct fx_node *node)
{
	(void)node;
	return false;
}

/* Whether A and B take the same but for their first arguments. */
static bool
takes_same(const struct fx_node *a, const struct fx_node *b)
{
	if (a->args.count != b->args.count || !a->args.count)
		return false;
	for (size_t i = 1; i < a->args.count; i++)
		if (!fx_value_equal(&a->args.items[i], &b->args.items[i]))
			return false;
	return fx_value_equal(&a->kwargs, &b->kwargs);
}

/* NODE is f(f(x)): what gives the same, f(x) or x, or NULL. */
static struct fx_node *
done_twice(const struct state *state, const struct fx_node *node)
{
	unsigned traits = traits_of(node);
	struct fx_node *once = first_input(node);

	if (!(traits & (FX_OP_IDEMPOTENT | FX_OP_INVOLUTION)) || !once ||
		once->opcode != node->opcode || once->target != node->target ||
		!takes_same(once, node) ||
		fx_written_touches(&state->written, node) ||
		fx_written_touches(&state->written, once))
		return NULL;
	return traits & FX_OP_IDEMPOTENT ? once : first_input(once);
}

static struct fx_node *
passed_on(struct state *state, struct fx_node *node)
{
	size_t count;
	struct fx_node *found = done_twice(state, node);

	if (found || node->opcode != FX_OPCODE_CALL_MODULE)
		return found;
	return fx_inline_forwards(fx_meta_expander(state->meta), node,
		is_nothing, &count);
}

/* --- both ---------------------------------------------------------------- */

static bool
plan(struct fx_pass_ctx *ctx,
	struct fx_node *(*find)(struct state *state, struct fx_node *node),
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;
	struct fx_node *node;

	while ((node = fx_sweep_next(&state->sweep))) {
		struct fx_node *same = find(state, node);

		if (!same)
			continue;
		fx_sweep_offer(&state->sweep, node, ret,
			"remove %%%s: gives %%%s", node->name, same->name);
		return true;
	}
	return false;
}

static FX_NODISCARD struct fx_error *
put_same(struct fx_node *node, struct fx_node *same)
{
	struct fx_value value = fx_value_node(same);
	struct fx_error *err =
		fx_edit_replace_uses(node, &value, NULL, NULL, NULL);

	return err ? err : fx_edit_erase(node);
}

static bool
identity_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	(void)graph;
	return plan(ctx, passed_on, ret);
}

static struct fx_error *
identity_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);

	return put_same(node, passed_on(ctx->state, node));
}

static bool
dropout_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	(void)graph;
	return plan(ctx, passed_on_by_dropout, ret);
}

static struct fx_error *
dropout_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);

	return put_same(node, passed_on_by_dropout(ctx->state, node));
}

const struct fx_pass fx_pass_remove_identity = {
	.name = "remove-identity",
	.summary = "nodes that give what they got",
	.claim = FX_CLAIM_EXACT,
	.open = identity_open,
	.close = identity_close,
	.plan = identity_plan,
	.apply = identity_apply,
};

const struct fx_pass fx_pass_remove_dropout = {
	.name = "remove-dropout",
	.summary = "dropouts that do not train",
	.claim = FX_CLAIM_EXACT,
	.open = identity_open,
	.close = identity_close,
	.plan = dropout_plan,
	.apply = dropout_apply,
};
