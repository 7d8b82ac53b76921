/* becoming.c - a graph becomes another one, change by change, as a pass. */
#include <config.h>

#include "pass/becoming.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "ir/become.h"

struct state {
	struct fx_becoming *becoming;
	size_t next;
	size_t count;
	struct fx_buf text;
};

static struct fx_error *
becoming_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	const struct fx_becoming_what *what = ctx->data;
	struct state *state = FX_NEW(struct state);

	state->becoming = fx_becoming_new(graph, what->other, what->renamed);
	state->count = fx_becoming_divide(state->becoming);
	ctx->state = state;
	return NULL;
}

static void
becoming_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_becoming_free(state->becoming);
	fx_buf_deinit(&state->text);
	free(state);
}

static bool
becoming_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;
	const struct fx_node *node;

	(void)graph;
	if (state->next >= state->count)
		return false;
	node = fx_becoming_node(state->becoming, state->next);
	fx_buf_clear(&state->text);
	fx_becoming_print(state->becoming, state->next, &state->text);
	ret->node = node ? node->id : 0;
	ret->text = fx_buf_text(&state->text);
	ret->key = fx_becoming_key(state->becoming, state->next++);
	return true;
}

static struct fx_error *
becoming_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;

	(void)graph;
	(void)candidate;
	return fx_becoming_add(state->becoming, state->next - 1);
}

struct fx_pass
fx_pass_becoming(const char *name)
{
	return (struct fx_pass){
		.name = name,
		.summary = "what somebody else made of the graph",
		.is_one_change = true,
		.claim = FX_CLAIM_ALGEBRAIC,
		.open = becoming_open,
		.close = becoming_close,
		.plan = becoming_plan,
		.apply = becoming_apply,
	};
}
