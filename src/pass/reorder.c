/* reorder.c - nodes in another order that does the same.
 *
 * What may be seen from outside stays in its order: writes, draws, what is not
 * known, what reads memory that is written, and what nobody reads.  All else
 * stands anywhere between its inputs and its users.
 *
 * The wanted order is made first.  The longest run of nodes that are in it
 * stays; of the others those that go down are moved first, the last of them
 * first, then those that go up: so no move is in the way of an edge.  Where a
 * candidate was skipped, those that would cross it are not offered.
 */
#include <config.h>

#include <stdlib.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "ir/edit.h"
#include "ir/order.h"
#include "ir/tensor_meta.h"
#include "ir/written.h"
#include "pass/pure.h"
#include "pass/sweep.h"

/* Of so many nodes that could come next the best is taken. */
#define READY_LOOKED_AT 256

struct state {
	struct fx_sweep sweep; /* first */
	size_t count;
	struct fx_node **now;    /* as the nodes stand at the beginning */
	struct fx_node **wanted; /* as they are to stand */
	size_t wanted_count;
	struct fx_map emitted; /* node -> 1: it is in WANTED */
	/* What keeps its order: node -> its number, from 1. */
	struct fx_map fixed;
	FX_VEC(struct fx_node *) fixed_nodes;

	bool *stands;           /* by place in WANTED: where it is to be */
	struct fx_node **above; /* the node that stood before it at first */
	bool goes_up;           /* the second half */
	size_t next;            /* place that is looked at next */
	struct fx_node *beside; /* the last that stands */
	size_t offered;         /* place + 1 of the candidate at hand */
	struct fx_node *place;  /* that the candidate goes before */
};

extern const struct fx_pass fx_pass_reorder;

/* --- what stays ---------------------------------------------------------- */

static bool
is_fixed(const struct fx_written *written, const struct fx_node *node)
{
	return !node->user_count || !fx_is_pure(node) ||
	       (node->opcode != FX_OPCODE_GET_ATTR &&
		       fx_written_touches(written, node));
}

static void
fix_nodes(struct state *state, struct fx_graph *graph)
{
	struct fx_written written = { .parameters = false };

	fx_written_find(&written, graph);
	for (size_t i = 0; i < state->count; i++) {
		struct fx_node *node = state->now[i];

		if (!is_fixed(&written, node))
			continue;
		fx_vec_push(&state->fixed_nodes, node);
		fx_map_set(&state->fixed, (uintptr_t)node,
			state->fixed_nodes.count);
	}
	fx_written_deinit(&written);
}

/* The fixed node before NODE (STEP -1) or after it (1), if NODE is fixed. */
static struct fx_node *
fixed_beside(const struct state *state, const struct fx_node *node, int step)
{
	size_t number = fx_map_get(&state->fixed, (uintptr_t)node, 0);
	size_t other = number + (size_t)step;

	return number && other && other <= state->fixed_nodes.count
		       ? state->fixed_nodes.items[other - 1]
		       : NULL;
}

/* --- wanted orders ------------------------------------------------------- */

static bool
is_emitted(const struct state *state, const struct fx_node *node)
{
	return fx_map_has(&state->emitted, (uintptr_t)node);
}

static void
emit(struct state *state, struct fx_node *node)
{
	fx_map_set(&state->emitted, (uintptr_t)node, 1);
	state->wanted[state->wanted_count++] = node;
}

/* What has to stand before NODE: its inputs and, if it is fixed, the one before
 * it.  NULL past the end.
 */
static struct fx_node *
need_of(const struct state *state, const struct fx_node *node, size_t index)
{
	size_t inputs = fx_node_input_count(node);

	if (index < inputs)
		return fx_node_input(node, index);
	return index == inputs ? fixed_beside(state, node, -1) : NULL;
}

/* NODE with all that it needs, directly before it. */
static void
emit_cone(struct state *state, struct fx_node *node)
{
	struct visit {
		struct fx_node *node;
		size_t next;
	};
	FX_VEC(struct visit) stack = { 0 };

	if (!is_emitted(state, node))
		fx_vec_push(&stack, ((struct visit){ node, 0 }));
	while (stack.count) {
		struct visit *visit = &fx_vec_last(&stack);
		struct fx_node *need =
			need_of(state, visit->node, visit->next++);

		if (need && !is_emitted(state, need))
			fx_vec_push(&stack, ((struct visit){ need, 0 }));
		else if (!need && !is_emitted(state, visit->node))
			emit(state, fx_vec_pop(&stack).node);
		else if (!need)
			(void)fx_vec_pop(&stack);
	}
	fx_vec_deinit(&stack);
}

/* Each node directly before the first that reads it. */
static void
order_by_use(struct state *state)
{
	for (size_t i = 0; i < state->fixed_nodes.count; i++)
		emit_cone(state, state->fixed_nodes.items[i]);
}

static int
compare_ids(const void *a, const void *b)
{
	uint64_t x = (*(struct fx_node *const *)a)->id;
	uint64_t y = (*(struct fx_node *const *)b)->id;

	return (x > y) - (x < y);
}

/* The order in which the nodes were made. */
static void
order_by_birth(struct state *state)
{
	struct fx_node **nodes = fx_xcalloc(state->count + 1, sizeof(*nodes));

	for (size_t i = 0; i < state->count; i++)
		nodes[i] = state->now[i];
	qsort(nodes, state->count, sizeof(*nodes), compare_ids);
	for (size_t i = 0; i < state->count; i++)
		emit_cone(state, nodes[i]);
	free(nodes);
}

/* --- by memory ----------------------------------------------------------- */

static uint64_t
bytes_of(const struct fx_node *node)
{
	return node->opcode == FX_OPCODE_GET_ATTR
		       ? 0
		       : fx_value_tensor_bytes(node->meta);
}

/* The most bytes that results take at once, each until its last use. */
static uint64_t
peak(struct fx_node *const *nodes, size_t count)
{
	FX_AUTO_MAP struct fx_map uses = { 0 };
	uint64_t now = 0;
	uint64_t most = 0;

	for (size_t i = 0; i < count; i++) {
		now += bytes_of(nodes[i]);
		most = FX_MAX(most, now);
		fx_map_set(&uses, (uintptr_t)nodes[i], nodes[i]->user_count);
		for (size_t j = 0; j < fx_node_input_count(nodes[i]); j++) {
			struct fx_node *input = fx_node_input(nodes[i], j);
			uintptr_t left =
				fx_map_get(&uses, (uintptr_t)input, 1) - 1;

			fx_map_set(&uses, (uintptr_t)input, left);
			now -= left ? 0 : bytes_of(input);
		}
	}
	return most;
}

struct schedule {
	struct state *state;
	struct fx_map needs; /* node -> how many it waits for */
	struct fx_map users; /* node -> how many of its users wait */
	FX_VEC(struct fx_node *) ready;
};

/* What memory there is more of once NODE ran; negative: less. */
static int64_t
growth(const struct schedule *s, const struct fx_node *node)
{
	int64_t bytes = (int64_t)bytes_of(node);

	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		const struct fx_node *input = fx_node_input(node, i);

		if (fx_map_get(&s->users, (uintptr_t)input, 0) == 1)
			bytes -= (int64_t)bytes_of(input);
	}
	return bytes;
}

static struct fx_node *
take_best(struct schedule *s)
{
	size_t looked = FX_MIN(s->ready.count, (size_t)READY_LOOKED_AT);
	size_t best = 0;
	int64_t least = 0;
	struct fx_node *node;

	for (size_t i = 0; i < looked; i++) {
		int64_t bytes = growth(s, s->ready.items[i]);

		if (i && bytes >= least)
			continue;
		best = i;
		least = bytes;
	}
	node = s->ready.items[best];
	fx_vec_remove(&s->ready, best);
	return node;
}

static void
satisfy(struct schedule *s, struct fx_node *node)
{
	uintptr_t left = fx_map_get(&s->needs, (uintptr_t)node, 0) - 1;

	fx_map_set(&s->needs, (uintptr_t)node, left);
	if (!left)
		fx_vec_push(&s->ready, node);
}

static void
schedule_one(struct schedule *s, struct fx_node *node)
{
	struct fx_node *after = fixed_beside(s->state, node, 1);
	struct fx_use *use;

	emit(s->state, node);
	for (size_t i = 0; i < fx_node_input_count(node); i++) {
		uintptr_t input = (uintptr_t)fx_node_input(node, i);

		fx_map_set(&s->users, input,
			fx_map_get(&s->users, input, 1) - 1);
	}
	fx_node_for_each_user (use, node)
		satisfy(s, use->user);
	if (after)
		satisfy(s, after);
}

/* Always the node that leaves least in memory, if that is better than now. */
static void
order_by_memory(struct state *state)
{
	struct schedule s = { .state = state };

	for (size_t i = 0; i < state->count; i++) {
		struct fx_node *node = state->now[i];
		size_t needs = fx_node_input_count(node);

		needs += fixed_beside(state, node, -1) != NULL;
		fx_map_set(&s.needs, (uintptr_t)node, needs);
		fx_map_set(&s.users, (uintptr_t)node, node->user_count);
		if (!needs)
			fx_vec_push(&s.ready, node);
	}
	while (s.ready.count)
		schedule_one(&s, take_best(&s));
	fx_vec_deinit(&s.ready);
	fx_map_deinit(&s.needs);
	fx_map_deinit(&s.users);
	if (peak(state->wanted, state->count) < peak(state->now, state->count))
		return;
	for (size_t i = 0; i < state->count; i++)
		state->wanted[i] = state->now[i];
}

static const struct {
	const char *word;
	void (*order)(struct state *state);
} orders[] = {
	{ "first-use", order_by_use },
	{ "memory", order_by_memory },
	{ "original", order_by_birth },
};

/* --- begin and end ------------------------------------------------------- */

/* Mark what stays where it is. */
static void
find_run(struct state *state)
{
	uint64_t *places = fx_xcalloc(state->count + 1, sizeof(*places));
	struct fx_node *above = NULL;

	for (size_t i = 0; i < state->count; i++)
		places[i] = state->wanted[i]->order;
	fx_order_longest(places, state->count, state->stands);
	for (size_t i = 0; i < state->count; i++) {
		state->above[i] = above;
		if (state->stands[i])
			above = state->wanted[i];
	}
	free(places);
}

static struct fx_error *
reorder_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);
	FX_AUTO_FREE char *word = fx_pass_option_text(ctx, "order");
	struct fx_node *node;
	size_t most = graph->node_count + 1;

	state->now = fx_xcalloc(most, sizeof(*state->now));
	state->wanted = fx_xcalloc(most, sizeof(*state->wanted));
	state->above = fx_xcalloc(most, sizeof(*state->above));
	state->stands = fx_xcalloc(most, sizeof(*state->stands));
	fx_graph_for_each_node (node, graph)
		state->now[state->count++] = node;
	fix_nodes(state, graph);
	for (size_t i = 0; i < FX_ARRAY_LEN(orders); i++)
		if (fx_str_equal(orders[i].word, word))
			orders[i].order(state);
	find_run(state);
	state->next = state->count;
	ctx->state = state;
	return NULL;
}

static void
reorder_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	fx_sweep_end(&state->sweep);
	fx_map_deinit(&state->emitted);
	fx_map_deinit(&state->fixed);
	fx_vec_deinit(&state->fixed_nodes);
	free(state->now);
	free(state->wanted);
	free(state->above);
	free(state->stands);
	free(state);
}

/* --- candidates ---------------------------------------------------------- */

static bool
is_above(const struct fx_node *node, const struct fx_node *place)
{
	return !place || (node != place && fx_node_is_before(node, place));
}

/* Whether NODE may be put before PLACE (NULL: at the end) as the graph is. */
static bool
may_go(const struct state *state, const struct fx_node *node,
	const struct fx_node *place)
{
	const struct fx_node *before = fixed_beside(state, node, -1);
	const struct fx_node *after = fixed_beside(state, node, 1);
	const struct fx_use *use;

	for (size_t i = 0; i < fx_node_input_count(node); i++)
		if (!is_above(fx_node_input(node, i), place))
			return false;
	fx_node_for_each_user (use, node)
		if (is_above(use->user, place))
			return false;
	return (!before || is_above(before, place)) &&
	       (!after || !is_above(after, place));
}

static bool
offer(struct state *state, size_t i, struct fx_node *place,
	struct fx_candidate *ret)
{
	struct fx_node *node = state->wanted[i];

	if (place == node || place == fx_graph_next(node) ||
		!may_go(state, node, place))
		return false;
	state->offered = i + 1;
	state->place = place;
	fx_sweep_offer(&state->sweep, node, ret, "move %%%s %s%s", node->name,
		place ? "before %" : "to the end", place ? place->name : "");
	return true;
}

/* Those that go down, the last of them first. */
static bool
plan_down(struct state *state, struct fx_candidate *ret)
{
	while (state->next > 0) {
		size_t i = --state->next;
		struct fx_node *node = state->wanted[i];

		if (state->stands[i]) {
			state->beside = node;
			continue;
		}
		if (state->above[i] &&
			!fx_node_is_before(state->above[i], node) &&
			offer(state, i, state->beside, ret))
			return true;
	}
	return false;
}

static bool
plan_up(struct state *state, struct fx_candidate *ret)
{
	while (state->next < state->count) {
		size_t i = state->next++;
		struct fx_node *node = state->wanted[i];

		if (state->stands[i]) {
			state->beside = node;
			continue;
		}
		if (offer(state, i,
			    state->beside ? fx_graph_next(state->beside)
					  : fx_graph_first(node->graph),
			    ret))
			return true;
	}
	return false;
}

static bool
reorder_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;

	(void)graph;
	if (!state->goes_up) {
		if (plan_down(state, ret))
			return true;
		state->goes_up = true;
		state->next = 0;
		state->beside = NULL;
	}
	return plan_up(state, ret);
}

static struct fx_error *
reorder_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;
	struct fx_node *node = fx_graph_find_id(graph, candidate->node);

	state->stands[state->offered - 1] = true;
	state->beside = node;
	return fx_edit_move(node, state->place);
}

static const struct fx_pass_option options[] = {
	{ "order", FX_PASS_OPTION_TEXT, "first-use",
		"each node just before its first use, for the least memory, or "
		"as the nodes were made",
		"first-use|memory|original" },
	{ .name = NULL },
};

const struct fx_pass fx_pass_reorder = {
	.name = "reorder",
	.summary = "nodes nearer to their use, or for less memory",
	.takes = options,
	.claim = FX_CLAIM_EXACT,
	.open = reorder_open,
	.close = reorder_close,
	.plan = reorder_plan,
	.apply = reorder_apply,
};
