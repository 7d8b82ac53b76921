/* pass_run.c - the command pass run, and what is answered while one is
 * stepped.
 */
#include <config.h>

#include "commands/verbs/pass_run.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/vec.h"
#include "commands/out/out.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/python_pass.h"
#include "commands/verbs/show.h"
#include "session/capture.h"
#include "session/model.h"
#include "session/passing.h"
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

static void
say_decisions(struct cmd_ctx *ctx, const struct fx_passing *passing,
	size_t from)
{
	bool shows_keys = cmd_flag(ctx, "dry-run");
	const char *const keys[] = { "status", "step",
		shows_keys ? "key" : "~key" };
	size_t count;
	const struct fx_decision *decisions =
		fx_passing_decisions(passing, &count);

	out_table_begin(ctx->out, "steps", FX_ARRAY_LEN(keys), keys);
	for (size_t i = from; i < count; i++) {
		out_cell(ctx->out, FX_ROLE_CHANGED, "%s",
			decisions[i].is_applied ? "done" : "skipped");
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", decisions[i].text);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", decisions[i].key);
	}
	out_table_end(ctx->out);
}

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

/* --- the end ------------------------------------------------------------- */

/* A pass run that ends; its words in a script without what was chosen. */
struct ending {
	struct cmd_ctx *ctx;
	const char *script;
	bool force;
	struct fx_buf line;
	const char *maker;
};

static void
describe(void *context, struct fx_passing *passing)
{
	struct ending *ending = context;
	FX_AUTO_BUF struct fx_buf only = { 0 };

	ending->maker = fx_passing_pass(passing)->name;
	fx_buf_add(&ending->line, ending->script);
	if (fx_passing_print_only(passing, &only)) {
		fx_buf_add(&ending->line, " --only ");
		cmd_canonical_add_word(&ending->line, fx_buf_text(&only));
	}
	cmd_edit_force(fx_passing_model(passing), &ending->line, ending->force);
	cmd_edit_place(fx_passing_model(passing), fx_passing_graph(passing),
		&ending->line);
	if (!ending->ctx->shell->in_transaction)
		cmd_edit_describe(ending->ctx, fx_passing_model(passing),
			fx_buf_text(&ending->line), ending->maker);
}

static FX_NODISCARD struct fx_error *
finish(struct cmd_ctx *ctx, struct fx_passing *passing, struct ending *ending)
{
	FX_AUTO_VERIFY_RESULT struct fx_verify_result verified = {
		.why = NULL
	};
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	const struct fx_passing_ending end = { describe, ending };
	struct fx_model *model = fx_passing_model(passing);
	struct fx_edit_counts before = ending->ctx->shell->stepped.before;
	size_t applied = fx_passing_applied(passing);
	struct fx_error *err;

	err = fx_passing_finish(passing, &end, &verified, &report);
	if (err) {
		fx_buf_deinit(&ending->line);
		return err;
	}
	if (ctx->shell->in_transaction && !report.dry_run)
		cmd_edit_describe(ctx, model, fx_buf_text(&ending->line),
			ending->maker);
	fx_buf_deinit(&ending->line);
	cmd_edit_take_away(&report.counts, &before);
	cmd_say_edit(ctx, &report);
	if (applied && !report.dry_run)
		cmd_say_verified(ctx,
			fx_verify_mode(ctx->session) == FX_VERIFY_MODE_OFF
				? NULL
				: &verified);
	return NULL;
}

/* --- at once ------------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
run_at_once(struct cmd_ctx *ctx, const struct fx_passing_request *request,
	const char *script)
{
	struct ending ending = {
		.ctx = ctx, .script = script, .force = request->force
	};
	struct fx_passing *passing;
	struct fx_error *err =
		fx_passing_begin(ctx->session, ctx->model, request, &passing);
	size_t count;

	if (err)
		return err;
	while (!err && fx_passing_next(passing, &err))
		err = fx_passing_take(passing, true);
	if (err) {
		fx_passing_abort(passing);
		return err;
	}
	say_decisions(ctx, passing, 0);
	(void)fx_passing_decisions(passing, &count);
	out_value_int(ctx->out, "candidates", (int64_t)count);
	out_value_int(ctx->out, "applied",
		(int64_t)fx_passing_applied(passing));
	return finish(ctx, passing, &ending);
}

/* --- step by step -------------------------------------------------------- */

/* The candidate at hand, or the end. */
static FX_NODISCARD struct fx_error *
go_on(struct cmd_ctx *ctx, struct fx_passing *passing)
{
	struct ending ending = { .ctx = ctx,
		.script = ctx->shell->stepped.script,
		.force = ctx->shell->stepped.force };
	struct fx_error *err = NULL;
	size_t count;

	if (fx_passing_next(passing, &err)) {
		(void)fx_passing_decisions(passing, &count);
		out_value_text(ctx->out, "key", fx_passing_key(passing));
		out_value_int(ctx->out, "at", (int64_t)count + 1);
		out_value_int(ctx->out, "of",
			(int64_t)fx_passing_total(passing));
		out_line(ctx->out, FX_ROLE_PLAIN, "%zu/%zu %s", count + 1,
			fx_passing_total(passing),
			fx_passing_candidate(passing)->text);
		cmd_beside_candidate(ctx, passing);
		return NULL;
	}
	if (err) {
		fx_passing_abort(passing);
		return err;
	}
	return finish(ctx, passing, &ending);
}

static FX_NODISCARD struct fx_error *
run_stepped(struct cmd_ctx *ctx, const struct fx_passing_request *request,
	const char *script)
{
	struct fx_passing *passing;
	struct fx_error *err =
		fx_passing_begin(ctx->session, ctx->model, request, &passing);

	if (err)
		return err;
	free(ctx->shell->stepped.script);
	ctx->shell->stepped.script = fx_xstrdup(script);
	ctx->shell->stepped.force = request->force;
	err = go_on(ctx, passing);
	if (!err && fx_session_passing(ctx->session))
		out_note(ctx->out,
			"y applies it, n skips it, a applies all the rest, "
			"k stops and keeps, q takes all back; any other line "
			"is a command");
	return err;
}

/* Whether a catchpoint waits for one of the passes: they are stepped then. */
static bool
is_caught(struct cmd_ctx *ctx)
{
	for (size_t i = 0; i < cmd_arg_count(ctx, "what"); i++)
		if (cmd_caught(ctx, "pass", cmd_arg_text_at(ctx, "what", i)))
			return true;
	return false;
}

struct fx_error *
cmd_pass_run(struct cmd_ctx *ctx)
{
	FX_AUTO(plan) struct plan plan = { .steps = { 0 } };
	FX_AUTO_BUF struct fx_buf script = { 0 };
	struct fx_passing_request request = {
		.command = ctx->line,
		.only = cmd_flag(ctx, "only"),
		.force = cmd_flag(ctx, "force"),
		.dry_run = cmd_flag(ctx, "dry-run"),
	};
	const char *first = cmd_arg_text(ctx, "what");
	struct fx_error *err;

	if (first && cmd_is_python_pass(first))
		return cmd_python_pass(ctx, first);
	err = read_plan(ctx, &plan);
	if (!err)
		err = cmd_edit_check(ctx);
	if (!err)
		err = need_weights(ctx, &plan);
	if (err)
		return err;
	request.steps = plan.steps.items;
	request.step_count = plan.steps.count;
	request.is_stepped =
		!request.dry_run && (cmd_flag(ctx, "step") || is_caught(ctx));
	ctx->shell->stepped.before =
		fx_journal_counts(fx_model_graph(ctx->model));
	cmd_canonical_resolve(ctx);
	cmd_canonical_set(ctx, "step", NULL);
	cmd_canonical_set(ctx, "only", NULL);
	cmd_canonical_print(&script, ctx->entry, ctx->format, ctx->parsed);
	return request.is_stepped
		       ? run_stepped(ctx, &request, fx_buf_text(&script))
		       : run_at_once(ctx, &request, fx_buf_text(&script));
}

static FX_NODISCARD struct fx_error *
take_rest(struct cmd_ctx *ctx, struct fx_passing *passing)
{
	struct ending ending = { .ctx = ctx,
		.script = ctx->shell->stepped.script,
		.force = ctx->shell->stepped.force };
	struct fx_error *err = NULL;
	size_t from;

	(void)fx_passing_decisions(passing, &from);
	do
		err = fx_passing_take(passing, true);
	while (!err && fx_passing_next(passing, &err));
	if (err) {
		fx_passing_abort(passing);
		return err;
	}
	say_decisions(ctx, passing, from);
	return finish(ctx, passing, &ending);
}

static FX_NODISCARD struct fx_error *
take_one(struct cmd_ctx *ctx, struct fx_passing *passing, bool applies)
{
	struct fx_error *err = fx_passing_take(passing, applies);

	if (!err)
		return go_on(ctx, passing);
	fx_passing_abort(passing);
	return fx_error_note(err, "the pass is taken back");
}

struct fx_error *
cmd_pass_answer(struct cmd_ctx *ctx, const char *action)
{
	struct fx_passing *passing = fx_session_passing(ctx->session);
	struct ending ending = { .ctx = ctx,
		.script = ctx->shell->stepped.script,
		.force = ctx->shell->stepped.force };

	if (!passing)
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "pass %s: no pass is being "
					     "stepped",
					     action),
			"pass run dce -s");
	switch (*action) {
	case 'y':
	case 'n':
		return take_one(ctx, passing, *action == 'y');
	case 'a':
		return take_rest(ctx, passing);
	case 'k':
		return finish(ctx, passing, &ending);
	default:
		fx_passing_abort(passing);
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Everything that the pass did is undone.");
		return NULL;
	}
}
