/* inline_all.c - every layer and composite function as its operators. */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/inline.h"
#include "meta/propagate.h"
#include "ops/optab.h"
#include "pass/engine.h"

struct state {
	struct fx_meta *meta;
	struct fx_node *at; /* the next to look at, or NULL */
	struct fx_buf text;
};

extern const struct fx_pass fx_pass_inline_all;

static struct fx_error *
inline_all_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);

	state->meta = fx_meta_new();
	state->at = fx_graph_first(graph);
	ctx->state = state;
	return NULL;
}

static void
inline_all_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_meta_free(state->meta);
	fx_buf_deinit(&state->text);
	free(state);
}

static bool
inline_all_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;

	(void)graph;
	while (state->at) {
		struct fx_node *node = state->at;
		struct fx_error *err =
			fx_inline_check(fx_meta_expander(state->meta), node);

		/* Applying puts operators in front of this one. */
		state->at = fx_graph_next(node);
		if (err) {
			fx_error_free(err);
			continue;
		}
		fx_buf_clear(&state->text);
		fx_buf_addf(&state->text, "inline %%%s: %s", node->name,
			node->target);
		ret->node = node->id;
		ret->text = fx_buf_text(&state->text);
		return true;
	}
	return false;
}

static struct fx_error *
inline_all_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;

	return fx_inline(fx_meta_expander(state->meta),
		fx_graph_find_id(graph, candidate->node));
}

const struct fx_pass fx_pass_inline_all = {
	.name = "inline-all",
	.summary = "layers and composite functions as their operators",
	.claim = FX_CLAIM_EXACT,
	.rounds = FX_OP_FUSED,
	.open = inline_all_open,
	.close = inline_all_close,
	.plan = inline_all_plan,
	.apply = inline_all_apply,
};
