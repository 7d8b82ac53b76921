/* verify.c - verify: do two graphs give the same. */
#include <config.h>

#include "commands/verbs/verify.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/str.h"
#include "commands/out/out.h"
#include "commands/shell/groups.h"
#include "commands/shell/shell.h"
#include "commands/verbs/diff.h"
#include "commands/verbs/show.h"
#include "ir/journal.h"
#include "session/model.h"
#include "session/resolve.h"

/* --- what both take ------------------------------------------------------ */

/* By --rtol in the graphs' own dtypes, else in f64. */
struct fx_error *
cmd_verify_options(struct cmd_ctx *ctx, struct fx_verify_options *ret)
{
	const char *rtol = cmd_flag(ctx, "rtol");
	int64_t inputs = cmd_flag_int(ctx, "inputs", 3);

	if (inputs < 1 || inputs > FX_VERIFY_INPUTS)
		return fx_error_new(FX_ERR_RANGE,
			"--inputs takes a number from 1 to %d",
			FX_VERIFY_INPUTS);
	*ret = (struct fx_verify_options){ .claim = FX_CLAIM_ALGEBRAIC,
		.inputs = (size_t)inputs };
	if (!rtol)
		return NULL;
	ret->claim = FX_CLAIM_EXACT;
	if (!fx_number_parse_double(rtol, strlen(rtol), &ret->tolerance) ||
		!(ret->tolerance >= 0))
		return fx_error_new(FX_ERR_VALUE,
			"--rtol takes a number that is not negative, not "
			"\"%s\"",
			rtol);
	return NULL;
}

bool
cmd_is_time(const char *text, int64_t *ret)
{
	return *text == 't' &&
	       fx_number_parse_int(text + 1, strlen(text + 1), ret);
}

bool
cmd_are_times(const char *first, const char *second)
{
	int64_t time;
	bool is_now = fx_str_equal(first, ".");

	if (!second)
		return cmd_is_time(first, &time);
	return (is_now || cmd_is_time(first, &time)) &&
	       (cmd_is_time(second, &time) ||
		       (!is_now && fx_str_equal(second, ".")));
}

struct fx_error *
cmd_time_argument(const struct cmd_ctx *ctx, const char *name, uint32_t missing,
	uint32_t *ret)
{
	const char *text = cmd_arg_text(ctx, name);
	int64_t time = missing;

	if (text && fx_str_equal(text, "."))
		time = fx_journal_now(fx_model_graph(ctx->model));
	else if (text && !cmd_is_time(text, &time))
		return fx_error_hint(fx_error_new(FX_ERR_USAGE,
					     "\"%s\" is no time", text),
			"info undo");
	if (time < 0 || time > UINT32_MAX ||
		!fx_journal_get(fx_model_graph(ctx->model), (uint32_t)time))
		return fx_error_hint(fx_error_new(FX_ERR_RANGE,
					     "there is no time \"%s\"", text),
			"info undo lists them");
	*ret = (uint32_t)time;
	return NULL;
}

/* What MODEL's graph was at TIME, to be compared with. */
struct fx_error *
cmd_verify_begin(struct cmd_ctx *ctx, uint32_t time,
	const struct fx_verify_options *options, struct fx_verify **ret)
{
	uint32_t now;
	struct fx_error *err = cmd_time_enter(ctx, time, &now);

	if (err)
		return err;
	*ret = fx_verify_new(ctx->session, ctx->model, options);
	return fx_journal_goto(fx_model_graph(ctx->model), now);
}

/* --- verify -------------------------------------------------------------- */

static void
say_gap(struct cmd_ctx *ctx, const struct fx_gap *gap)
{
	FX_AUTO_FREE char *rel = fx_xasprintf("%.17g", gap->max_rel);
	FX_AUTO_FREE char *abs = fx_xasprintf("%.17g", gap->max_abs);

	out_value_text(ctx->out, "max_rel", rel);
	out_value_text(ctx->out, "max_abs", abs);
}

static void
say_values(struct cmd_ctx *ctx, const struct fx_verify_result *result)
{
	static const char *const words[] = {
		[FX_VERDICT_SAME] = "same",
		[FX_VERDICT_DIFFERS] = "differs",
		[FX_VERDICT_UNKNOWN] = "unknown",
	};

	out_value_text(ctx->out, "verdict", words[result->verdict]);
	out_value_int(ctx->out, "inputs", (int64_t)result->inputs);
	out_value_text(ctx->out, "place", result->place ? result->place : "");
	if (result->verdict != FX_VERDICT_UNKNOWN)
		say_gap(ctx, &result->gap);
}

static const char rounding[] = "as small as what const-fold rounds; "
			       "verify --rtol 1e-5 passes over that";

static FX_NODISCARD struct fx_error *
tell(struct cmd_ctx *ctx, const struct fx_verify_result *result)
{
	FX_AUTO_BUF struct fx_buf text = { 0 };
	bool is_same = result->verdict == FX_VERDICT_SAME;
	bool is_small = result->verdict == FX_VERDICT_DIFFERS &&
			result->gap.max_rel <= 1e-6 && !cmd_flag(ctx, "rtol");

	say_values(ctx, result);
	if (result->verdict == FX_VERDICT_DIFFERS)
		fx_buf_add(&text, "they differ: ");
	fx_verify_print(&text, result);
	if (!is_same && !cmd_is_typed(ctx))
		return is_small ? fx_error_hint(fx_error_new(FX_ERR_CHECK, "%s",
							fx_buf_text(&text)),
					  "%s", rounding)
				: fx_error_new(FX_ERR_CHECK, "%s",
					  fx_buf_text(&text));
	out_line(ctx->out, is_same ? FX_ROLE_PLAIN : FX_ROLE_WARNING, "%s",
		fx_buf_text(&text));
	if (is_small)
		out_line(ctx->out, FX_ROLE_NOTE, "  hint: %s", rounding);
	return NULL;
}

struct fx_error *
cmd_verify_exec(struct cmd_ctx *ctx)
{
	const char *first = cmd_arg_text(ctx, "before");
	const char *second = cmd_arg_text(ctx, "after");
	FX_AUTO_VERIFY struct fx_verify *verify = NULL;
	FX_AUTO_VERIFY_RESULT struct fx_verify_result result = { .inputs = 0 };
	struct fx_verify_options options;
	struct fx_model *before = ctx->model;
	struct fx_model *after = ctx->model;
	struct fx_error *err = cmd_verify_options(ctx, &options);
	int64_t time = 0;

	if (err)
		return err;
	if (!first || (!second && cmd_is_time(first, &time))) {
		uint32_t at;

		err = cmd_time_argument(ctx, "before", 0, &at);
		if (!err)
			err = cmd_verify_begin(ctx, at, &options, &verify);
	} else {
		err = cmd_find_model(ctx, first, &before);
		if (!err && second)
			err = cmd_find_model(ctx, second, &after);
		if (!err)
			verify = fx_verify_new(ctx->session, before, &options);
	}
	if (!err)
		err = fx_verify_graph(verify, fx_model_graph(after), &result);
	return err ? err : tell(ctx, &result);
}
