/* rewrite.c - rewrite: something else where a pattern stands. */
#include <config.h>

#include "commands/verbs/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/front.h"
#include "commands/verbs/edit.h"
#include "ir/journal.h"
#include "ir/pattern.h"
#include "ir/rewrite.h"
#include "session/model.h"
#include "session/position.h"
#include "session/verify.h"

enum {
	/* Rounds of --fixpoint, and matches that it rewrites for each node that
	 * the graph had: more is a loop.
	 */
	ROUND_LIMIT = 100,
	GROWTH_LIMIT = 10,
};

enum answer {
	APPLY,
	SKIP,
	ALL,    /* this one and the rest */
	FINISH, /* keep what was done */
	ABORT,  /* take all back */
};

struct rewriting {
	struct cmd_ctx *ctx;
	struct fx_rules *rules;
	struct fx_verify *verify; /* NULL: nothing to compare */
	struct fx_verify_result verified;
	bool is_stepped; /* -i, or caught: asked where somebody can answer */
	bool asks;
	bool is_done; /* FINISH was answered */
	size_t applied;
	size_t skipped;
	size_t refused;
	size_t rounds;
	char *refusal;
	struct fx_buf only; /* names of what was rewritten, commas between */
};

static void
rewriting_deinit(struct rewriting *rewriting)
{
	fx_verify_free(rewriting->verify);
	fx_verify_result_deinit(&rewriting->verified);
	fx_buf_deinit(&rewriting->only);
	free(rewriting->refusal);
}

static struct fx_node *
root_of(const struct fx_rule *rule, const struct fx_value *values)
{
	return values[fx_pattern_output(rule->pattern, 0)].node;
}

/* --- which matches ------------------------------------------------------- */

static enum answer
ask(const struct rewriting *rewriting, const struct fx_rule *rule,
	const struct fx_value *values)
{
	const struct front *front = rewriting->ctx->front;
	FX_AUTO_FREE char *prompt =
		fx_xasprintf("rewrite %%%s? y n, a (all the rest), k (keep "
			     "what is done), q "
			     "(take all back): ",
			root_of(rule, values)->name);

	for (;;) {
		FX_AUTO_FREE char *line =
			front->read_line(front->context, prompt);

		switch (line ? *line : 'q') {
		case 'y':
			return APPLY;
		case 'n':
			return SKIP;
		case 'a':
			return ALL;
		case 'k':
			return FINISH;
		case 'q':
			return ABORT;
		}
	}
}

/* Whether the match is wanted: by --only, by who is asked. */
static FX_NODISCARD struct fx_error *
decide(struct rewriting *rewriting, const struct fx_rule *rule,
	const struct fx_value *values, bool *ret)
{
	const char *only = cmd_flag(rewriting->ctx, "only");
	const char *name = root_of(rule, values)->name;
	enum answer answer = APPLY;

	if (only && !fx_str_has_word(only, ',', name, strlen(name)))
		answer = SKIP;
	else if (rewriting->asks)
		answer = ask(rewriting, rule, values);
	if (answer == ABORT)
		return fx_error_new(FX_ERR_INTERRUPTED,
			"the rewrite was taken back; nothing changed");
	rewriting->asks = rewriting->asks && answer != ALL;
	rewriting->is_done = answer == FINISH;
	*ret = answer == APPLY || answer == ALL;
	return NULL;
}

/* --- rewriting ----------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
apply(struct rewriting *rewriting, const struct fx_rule *rule,
	struct fx_rewrite *rewrite, const struct fx_value *values)
{
	const char *name = root_of(rule, values)->name;
	bool is_wanted;
	struct fx_error *err = decide(rewriting, rule, values, &is_wanted);

	if (err)
		return err;
	if (!is_wanted) {
		rewriting->skipped++;
		return NULL;
	}
	rewriting->applied++;
	if (rewriting->is_stepped)
		fx_buf_addf(&rewriting->only, "%s%s",
			rewriting->only.length ? "," : "", name);
	err = fx_rewrite_apply(rewrite, values);
	return err ? fx_error_note(err, "while rewriting %%%s", name) : NULL;
}

/* RULE once, wherever it stands. */
static FX_NODISCARD struct fx_error *
rewrite_rule(struct rewriting *rewriting, const struct fx_rule *rule)
{
	struct cmd_ctx *ctx = rewriting->ctx;
	const struct front *front = ctx->front;
	FX_AUTO_MATCHES struct fx_matches *matches = NULL;
	FX_AUTO_REWRITE struct fx_rewrite *rewrite = NULL;
	struct fx_error *err = cmd_find_matches(ctx, rule, &matches);

	if (err)
		return err;
	if (cmd_flag(ctx, "dry-run") && !rewriting->rounds)
		cmd_say_matches(ctx, rule->pattern, matches);
	if (fx_matches_refused(matches) && !rewriting->refusal)
		rewriting->refusal = fx_xstrdup(fx_matches_refusal(matches));
	if (!rewriting->rounds)
		rewriting->refused += fx_matches_refused(matches);
	rewrite = fx_rewrite_new(fx_position_graph(ctx->model),
		rule->replacement);
	fx_rewrite_set_fill(rewrite, cmd_edit_fill, ctx);
	for (size_t i = 0;
		!err && i < fx_matches_count(matches) && !rewriting->is_done;
		i++) {
		err = apply(rewriting, rule, rewrite,
			fx_matches_at(matches, i));
		if (!err && i % 1024 == 1023 && front->tick(front->context))
			err = fx_error_new(FX_ERR_INTERRUPTED,
				"the rewrite was interrupted; nothing changed");
	}
	return err;
}

static FX_NODISCARD struct fx_error *
loops(const struct rewriting *rewriting)
{
	return fx_error_new(FX_ERR_LIMIT,
		"a loop: after %zu rounds and %zu rewrites the rule still "
		"matches; nothing changed",
		rewriting->rounds, rewriting->applied);
}

static FX_NODISCARD struct fx_error *
rewrite_all(struct rewriting *rewriting)
{
	struct cmd_ctx *ctx = rewriting->ctx;
	size_t limit = GROWTH_LIMIT *
		       (fx_position_graph(ctx->model)->node_count + 100);
	size_t before;
	struct fx_error *err;

	do {
		if (rewriting->rounds == ROUND_LIMIT ||
			rewriting->applied > limit)
			return loops(rewriting);
		before = rewriting->applied;
		for (size_t i = 0; i < rewriting->rules->items.count; i++) {
			err = rewrite_rule(rewriting,
				&rewriting->rules->items.items[i]);
			if (err)
				return err;
		}
		rewriting->rounds++;
	} while (cmd_flag(ctx, "fixpoint") && !rewriting->is_done &&
		 rewriting->applied > before);
	return NULL;
}

static FX_NODISCARD struct fx_error *
no_match(const struct rewriting *rewriting)
{
	const struct fx_rule *rule = &rewriting->rules->items.items[0];
	const char *only = cmd_flag(rewriting->ctx, "only");
	FX_AUTO_BUF struct fx_buf closest = { 0 };

	if (rewriting->refusal)
		return fx_error_new(FX_ERR_NO_NODE,
			"0 matches; %zu refused: %s", rewriting->refused,
			rewriting->refusal);
	if (only && rewriting->skipped)
		return fx_error_new(FX_ERR_NO_NODE, "no match ends at \"%s\"",
			only);
	if (rewriting->rules->items.count == 1 && !rule->where &&
		fx_match_closest(fx_position_graph(rewriting->ctx->model),
			rule->pattern, &closest))
		return fx_error_new(FX_ERR_NO_NODE, "0 matches; closest: %s",
			fx_buf_text(&closest));
	return fx_error_new(FX_ERR_NO_NODE, "0 matches");
}

/* --- what it does to the output ------------------------------------------ */

static FX_NODISCARD struct fx_error *
compare(struct rewriting *rewriting)
{
	struct cmd_ctx *ctx = rewriting->ctx;
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err = fx_verify_graph(rewriting->verify,
		fx_position_graph(ctx->model), &rewriting->verified);

	if (err || !cmd_flag(ctx, "same") ||
		rewriting->verified.verdict == FX_VERDICT_SAME)
		return err;
	fx_verify_print(&text, &rewriting->verified);
	return fx_error_new(FX_ERR_CHECK, "refused: %s%s; graph kept",
		rewriting->verified.verdict == FX_VERDICT_DIFFERS
			? "it changes the output: "
			: "",
		fx_buf_text(&text));
}

static void
say_compared(const struct rewriting *rewriting)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool differs = rewriting->verified.verdict == FX_VERDICT_DIFFERS;

	if (!rewriting->verify || cmd_flag(rewriting->ctx, "dry-run"))
		return;
	fx_verify_print(&text, &rewriting->verified);
	out_line(rewriting->ctx->out, differs ? FX_ROLE_WARNING : FX_ROLE_PLAIN,
		"%s%s", differs ? "changes the output: " : "",
		fx_buf_text(&text));
}

/* --- the command --------------------------------------------------------- */

static void
say_rewritten(const struct rewriting *rewriting)
{
	struct out *out = rewriting->ctx->out;

	out_value_int(out, "rewritten", (int64_t)rewriting->applied);
	out_value_int(out, "refused", (int64_t)rewriting->refused);
	out_piece(out, FX_ROLE_PLAIN, "%zu match%s rewritten",
		rewriting->applied, rewriting->applied == 1 ? "" : "es");
	if (cmd_flag(rewriting->ctx, "fixpoint"))
		out_piece(out, FX_ROLE_PLAIN, " in %zu round%s",
			rewriting->rounds - 1,
			rewriting->rounds == 2 ? "" : "s");
	if (rewriting->refused)
		out_piece(out, FX_ROLE_PLAIN, "; %zu refused: %s",
			rewriting->refused, rewriting->refusal);
	out_line_end(out);
}

static struct fx_error *
rewrite_edit(struct cmd_ctx *ctx, void *data, struct fx_buf *script)
{
	struct rewriting *rewriting = data;
	FX_AUTO_FREE char *seed = NULL;
	struct fx_error *err;

	(void)script;
	for (size_t i = 0; i < rewriting->rules->items.count && !seed; i++)
		if (fx_replacement_has_tensors(rewriting->rules->items.items[i]
						       .replacement))
			seed = cmd_edit_seed_text(ctx);
	err = rewrite_all(rewriting);
	if (err)
		return err;
	if (!rewriting->applied && !rewriting->skipped)
		return no_match(rewriting);
	if (!rewriting->applied && cmd_flag(ctx, "only"))
		return no_match(rewriting);
	cmd_canonical_set(ctx, "seed", seed);
	cmd_canonical_set(ctx, "interactive", NULL);
	if (rewriting->skipped && rewriting->only.length)
		cmd_canonical_set(ctx, "only", fx_buf_text(&rewriting->only));
	if (rewriting->verify && rewriting->applied)
		err = compare(rewriting);
	return err;
}

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

struct fx_error *
cmd_rewrite_exec(struct cmd_ctx *ctx)
{
	FX_AUTO_RULES struct fx_rules rules = { 0 };
	struct rewriting rewriting = { .ctx = ctx, .rules = &rules };
	struct fx_verify_options options = { .claim = FX_CLAIM_ALGEBRAIC,
		.graph = fx_position_graph(ctx->model) };
	struct fx_error *err = cmd_read_rules(ctx, &rules);

	if (!err)
		err = check_rules(ctx, &rules);
	if (err)
		return err;
	rewriting.is_stepped = cmd_flag(ctx, "interactive") ||
			       cmd_caught(ctx, "rewrite", NULL);
	rewriting.asks = rewriting.is_stepped &&
			 ctx->front->is_interactive(ctx->front->context);
	if (!cmd_flag(ctx, "dry-run") &&
		(cmd_flag(ctx, "same") ||
			(fx_position_is_started(ctx->model) &&
				fx_model_has_values(ctx->model))))
		rewriting.verify =
			fx_verify_new(ctx->session, ctx->model, &options);
	err = cmd_edit(ctx, "rewrite", rewrite_edit, &rewriting);
	if (!err)
		say_rewritten(&rewriting);
	if (!err && rewriting.applied)
		say_compared(&rewriting);
	rewriting_deinit(&rewriting);
	return err;
}
