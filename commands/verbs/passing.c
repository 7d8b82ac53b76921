/* passing.c - commands that go over candidates, at once or step by step. */
#include <config.h>

#include "commands/verbs/passing.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "commands/out/out.h"
#include "commands/shell/line.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/edit.h"
#include "commands/verbs/show.h"
#include "session/model.h"
#include "session/session.h"
#include "session/verify.h"

void
cmd_stepped_deinit(struct cmd_stepped *stepped)
{
	if (stepped->kind && stepped->kind->free)
		stepped->kind->free(stepped->data);
	free(stepped->script);
	*stepped = (struct cmd_stepped){ .script = NULL };
}

/* --- telling ------------------------------------------------------------- */

/* More of what was done would push its result off the screen. */
enum {
	MAX_DONE = 12
};

/* The candidates from FROM on: with their keys those that would be taken, else
 * what was done, of which a terminal gets the first few.
 */
static void
say_decisions(struct cmd_ctx *ctx, const struct fx_passing *passing,
	size_t from, bool is_dry)
{
	const char *const keys[] = { "status", "step",
		is_dry ? "key" : "~key" };
	size_t count, shown;
	const struct fx_decision *decisions =
		fx_passing_decisions(passing, &count);

	if (count == from) {
		out_line(ctx->out, FX_ROLE_PLAIN, "no candidates");
		return;
	}
	shown = !is_dry && out_default_rows(ctx->out)
			? FX_MIN(count - from, (size_t)MAX_DONE)
			: count - from;
	out_table_begin(ctx->out, "steps", FX_ARRAY_LEN(keys), keys);
	for (size_t i = from; i < from + shown; i++) {
		out_cell(ctx->out, FX_ROLE_CHANGED, "%s",
			!decisions[i].is_applied ? "skipped"
			: is_dry                 ? "planned"
						 : "done");
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", decisions[i].text);
		out_cell(ctx->out, FX_ROLE_PLAIN, "%s", decisions[i].key);
	}
	if (count - from > shown)
		out_table_more(ctx->out, count - from - shown,
			"pass diff shows all");
	out_table_end(ctx->out);
}

/* --- the end ------------------------------------------------------------- */

struct ending {
	struct cmd_ctx *ctx;
	const struct cmd_stepped *keeps;
	struct fx_buf line;
	struct fx_buf verified; /* what was verified before the last passes */
	const char *maker;
};

static void
describe(void *context, struct fx_passing *passing)
{
	struct ending *ending = context;
	struct fx_model *model = fx_passing_model(passing);
	FX_AUTO_BUF struct fx_buf only = { 0 };
	FX_AUTO_BUF struct fx_buf keys = { 0 };
	const char *script = ending->keeps->script;

	fx_buf_add(&ending->verified, fx_passing_verified_before(passing));
	ending->maker = fx_passing_pass(passing)->name;
	fx_buf_add(&only, "--only ");
	if (fx_passing_print_only(passing, &keys)) {
		cmd_canonical_add_word(&only, fx_buf_text(&keys));
		cmd_canonical_add_flagged(&ending->line, script,
			fx_buf_text(&only));
	} else {
		fx_buf_add(&ending->line, script);
	}
	cmd_edit_complete(model, fx_passing_graph(passing), &ending->line,
		ending->keeps->force);
	if (!ending->ctx->shell->in_transaction)
		cmd_edit_describe(ending->ctx, fx_model_graph(model),
			fx_buf_text(&ending->line), ending->maker);
}

/* What was done, with what the kind of command adds. */
static void
tell(const struct ending *ending, const struct fx_edit_report *report,
	const struct cmd_passed *passed)
{
	const struct cmd_stepped *keeps = ending->keeps;
	struct cmd_ctx *ctx = ending->ctx;

	cmd_say_edit(ctx, report);
	cmd_note_function(ctx, report->unknown);
	if (keeps->kind->tell)
		keeps->kind->tell(ctx, keeps->data, passed);
}

static FX_NODISCARD struct fx_error *
finish(struct cmd_ctx *ctx, struct fx_passing *passing,
	const struct cmd_stepped *keeps)
{
	FX_AUTO_VERIFY_RESULT struct fx_verify_result verified = {
		.why = NULL
	};
	FX_AUTO_EDIT_REPORT struct fx_edit_report report = { 0 };
	struct ending ending = { .ctx = ctx, .keeps = keeps };
	const struct fx_passing_ending end = { describe, &ending };
	struct fx_model *model = fx_passing_model(passing);
	struct cmd_passed passed = { .applied = fx_passing_applied(passing),
		.verified =
			fx_passing_is_verified(passing) ? &verified : NULL };
	struct fx_error *err =
		keeps->kind->check ? keeps->kind->check(keeps->data, passing)
				   : NULL;

	if (err)
		fx_passing_abort(passing);
	else
		err = fx_passing_finish(passing, &end, &verified, &report);
	passed.dry_run = report.dry_run;
	if (!err && ctx->shell->in_transaction && !report.dry_run)
		cmd_edit_describe(ctx, fx_model_graph(model),
			fx_buf_text(&ending.line), ending.maker);
	fx_buf_deinit(&ending.line);
	if (!err) {
		passed.verified_before = fx_buf_text(&ending.verified);
		cmd_edit_take_away(&report.counts, &keeps->before);
		tell(&ending, &report, &passed);
	}
	fx_buf_deinit(&ending.verified);
	return err;
}

/* --- at once ------------------------------------------------------------- */

static FX_NODISCARD struct fx_error *
run_at_once(struct cmd_ctx *ctx, struct fx_passing *passing,
	const struct cmd_stepped *keeps)
{
	struct fx_error *err = NULL;
	size_t count;

	while (!err && fx_passing_next(passing, &err))
		err = fx_passing_take(passing, true);
	if (!err)
		err = fx_passing_check_only(passing);
	if (err) {
		fx_passing_abort(passing);
		return err;
	}
	if (keeps->lists) {
		say_decisions(ctx, passing, 0, cmd_flag(ctx, "dry-run"));
		(void)fx_passing_decisions(passing, &count);
		out_value_int(ctx->out, "candidates", (int64_t)count);
		out_value_int(ctx->out, "applied",
			(int64_t)fx_passing_applied(passing));
	}
	return finish(ctx, passing, keeps);
}

/* --- step by step -------------------------------------------------------- */

/* The candidate at hand, or the end. */
static FX_NODISCARD struct fx_error *
go_on(struct cmd_ctx *ctx, struct fx_passing *passing)
{
	FX_AUTO_BUF struct fx_buf place = { 0 };
	struct fx_error *err = NULL;
	size_t count;

	if (fx_passing_next(passing, &err)) {
		(void)fx_passing_decisions(passing, &count);
		fx_passing_print_place(passing, &place);
		out_value_text(ctx->out, "key", fx_passing_key(passing));
		out_value_int(ctx->out, "at", (int64_t)count + 1);
		out_value_int(ctx->out, "of",
			(int64_t)fx_passing_total(passing));
		out_line(ctx->out, FX_ROLE_PLAIN, "%s %s", fx_buf_text(&place),
			fx_passing_candidate(passing)->text);
		cmd_beside_candidate(ctx->front, passing);
		return NULL;
	}
	if (err) {
		fx_passing_abort(passing);
		return err;
	}
	return finish(ctx, passing, &ctx->shell->stepped);
}

static FX_NODISCARD struct fx_error *
run_stepped(struct cmd_ctx *ctx, struct fx_passing *passing)
{
	struct fx_error *err = go_on(ctx, passing);

	if (!err && fx_session_passing(ctx->session))
		out_note(ctx->out,
			"y applies it, n skips it, a applies all the rest, "
			"k stops and keeps, q takes all back; any other line "
			"is a command");
	return err;
}

struct fx_error *
cmd_passing_run(struct cmd_ctx *ctx, const struct fx_passing_request *request,
	struct cmd_stepped *keeps)
{
	struct fx_passing_request asked = *request;
	struct fx_passing *passing;
	struct fx_error *err = cmd_edit_check(ctx);

	asked.is_quiet = !keeps->lists;
	if (ctx->blame) {
		if (!err)
			err = fx_passing_find_guilty(ctx->session, ctx->model,
				request, ctx->blame->test, &ctx->blame->found);
		cmd_stepped_deinit(keeps);
		return err;
	}

	keeps->before = fx_journal_counts(fx_model_graph(ctx->model));
	keeps->force = request->force;
	if (!err)
		err = fx_passing_begin(ctx->session, ctx->model, &asked,
			&passing);
	if (!err && request->is_stepped) {
		cmd_stepped_deinit(&ctx->shell->stepped);
		ctx->shell->stepped = *keeps;
		return run_stepped(ctx, passing);
	}
	if (!err)
		err = run_at_once(ctx, passing, keeps);
	cmd_stepped_deinit(keeps);
	return err;
}

struct fx_error *
cmd_passing_blame(struct cmd_ctx *ctx, const char *line,
	struct cmd_blame *blame)
{
	CMD_AUTO_PARSED struct cmd_parsed parsed = { 0 };
	struct cmd_ctx inner = *ctx;
	FX_AUTO_FREE char *name = NULL;
	struct cmd_head head;
	struct fx_error *err = cmd_line_head(line, &head);

	if (err)
		return err;
	name = fx_xstrndup(line + head.name.begin,
		head.name.end - head.name.begin);
	inner.entry = cmd_table_find(name);
	inner.line = line;
	inner.format = "";
	inner.parsed = &parsed;
	inner.blame = blame;
	err = cmd_line_split(inner.entry, line, head.rest, &parsed);
	return err ? err : inner.entry->exec(&inner);
}

static FX_NODISCARD struct fx_error *
take_rest(struct cmd_ctx *ctx, struct fx_passing *passing)
{
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
	say_decisions(ctx, passing, from, false);
	return finish(ctx, passing, &ctx->shell->stepped);
}

static FX_NODISCARD struct fx_error *
take_one(struct cmd_ctx *ctx, struct fx_passing *passing, bool applies)
{
	struct fx_error *err = fx_passing_take(passing, applies);

	if (!err)
		return go_on(ctx, passing);
	err = fx_error_note(err, "%s is taken back", fx_passing_title(passing));
	fx_passing_abort(passing);
	return err;
}

struct fx_error *
cmd_passing_answer(struct cmd_ctx *ctx, const char *action)
{
	struct fx_passing *passing = fx_session_passing(ctx->session);

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
		return finish(ctx, passing, &ctx->shell->stepped);
	default:
		out_line(ctx->out, FX_ROLE_PLAIN,
			"Everything that the %s did is undone.",
			fx_passing_pass(passing)->is_command
				? fx_passing_pass(passing)->name
				: "pass");
		fx_passing_abort(passing);
		return NULL;
	}
}
