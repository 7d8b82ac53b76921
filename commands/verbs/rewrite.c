/* rewrite.c - rewrite: something else where a pattern stands. */
#include <config.h>

#include "commands/verbs/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/bitset.h"
#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/pass_run.h"
#include "commands/verbs/passing.h"
#include "pass/rewriting.h"
#include "session/match_where.h"
#include "session/model.h"
#include "session/nested.h"
#include "session/position.h"
#include "session/session.h"
#include "session/verify.h"

/* What is kept until the rewrite ends, which may be some commands later. */
struct rewriting {
	struct fx_rewriting work;
	struct fx_rules rules;
	struct fx_session *session;
	struct fx_model *model;
	uint64_t seed;
	char *only;       /* that was asked for, or NULL */
	bool is_measured; /* how far it is off is told */
	/* Of the command that lists the matches beforehand; else NULL. */
	struct cmd_ctx *lister;
	/* Rules that were looked for once, and what was refused then. */
	struct fx_bitset seen;
	size_t refused;
	char *refusal;
	size_t declined; /* by the condition of a rule */
};

static void
rewriting_free(void *data)
{
	struct rewriting *r = data;

	fx_rules_deinit(&r->rules);
	fx_bitset_deinit(&r->seen);
	free(r->refusal);
	free(r->only);
	free(r);
}

/* --- finding and making -------------------------------------------------- */

/* The first time it is said what there is, and what is refused. */
static void
note_first(struct rewriting *r, const struct fx_rule *rule,
	const struct fx_matches *matches)
{
	uint32_t index = (uint32_t)(rule - r->rules.items.items);

	if (fx_bitset_has(&r->seen, index))
		return;
	fx_bitset_add(&r->seen, index);
	if (r->lister)
		cmd_say_matches(r->lister, rule->pattern, matches);
	r->refused += fx_matches_refused(matches);
	r->declined += fx_matches_declined(matches);
	if (fx_matches_refused(matches) && !r->refusal)
		r->refusal = fx_xstrdup(fx_matches_refusal(matches));
}

/* Conditions are about the graph that is entered: while a person is elsewhere,
 * it is GRAPH for a moment.
 */
static FX_NODISCARD struct fx_error *
find_in(struct rewriting *r, struct fx_graph *graph, const struct fx_rule *rule,
	struct fx_matches **ret)
{
	struct fx_model *model = r->model;
	FX_AUTO_FREE char *back = NULL;
	struct fx_error *err = NULL;

	if (fx_position_graph(model) == graph)
		return fx_model_find_matches(r->session, model, rule, false,
			ret);
	back = fx_xstrdup(fx_model_entered_path(model));
	err = fx_model_enter(model, fx_model_graph_path(model, graph));
	if (!err)
		err = fx_model_find_matches(r->session, model, rule, false,
			ret);
	fx_error_free(fx_model_enter(model, back));
	return err;
}

static struct fx_error *
find(void *context, struct fx_graph *graph, const struct fx_rule *rule,
	struct fx_matches **ret)
{
	struct rewriting *r = context;
	struct fx_error *err = find_in(r, graph, rule, ret);

	if (!err)
		note_first(r, rule, *ret);
	return err;
}

static struct fx_error *
fill(void *context, struct fx_module *module, const char *path)
{
	const struct rewriting *r = context;

	return fx_model_fill_fresh(r->model, fx_position_graph(r->model),
		module, path, r->seed);
}

/* --- the end ------------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
no_match(const struct rewriting *r)
{
	const struct fx_rule *rule = &r->rules.items.items[0];
	FX_AUTO_BUF struct fx_buf none = { 0 };

	if (r->refusal)
		return fx_error_new(FX_ERR_NO_NODE,
			"0 matches; %zu refused: %s", r->refused, r->refusal);
	if (r->rules.items.count == 1)
		cmd_print_no_match(&none, fx_position_graph(r->model), rule,
			r->declined);
	return fx_error_new(FX_ERR_NO_NODE, "0 matches%s", fx_buf_text(&none));
}

/* That nothing matches is an error; that nothing was wanted is none. */
static struct fx_error *
check(void *data, const struct fx_passing *passing)
{
	const struct rewriting *r = data;

	if (fx_passing_decided(passing) || r->only ||
		fx_passing_candidate(passing))
		return NULL;
	return no_match(r);
}

static void
say_rewritten(struct out *out, const struct rewriting *r,
	const struct cmd_passed *passed)
{
	size_t applied = passed->applied;

	out_value_int(out, "rewritten", (int64_t)applied);
	out_value_int(out, "refused", (int64_t)r->refused);
	out_piece(out, FX_ROLE_PLAIN, "%zu match%s %srewritten", applied,
		applied == 1 ? "" : "es", passed->dry_run ? "would be " : "");
	if (r->work.is_fixpoint && r->work.rounds > 1)
		out_piece(out, FX_ROLE_PLAIN, " in %zu round%s",
			r->work.rounds - 1, r->work.rounds == 2 ? "" : "s");
	if (r->refused)
		out_piece(out, FX_ROLE_PLAIN, "; %zu refused: %s", r->refused,
			r->refusal);
	out_line_end(out);
}

static void
tell(struct cmd_ctx *ctx, void *data, const struct cmd_passed *passed)
{
	const struct rewriting *r = data;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool differs = passed->verified &&
		       passed->verified->verdict == FX_VERDICT_DIFFERS;

	say_rewritten(ctx->out, r, passed);
	if (!passed->applied || passed->dry_run)
		return;
	if (!passed->verified && r->is_measured)
		cmd_say_verified(ctx, NULL);
	if (!passed->verified)
		return;
	fx_verify_print(&text, passed->verified);
	out_line(ctx->out, differs ? FX_ROLE_WARNING : FX_ROLE_PLAIN, "%s%s",
		differs ? "changes the output: " : "", fx_buf_text(&text));
}

static const struct cmd_passing_kind rewrite_kind = {
	.check = check,
	.tell = tell,
	.free = rewriting_free,
};

/* --- the command --------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
check_rules(struct cmd_ctx *ctx, const struct fx_rules *rules)
{
	for (size_t i = 0; i < rules->items.count; i++) {
		if (rules->items.items[i].replacement)
			continue;
		if (cmd_flag(ctx, "rules"))
			return fx_error_new(FX_ERR_SYNTAX,
				"rule %zu of %s has no replacement", i + 1,
				cmd_flag(ctx, "rules"));
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "rewrite: expected => and what to "
					     "put there"),
			"rewrite %s => x", cmd_arg_text(ctx, "pattern"));
	}
	return NULL;
}

static struct rewriting *
rewriting_new(struct cmd_ctx *ctx)
{
	struct rewriting *r = FX_NEW(struct rewriting);
	const char *only = cmd_flag(ctx, "only");

	r->work = (struct fx_rewriting){ .rules = &r->rules,
		.is_fixpoint = cmd_flag(ctx, "fixpoint"),
		.find = find,
		.fill = fill,
		.context = r };
	r->session = ctx->session;
	r->model = ctx->model;
	r->seed = (uint64_t)cmd_flag_int(ctx, "seed",
		(int64_t)fx_session_seed(ctx->session));
	r->only = only ? fx_xstrdup(only) : NULL;
	r->lister = cmd_flag(ctx, "dry-run") ? ctx : NULL;
	return r;
}

/* What the person asked for is kept; how far it is off is told where a run
 * shows what values there are.
 */
static enum fx_passing_verify
policy_of(const struct cmd_ctx *ctx)
{
	if (cmd_flag(ctx, "same"))
		return FX_PASSING_VERIFY_SAME;
	return fx_position_is_started(ctx->model) &&
			       fx_model_has_values(ctx->model)
		       ? FX_PASSING_VERIFY_MEASURE
		       : FX_PASSING_VERIFY_NOT;
}

/* The command in a script: new modules get the same numbers, and what is chosen
 * is added in the end.
 */
static char *
script_of(struct cmd_ctx *ctx, const struct fx_rules *rules)
{
	FX_AUTO_FREE char *seed = NULL;

	for (size_t i = 0; i < rules->items.count && !seed; i++)
		if (fx_replacement_has_tensors(rules->items.items[i]
						       .replacement))
			seed = cmd_edit_seed_text(ctx);
	cmd_canonical_resolve(ctx);
	cmd_canonical_set(ctx, "seed", seed);
	cmd_canonical_set(ctx, "interactive", NULL);
	cmd_canonical_set(ctx, "only", NULL);
	return cmd_canonical_line(ctx);
}

struct fx_error *
cmd_rewrite_exec(struct cmd_ctx *ctx)
{
	struct rewriting *r = rewriting_new(ctx);
	struct cmd_stepped keeps = { .kind = &rewrite_kind, .data = r };
	const struct fx_pass_step step = { .pass = &fx_pass_rewriting,
		.data = &r->work };
	struct fx_passing_request request = {
		.steps = &step,
		.step_count = 1,
		.command = ctx->line,
		.only = r->only,
		.force = cmd_flag(ctx, "force"),
		.dry_run = cmd_flag(ctx, "dry-run"),
		.verify = policy_of(ctx),
	};
	r->is_measured = request.verify == FX_PASSING_VERIFY_MEASURE;
	struct fx_error *err = cmd_read_rules(ctx, &r->rules);

	if (!err)
		err = check_rules(ctx, &r->rules);
	if (err) {
		cmd_stepped_deinit(&keeps);
		return err;
	}
	/* Names of nodes are their keys, as long as each comes up once. */
	keeps.lists = request.dry_run &&
		      (r->rules.items.count > 1 || r->work.is_fixpoint);
	keeps.script = script_of(ctx, &r->rules);
	request.lister = keeps.script;
	request.is_stepped = !request.dry_run && !ctx->blame &&
			     (cmd_flag(ctx, "interactive") ||
				     cmd_caught(ctx, "rewrite", NULL));
	return cmd_passing_run(ctx, &request, &keeps);
}
