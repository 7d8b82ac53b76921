/* pass_run.c - the command pass run. */
#include <config.h>

#include "commands/verbs/pass_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/passing.h"
#include "commands/verbs/python_pass.h"
#include "pass/rewriting.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/session.h"
#include "session/verify.h"

/* --- what is to be run --------------------------------------------------- */

/* The steps that were typed: a word that is an option of the pass before it
 * belongs to that, others are passes.
 */
struct plan {
	FX_VEC(struct fx_pass_step) steps;
	FX_VEC(char *) options; /* of the steps, owned */
};

static void
plan_deinit(struct plan *plan)
{
	for (size_t i = 0; i < plan->options.count; i++)
		free(plan->options.items[i]);
	fx_vec_deinit(&plan->options);
	fx_vec_deinit(&plan->steps);
}
FX_DEFINE_DEINIT(plan, struct plan, plan_deinit);

struct fx_error *
cmd_pass_unknown(const char *name)
{
	FX_AUTO_BUF struct fx_buf names = { 0 };
	const struct fx_pass *pass;

	for (size_t i = 0; (pass = fx_pass_at(i)); i++)
		fx_buf_addf(&names, "%s%s", i ? ", " : "", pass->name);
	return fx_error_note(fx_error_new(FX_ERR_NO_NAME, "no pass \"%s\"",
				     name),
		"passes: %s", fx_buf_text(&names));
}

bool
cmd_made_by_pass(const struct fx_transaction *t)
{
	return t->maker &&
	       (fx_pass_find(t->maker) || cmd_is_python_pass(t->maker) ||
		       fx_str_equal(t->maker, fx_pass_rewriting.name));
}

static void
add_option(struct plan *plan, const char *word)
{
	char **all = &fx_vec_last(&plan->options);
	char *before = *all;

	*all = before ? fx_xasprintf("%s %s", before, word) : fx_xstrdup(word);
	free(before);
	fx_vec_last(&plan->steps).options = *all;
}

static FX_NODISCARD struct fx_error *
read_plan(struct cmd_ctx *ctx, struct plan *ret)
{
	size_t count = cmd_arg_count(ctx, "what");

	if (!count)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "pass run: expected the name of "
					     "a pass"),
			"pass lists them");
	for (size_t i = 0; i < count; i++) {
		const char *word = cmd_arg_text_at(ctx, "what", i);
		const struct fx_pass *pass = fx_pass_find(word);
		struct fx_pass_step step = { .pass = pass };
		bool is_first = !ret->steps.count;

		if (!is_first &&
			(!pass || fx_pass_takes(fx_vec_last(&ret->steps).pass,
					  word))) {
			const struct fx_pass *last =
				fx_vec_last(&ret->steps).pass;
			struct fx_error *err =
				fx_pass_check_options(last, word);

			if (err)
				return err;
			add_option(ret, word);
			continue;
		}
		if (!pass)
			return cmd_pass_unknown(word);
		fx_vec_push(&ret->steps, step);
		fx_vec_push(&ret->options, NULL);
	}
	return NULL;
}

/* A pass of PLAN that reads parameters gets those that are still in the process
 * that traced them.
 */
static FX_NODISCARD struct fx_error *
need_weights(struct cmd_ctx *ctx, const struct plan *plan)
{
	for (size_t i = 0; i < plan->steps.count; i++) {
		const struct fx_pass *pass = plan->steps.items[i].pass;
		FX_AUTO_FREE char *skipped = NULL;
		struct fx_error *err;
		size_t count;

		if (!pass->needs_weights)
			continue;
		err = fx_model_fetch_weights(ctx->model, &skipped);
		if (err)
			return err;
		count = fx_model_count_weightless(ctx->model);
		if (count)
			out_note(ctx->out,
				"%zu parameters and buffers have no values, "
				"which %s needs; weights random makes some up",
				count, pass->name);
	}
	return NULL;
}

/* --- telling ------------------------------------------------------------- */

struct fx_error *
cmd_verify_pass(struct cmd_ctx *ctx, const char *name, struct fx_verify *verify,
	struct fx_verify_result *ret)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	struct fx_error *err =
		fx_verify_graph(verify, fx_position_graph(ctx->model), ret);
	bool is_strict = fx_verify_mode(ctx->session) == FX_VERIFY_MODE_STRICT;

	if (err)
		return err;
	fx_verify_print(&text, ret);
	if (ret->verdict == FX_VERDICT_DIFFERS)
		return fx_error_new(FX_ERR_CHECK,
			"refused: %s changed output: %s; graph kept", name,
			fx_buf_text(&text));
	if (ret->verdict == FX_VERDICT_UNKNOWN && is_strict)
		return fx_error_hint(fx_error_new(FX_ERR_CHECK,
					     "refused: %s was %s; graph kept",
					     name, fx_buf_text(&text)),
			"set verify on");
	return NULL;
}

void
cmd_say_verified(struct cmd_ctx *ctx, const struct fx_verify_result *verified)
{
	static const char *const words[] = { "same", "differs", "unknown" };
	FX_AUTO_BUF struct fx_buf text = { 0 };

	if (cmd_flag(ctx, "dry-run"))
		return;
	if (verified)
		fx_verify_print(&text, verified);
	else
		fx_buf_add(&text, "not verified: set verify is off");
	out_value_text(ctx->out, "verified",
		verified ? words[verified->verdict] : "off");
	out_line(ctx->out, FX_ROLE_PLAIN, "%s", fx_buf_text(&text));
}

/* --- the command --------------------------------------------------------- */

void
cmd_tell_pass(struct cmd_ctx *ctx, void *data, const struct cmd_passed *passed)
{
	const char *line = passed->verified_before;

	(void)data;
	while (*line) {
		size_t length = strcspn(line, "\n");

		out_line(ctx->out, FX_ROLE_PLAIN, "%.*s", (int)length, line);
		line += length + 1;
	}
	if (passed->applied && !passed->dry_run)
		cmd_say_verified(ctx, passed->verified);
}

static const struct cmd_passing_kind pass_kind = { .tell = cmd_tell_pass };

/* Whether a catchpoint waits for one of the passes: they are stepped then. */
static bool
is_caught(struct cmd_ctx *ctx)
{
	for (size_t i = 0; i < cmd_arg_count(ctx, "what"); i++)
		if (cmd_caught(ctx, "pass", cmd_arg_text_at(ctx, "what", i)))
			return true;
	return false;
}

void
cmd_pass_request(struct cmd_ctx *ctx, struct fx_passing_request *request,
	struct cmd_stepped *keeps)
{
	FX_AUTO_BUF struct fx_buf script = { 0 };

	*request = (struct fx_passing_request){
		.command = ctx->line,
		.only = cmd_flag(ctx, "only"),
		.force = cmd_flag(ctx, "force"),
		.dry_run = cmd_flag(ctx, "dry-run"),
	};
	request->is_stepped =
		!request->dry_run &&
		(cmd_flag(ctx, "step") || (!ctx->blame && is_caught(ctx)));
	cmd_canonical_resolve(ctx);
	cmd_canonical_set(ctx, "step", NULL);
	cmd_canonical_set(ctx, "only", NULL);
	cmd_canonical_print(&script, ctx->entry, ctx->format, ctx->parsed);
	*keeps = (struct cmd_stepped){ .lists = true,
		.script = fx_buf_take(&script) };
}

struct fx_error *
cmd_pass_run(struct cmd_ctx *ctx)
{
	FX_AUTO(plan) struct plan plan = { .steps = { 0 } };
	struct fx_passing_request request;
	struct cmd_stepped keeps;
	struct fx_error *err;

	for (size_t i = 0; i < cmd_arg_count(ctx, "what"); i++) {
		const char *word = cmd_arg_text_at(ctx, "what", i);

		if (cmd_is_python_pass(word))
			return cmd_python_pass(ctx, word);
	}
	err = read_plan(ctx, &plan);
	if (!err)
		err = need_weights(ctx, &plan);
	if (err)
		return err;
	cmd_pass_request(ctx, &request, &keeps);
	request.steps = plan.steps.items;
	request.step_count = plan.steps.count;
	request.lister = keeps.script;
	keeps.kind = &pass_kind;
	return cmd_passing_run(ctx, &request, &keeps);
}
