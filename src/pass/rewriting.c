/* rewriting.c - rules put wherever their patterns stand, as a pass. */
#include <config.h>

#include "pass/rewriting.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "ir/graph.h"
#include "ir/match.h"
#include "ir/pattern.h"
#include "ir/value_text.h"

enum {
	/* Rounds, and matches that are rewritten for each node that the graph
	 * had: more is a loop.
	 */
	ROUND_LIMIT = 100,
	GROWTH_LIMIT = 10,
};

struct state {
	struct fx_rewriting *what;
	struct fx_graph *graph;
	const struct fx_node *only; /* matches there alone; NULL: all */
	bool is_quiet;
	size_t limit; /* of matches rewritten */

	/* The rule at hand, where it stands and what is next of that. */
	size_t rule;
	struct fx_matches *matches; /* NULL: not looked for yet */
	struct fx_rewrite *rewrite;
	size_t next;
	const struct fx_value *match; /* yielded and not applied; or NULL */

	/* By rule: ids of nodes where it was yielded and not applied, which are
	 * not to come up again.
	 */
	struct fx_map *skipped;
	size_t rule_count;
	size_t applied;
	size_t applied_before; /* this round */
	size_t rounds;
	struct fx_buf text;
};

static const struct fx_rule *
rule_of(const struct state *state)
{
	return &state->what->rules->items.items[state->rule];
}

static struct fx_node *
root_of(const struct state *state, const struct fx_value *match)
{
	return match[fx_pattern_output(rule_of(state)->pattern, 0)].node;
}

/* --- begin and end ------------------------------------------------------- */

static struct fx_error *
rewriting_open(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = FX_NEW(struct state);

	state->what = ctx->data;
	state->graph = graph;
	state->only = ctx->at;
	state->is_quiet = ctx->is_quiet;
	if (!state->only)
		state->what->rounds = 0;
	state->limit = GROWTH_LIMIT * (graph->node_count + 100);
	state->rule_count = state->what->rules->items.count;
	state->skipped = fx_xcalloc(state->rule_count, sizeof(*state->skipped));
	ctx->state = state;
	return NULL;
}

static void
forget_matches(struct state *state)
{
	fx_rewrite_free(FX_TAKE(state->rewrite));
	fx_matches_free(FX_TAKE(state->matches));
	state->match = NULL;
	state->next = 0;
}

static void
rewriting_close(struct fx_graph *graph, struct fx_pass_ctx *ctx)
{
	struct state *state = ctx->state;

	(void)graph;
	forget_matches(state);
	for (size_t i = 0; i < state->rule_count; i++)
		fx_map_deinit(&state->skipped[i]);
	free(state->skipped);
	fx_buf_deinit(&state->text);
	free(state);
}

/* --- candidates ---------------------------------------------------------- */

static struct fx_error *
is_at_node(void *context, const struct fx_value *match, bool *ret)
{
	const struct state *state = context;

	*ret = root_of(state, match) == state->only;
	return NULL;
}

static FX_NODISCARD struct fx_error *
find_matches(struct state *state)
{
	const struct fx_rewriting *what = state->what;
	const struct fx_match_filter filter = { .holds = is_at_node,
		.context = state };
	struct fx_error *err;

	state->rewrite =
		fx_rewrite_new(state->graph, rule_of(state)->replacement);
	fx_rewrite_set_fill(state->rewrite, what->fill, what->context);
	if (state->only)
		return fx_matches_find(state->graph, rule_of(state)->pattern,
			&filter, &state->matches);
	err = what->find(what->context, state->graph, rule_of(state),
		&state->matches);
	if (!err && state->is_quiet)
		fx_rewrite_reserve(state->rewrite,
			fx_matches_count(state->matches));
	return err;
}

/* The one that was yielded last stays as it is. */
static void
note_skipped(struct state *state)
{
	if (state->match && state->what->is_fixpoint)
		fx_map_set(&state->skipped[state->rule],
			(uintptr_t)root_of(state, state->match)->id, 1);
	state->match = NULL;
}

static bool
is_skipped(const struct state *state, const struct fx_value *match)
{
	return fx_map_has(&state->skipped[state->rule],
		(uintptr_t)root_of(state, match)->id);
}

/* The next rule, with --fixpoint again from the first on while they did
 * something; false at the end.
 */
static bool
next_rule(struct state *state, struct fx_pass_ctx *ctx)
{
	forget_matches(state);
	if (++state->rule < state->rule_count)
		return true;
	state->rounds++;
	if (!state->only)
		state->what->rounds = state->rounds;
	if (!state->what->is_fixpoint ||
		state->applied == state->applied_before)
		return false;
	if (state->rounds >= ROUND_LIMIT || state->applied > state->limit) {
		ctx->error = fx_error_new(FX_ERR_LIMIT,
			"a loop: after %zu rounds and %zu rewrites the rule "
			"still matches; nothing changed",
			state->rounds, state->applied);
		return false;
	}
	state->applied_before = state->applied;
	state->rule = 0;
	return true;
}

void
fx_rewriting_print_names(struct fx_buf *out, const struct fx_pattern *pattern,
	const struct fx_value *values)
{
	bool is_first = true;

	for (size_t i = 1; i < fx_pattern_slot_count(pattern); i++) {
		const struct fx_value *value = &values[i];

		if (!fx_pattern_name(pattern, i))
			continue;
		fx_buf_addf(out, "%s%s=", is_first ? "" : " ",
			fx_pattern_name(pattern, i));
		if (value->kind == FX_VALUE_NODE)
			fx_buf_addf(out, "%%%s", value->node->name);
		else
			fx_value_print_as(out, value, FX_STYLE_REPR);
		is_first = false;
	}
}

static void
offer(struct state *state, struct fx_candidate *ret)
{
	const struct fx_node *root = root_of(state, state->match);

	ret->node = root->id;
	ret->text = "";
	if (state->is_quiet)
		return;
	fx_buf_clear(&state->text);
	fx_buf_addf(&state->text, "rewrite %%%s: ", root->name);
	fx_rewriting_print_names(&state->text, rule_of(state)->pattern,
		state->match);
	ret->text = fx_buf_text(&state->text);
}

static bool
rewriting_plan(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	struct fx_candidate *ret)
{
	struct state *state = ctx->state;

	(void)graph;
	note_skipped(state);
	do {
		if (!state->matches)
			ctx->error = find_matches(state);
		if (ctx->error)
			return false;
		while (state->next < fx_matches_count(state->matches)) {
			state->match =
				fx_matches_at(state->matches, state->next++);
			if (is_skipped(state, state->match))
				continue;
			offer(state, ret);
			return true;
		}
	} while (next_rule(state, ctx));
	return false;
}

static struct fx_error *
rewriting_apply(struct fx_graph *graph, struct fx_pass_ctx *ctx,
	const struct fx_candidate *candidate)
{
	struct state *state = ctx->state;
	const struct fx_value *match = FX_TAKE(state->match);
	const char *name = root_of(state, match)->name;
	struct fx_error *err = fx_rewrite_apply(state->rewrite, match);

	(void)graph;
	(void)candidate;
	state->applied++;
	return err ? fx_error_note(err, "while rewriting %%%s", name) : NULL;
}

const struct fx_pass fx_pass_rewriting = {
	.name = "rewrite",
	.summary = "rules put where their patterns stand",
	.is_command = true,
	.claim = FX_CLAIM_ALGEBRAIC,
	.open = rewriting_open,
	.close = rewriting_close,
	.plan = rewriting_plan,
	.apply = rewriting_apply,
};
