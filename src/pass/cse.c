/* cse.c - equal calls once.
 *
 * From the first node to the last: a call like one before it gets that one's
 * result.  As uses change at once, calls whose inputs became one are found
 * equal in the same walk.  Nothing is merged whose memory, or that of an
 * input, somebody may write.
 */
#include <config.h>

#include <stdlib.h>

#include "base/mem.h"
#include "ir/edit.h"
#include "ir/module.h"
#include "ir/value_text.h"
#include "ir/written.h"
#include "pass/pure.h"
#include "pass/sweep.h"

struct state {
	struct fx_sweep sweep; /* first */
	struct fx_written written;
	struct fx_map calls; /* hash -> id of the first call with it */
	struct fx_buf key;
};

extern const struct fx_pass fx_pass_cse;

static struct fx_error *
cse_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);

	fx_sweep_begin(&state->sweep, graph);
	fx_written_find(&state->written, graph);
	ctx->state = state;
	return NULL;
}

static void
cse_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	fx_written_deinit(&state->written);
	fx_map_deinit(&state->calls);
	fx_buf_deinit(&state->key);
	free(state);
}

/* What NODE calls: modules by what they are, as several paths may lead to one.
 */
static const void *
callee(const struct fx_node *node)
{
	if (node->opcode != FX_OPCODE_CALL_MODULE)
		return node->target;
	return fx_module_find(node->graph->module, node->target);
}

/* The same parameter is the same memory, written or not. */
static bool
is_mergeable(const struct state *state, const struct fx_node *node)
{
	if (node->opcode == FX_OPCODE_GET_ATTR)
		return true;
	return fx_is_pure(node) && !fx_written_touches(&state->written, node);
}

static bool
is_equal(const struct fx_node *a, const struct fx_node *b)
{
	return a->opcode == b->opcode && callee(a) == callee(b) &&
	       a->is_wrapped == b->is_wrapped && a->type == b->type &&
	       fx_value_equal(&a->args, &b->args) &&
	       fx_value_equal(&a->kwargs, &b->kwargs);
}

/* A call before NODE that is like it, or NULL: then NODE is the first. */
static struct fx_node *
find_before(struct state *state, struct fx_node *node)
{
	struct fx_graph *graph = node->graph;
	uint64_t hash;

	fx_buf_clear(&state->key);
	fx_buf_addf(&state->key, "%d %p ", node->opcode, callee(node));
	fx_value_print_as(&state->key, &node->args, FX_STYLE_EXACT);
	fx_value_print_as(&state->key, &node->kwargs, FX_STYLE_EXACT);
	hash = fx_hash_quick(state->key.data, state->key.length);
	/* Another call with the same hash is passed over. */
	for (hash |= 1;; hash += 2) {
		uintptr_t id = fx_map_get(&state->calls, (uintptr_t)hash, 0);
		struct fx_node *found = fx_graph_find_id(graph, id);

		if (!id || !found || !found->is_in_graph) {
			fx_map_set(&state->calls, (uintptr_t)hash,
				(uintptr_t)node->id);
			return NULL;
		}
		if (is_equal(found, node))
			return found;
	}
}

static bool
cse_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;
	struct fx_node *node;

	(void)graph;
	while ((node = fx_sweep_next(&state->sweep))) {
		struct fx_node *before;

		if (!is_mergeable(state, node))
			continue;
		before = find_before(state, node);
		if (!before)
			continue;
		fx_sweep_offer(&state->sweep, node, ret, "merge %%%s into %%%s",
			node->name, before->name);
		return true;
	}
	return false;
}

static struct fx_error *
cse_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);
	struct fx_value value = fx_value_node(find_before(ctx->state, node));
	struct fx_error *err =
		fx_edit_replace_uses(node, &value, NULL, NULL, NULL);

	return err ? err : fx_edit_erase(node);
}

const struct fx_pass fx_pass_cse = {
	.name = "cse",
	.summary = "equal calls once",
	.claim = FX_CLAIM_EXACT,
	.open = cse_open,
	.close = cse_close,
	.plan = cse_plan,
	.apply = cse_apply,
};
